// A libgpiod without a kernel, for tests: chips of one line each, known by the path of their
// device. Its symbols take the place of the library's in the program of the tests, for the
// version that the machine has; what is not faked is not called by the shim. Where a file is the
// device, the kernel's question for the name of a line (`ioctl`) is answered, too.
#ifndef FAKEGPIOD_H
#define FAKEGPIOD_H

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct fakegpiod fakegpiod;

/// Makes the chip `path`, whose one line has `offset`. All other lines of the chip are nameless.
fakegpiod *fakegpiod_add(const char *path, const char *label, const char *name,
                         unsigned int offset);
/// Takes the chip away, as when its cable is pulled; it is freed when no request holds its line.
void fakegpiod_remove(fakegpiod *chip);

/// The level that is read from now on.
void fakegpiod_set_level(fakegpiod *chip, int level);
/// The error that a request gets from now on; 0 for none.
void fakegpiod_set_refusal(fakegpiod *chip, int error);
/// Another program of that name holds the line from now on; "" for none.
void fakegpiod_set_holder(fakegpiod *chip, const char *name);
/// The error that opening the chip gets from now on; 0 for none.
void fakegpiod_set_open_error(fakegpiod *chip, int error);
/// The events of the line come from this FIFO from its next request on.
void fakegpiod_set_source(fakegpiod *chip, const char *path);
/// Puts bytes where the events of the line come from. Returns whether all were taken.
int fakegpiod_write(fakegpiod *chip, const void *bytes, size_t count);
/// Nothing more comes from the line, and every question about it is answered with ENODEV.
void fakegpiod_hang_up(fakegpiod *chip);

#pragma clang assume_nonnull end
#endif
