// A kernel with GPIO chips of one line each, for tests: known by the paths of their devices. What
// libgpiod calls to open a chip and to speak with it (`stat`, `lstat`, `realpath`, `open`, `ioctl`)
// is this one's in the program of the tests; what is about no such chip is handed on to the kernel.
// Of linux/gpio.h it knows version 2.
#ifndef FAKEGPIO_H
#define FAKEGPIO_H

#include <linux/gpio.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct fakegpio fakegpio;

/// Makes the chip `path`, whose one line has `offset`. All other lines of the chip are nameless.
fakegpio *fakegpio_add(const char *path, const char *label, const char *name, unsigned int offset);
/// Takes the chip away, as when its cable is pulled. Its memory stays: a program may still hold its
/// line.
void fakegpio_remove(fakegpio *chip);

/// The path of the chip is another node of `other`'s device.
void fakegpio_share_number(fakegpio *chip, fakegpio *other);

/// The level that is read from now on.
void fakegpio_set_level(fakegpio *chip, int level);
/// The level that a program gave its output last, or the one that was set.
int fakegpio_level(fakegpio *chip);
/// An output does not follow the program from now on, as where its wire is shorted.
void fakegpio_short(fakegpio *chip);
/// The error that a request gets from now on; 0 for none.
void fakegpio_set_refusal(fakegpio *chip, int error);
/// Refuses every request with a debounce period from now on.
void fakegpio_refuse_debounce(fakegpio *chip);
/// Another program of that name holds the line from now on; "" for none.
void fakegpio_set_holder(fakegpio *chip, const char *name);
/// The error that asking what the line is gets from now on; 0 for none.
void fakegpio_set_info_error(fakegpio *chip, int error);
/// The error that opening the chip gets from now on; 0 for none.
void fakegpio_set_open_error(fakegpio *chip, int error);
/// The events of the line come from this FIFO from its next request on.
void fakegpio_set_source(fakegpio *chip, const char *path);
/// Puts bytes where the events of the line come from. Returns whether all were taken.
int fakegpio_write(fakegpio *chip, const void *bytes, size_t count);
/// How many bytes of those were not read yet.
int fakegpio_unread(fakegpio *chip);
/// Nothing more comes from the line, and every question about it is answered with ENODEV.
void fakegpio_hang_up(fakegpio *chip);

/// What the last request that was granted asked for: `GPIO_V2_LINE_FLAG_…`, the debounce period and
/// the number of events.
uint64_t fakegpio_flags(fakegpio *chip);
uint32_t fakegpio_debounce_microseconds(fakegpio *chip);
uint32_t fakegpio_event_count_max(fakegpio *chip);

#pragma clang assume_nonnull end
#endif
