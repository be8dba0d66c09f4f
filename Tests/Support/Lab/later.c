// A later clock, put into a program with LD_PRELOAD: the wall clock is HOMEWARD_SECONDS_AHEAD ahead
// of the kernel's. The clock that only goes on, and with it every timer, is the kernel's own.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// On some processors of 32 bits the first call has a clock that ends in 2038.
#ifdef SYS_clock_gettime64
#define GET_TIME SYS_clock_gettime64
#else
#define GET_TIME SYS_clock_gettime
#endif

static long ahead;

__attribute__((constructor)) static void set_clock(void) {
  const char *seconds = getenv("HOMEWARD_SECONDS_AHEAD");
  ahead = seconds ? strtol(seconds, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(GET_TIME, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += ahead;
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
