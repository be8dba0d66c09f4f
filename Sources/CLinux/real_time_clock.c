// The real-time clock of a board, and its alarm (rtc(4)).

#include "real_time_clock.h"

#include "clinux.h"

#include <linux/rtc.h>

// The kernel counts the fields as `struct tm` does, and knows no time zone.
static int64_t seconds_of(const struct rtc_time *time) {
  struct tm fields = {.tm_sec = time->tm_sec, .tm_min = time->tm_min, .tm_hour = time->tm_hour,
                      .tm_mday = time->tm_mday, .tm_mon = time->tm_mon, .tm_year = time->tm_year};
  return timegm(&fields);
}

int clinux_rtc_time(int clock, int64_t *seconds) {
  struct rtc_time time;
  if (ioctl(clock, RTC_RD_TIME, &time) < 0) return -1;
  *seconds = seconds_of(&time);
  return 0;
}

int clinux_rtc_set_alarm(int clock, int64_t seconds) {
  time_t moment = (time_t)seconds;
  struct tm fields;
  if (moment != seconds || !gmtime_r(&moment, &fields)) {
    errno = EOVERFLOW;
    return -1;
  }
  struct rtc_wkalrm alarm = {
      .enabled = 1,
      .time = {.tm_sec = fields.tm_sec, .tm_min = fields.tm_min, .tm_hour = fields.tm_hour,
               .tm_mday = fields.tm_mday, .tm_mon = fields.tm_mon, .tm_year = fields.tm_year,
               .tm_wday = fields.tm_wday, .tm_yday = fields.tm_yday}};
  return ioctl(clock, RTC_WKALM_SET, &alarm);
}

int clinux_rtc_alarm(int clock, int64_t *seconds, bool *is_enabled) {
  struct rtc_wkalrm alarm;
  if (ioctl(clock, RTC_WKALM_RD, &alarm) < 0) return -1;
  *seconds = seconds_of(&alarm.time);
  *is_enabled = alarm.enabled;
  return 0;
}
