// The real-time clock of a board, and its alarm (rtc(4)).
#ifndef HOMEWARD_REAL_TIME_CLOCK_H
#define HOMEWARD_REAL_TIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The time of a real-time clock in seconds since 1970, as its fields say, whatever zone that is.
/// -1 and `errno`: EINVAL where the clock knows that its time is none.
int clinux_rtc_time(int clock, int64_t *seconds);
/// Sets the alarm of such a clock, in its own time. -1 and `errno`: EINVAL where it has none, ETIME
/// where that is not in the future.
int clinux_rtc_set_alarm(int clock, int64_t seconds);
/// The alarm that the kernel keeps for such a clock.
int clinux_rtc_alarm(int clock, int64_t *seconds, bool *is_enabled);

#pragma clang assume_nonnull end
#endif
