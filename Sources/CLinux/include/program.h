// Programs that the agent starts, each in a session of its own.
#ifndef HOMEWARD_PROGRAM_H
#define HOMEWARD_PROGRAM_H

#include <poll.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// A program that this process started: its number, a descriptor that becomes readable at its end,
/// and one from which its standard output and standard error are read, without waiting.
typedef struct {
  pid_t number;
  int process;
  int output;
} clinux_program;

/// Starts a program in a session of its own, in the root directory, with these arguments (the first
/// is its name) and these variables only, each a text that ends with a NUL. It gets no descriptor
/// but `/dev/null` as standard input and the pipe of its output, and no signal is blocked or
/// ignored. Both descriptors are the caller's. Returns 0, or -1 and `errno`, also where the file
/// cannot be run.
int clinux_program_start(const char *path, const char *arguments, int argument_count,
                         const char *variables, int variable_count, clinux_program *program);
/// Sends a signal to a program, and to what it started and did not give a session of its own.
void clinux_program_signal(pid_t number, int signal);
/// Takes notice of the end of a program, and ends what it left behind of its session. Returns 0
/// where it runs, 1 where it exited, with `status`, 2 where a signal ended it, whose number is
/// `status`; -1 and `errno` where there is no such program.
int clinux_program_ending(pid_t number, int *status);

/// Writes where a path leads without any links into `place`, which has room for `PATH_MAX` bytes.
/// Returns the number of bytes, or -1 and `errno`.
int clinux_real_path(const char *path, void *_Nullable place);

/// Waits until a descriptor is readable, so long at most. Returns 1 where it is, 0 where it is not,
/// or -1 and `errno`: a signal ends the waiting.
static inline int clinux_wait_readable(int descriptor, int milliseconds) {
  struct pollfd ready = {.fd = descriptor, .events = POLLIN};
  return poll(&ready, 1, milliseconds);
}

#pragma clang assume_nonnull end
#endif
