#pragma once

#include <stdint.h>

/// What the text of a file begins with that fails to be read: the number of the error follows.
#define FAILING_READ_MARK "\001errno "
/// What the text of a file begins with that takes time to be read: the milliseconds follow, a new
/// line, and what is read then. Only `reading_clock` of the thread that reads goes on by them.
#define SLOW_READ_MARK "\001slow "
/// What the text of a file begins with whose read does not come back before the file says something
/// else. A number follows.
#define HANGING_READ_MARK "\001hang "

/// What the path of a file has in it that another machine has, as `statfs(2)` says.
#define REMOTE_PATH_MARK "nfs"

/// A clock that each thread has of its own, in nanoseconds, which slow reads advance.
int64_t reading_clock(void);
void advance_reading_clock(int64_t nanoseconds);

/// Lets the board sleep, as far as this thread knows: the wall clock and the clock of the time
/// since the kernel started go on, and the monotonic one stands still.
void let_board_sleep(int64_t seconds);
