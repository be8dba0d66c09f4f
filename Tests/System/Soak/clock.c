// A clock that goes faster, put into programs with LD_PRELOAD: what they sleep takes a part of its
// time, and both clocks of the kernel have advanced by the whole of it. All programs with the same
// HOMEWARD_CLOCK ("ORIGIN_MONOTONIC ORIGIN_REALTIME RATE", nanoseconds and times) live in one time.
//
// With a rate of 0 it goes as fast as the kernel's, but for each thread only while that one waits:
// under Valgrind work takes many times as long, and a program that measures its own would act
// otherwise.
//
// The clock is right, as where the network keeps it so: a program of the bench that is late does
// not look like a receiver whose clock is slow.
//
// Work is not accelerated: a processor does as much in a second of the kernel as ever. A wait never
// ends early, which would make a loop turn more often than it does on a board.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

enum { second = 1000000000 };

static int64_t origin, realtime_origin;
static int64_t rate = 1;
static bool is_right = true, stands_at_work;
// What had passed at the end of the last wait of this thread; 0 before it looks for the first time.
static _Thread_local int64_t waited_until;

__attribute__((constructor)) static void learn(void) {
  const char *text = getenv("HOMEWARD_CLOCK");
  long long monotonic, realtime, times;
  if (!text || sscanf(text, "%lld %lld %lld", &monotonic, &realtime, &times) != 3 || times < 0)
    return;
  is_right = false;
  origin = monotonic;
  realtime_origin = realtime;
  stands_at_work = times == 0;
  rate = stands_at_work ? 1 : times;
}

static int kernel_clock(clockid_t clock, struct timespec *now) {
  static int (*next)(clockid_t, struct timespec *);
  // libc's own reads the clock without entering the kernel.
  if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  return next(clock, now);
}

static int64_t nanoseconds(const struct timespec *time) {
  return (int64_t)time->tv_sec * second + time->tv_nsec;
}

static struct timespec timespec(int64_t nanoseconds) {
  return (struct timespec){.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
}

static int64_t passed_by_kernel(void) {
  struct timespec now;
  kernel_clock(CLOCK_MONOTONIC, &now);
  return (nanoseconds(&now) - origin) * rate;
}

// What has passed for the programs.
static int64_t passed(void) {
  if (!stands_at_work) return passed_by_kernel();
  if (!waited_until) waited_until = passed_by_kernel();
  return waited_until;
}

// Takes and gives back what a call of the kernel gave that waits.
static long waited(long result) {
  if (stands_at_work) waited_until = passed_by_kernel();
  return result;
}

// How long the kernel has to wait; rounded up.
static int64_t kernel_wait(int64_t wait) { return (wait + rate - 1) / rate; }

static struct timespec *kernel_limit(const struct timespec *limit, struct timespec *place) {
  if (!limit) return NULL;
  *place = timespec(kernel_wait(nanoseconds(limit)));
  return place;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (is_right) return kernel_clock(clock, now);
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      *now = timespec(origin + passed());
      return 0;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      *now = timespec(realtime_origin + passed());
      return 0;
    default:
      return kernel_clock(clock, now);
  }
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
                    struct timespec *left) {
  int64_t wait = nanoseconds(until);
  if (flags & TIMER_ABSTIME) {
    struct timespec now;
    clock_gettime(clock, &now);
    wait -= nanoseconds(&now);
  }
  struct timespec limit = timespec(kernel_wait(wait > 0 ? wait : 0));
  if (waited(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &limit, left)) == 0) return 0;
  if (left) *left = timespec(nanoseconds(left) * rate);
  return errno;
}

int nanosleep(const struct timespec *length, struct timespec *left) {
  int error = clock_nanosleep(CLOCK_MONOTONIC, 0, length, left);
  if (!error) return 0;
  errno = error;
  return -1;
}

int epoll_pwait(int epoll, struct epoll_event *events, int count, int milliseconds,
                const sigset_t *mask) {
  // Valgrind does not know the call of nanoseconds.
  if (rate == 1)
    return (int)waited(syscall(SYS_epoll_pwait, epoll, events, count, milliseconds, mask,
                               sizeof(uint64_t)));
  struct timespec limit = timespec(kernel_wait((int64_t)milliseconds * 1000000));
  return (int)waited(syscall(SYS_epoll_pwait2, epoll, events, count,
                             milliseconds < 0 ? NULL : &limit, mask, sizeof(uint64_t)));
}

int epoll_wait(int epoll, struct epoll_event *events, int count, int milliseconds) {
  return epoll_pwait(epoll, events, count, milliseconds, NULL);
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
  struct timespec place;
  return (int)waited(
      syscall(SYS_ppoll, files, count, kernel_limit(limit, &place), mask, sizeof(uint64_t)));
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  struct timespec limit = timespec((int64_t)milliseconds * 1000000);
  return ppoll(files, count, milliseconds < 0 ? NULL : &limit, NULL);
}

int pselect(int count, fd_set *readable, fd_set *writable, fd_set *special,
            const struct timespec *limit, const sigset_t *mask) {
  struct {
    const sigset_t *mask;
    size_t size;
  } signals = {mask, sizeof(uint64_t)};
  struct timespec place;
  return (int)waited(syscall(SYS_pselect6, count, readable, writable, special,
                             kernel_limit(limit, &place), &signals));
}

int select(int count, fd_set *readable, fd_set *writable, fd_set *special, struct timeval *limit) {
  struct timespec place;
  if (limit) place = timespec((int64_t)limit->tv_sec * second + (int64_t)limit->tv_usec * 1000);
  return pselect(count, readable, writable, special, limit ? &place : NULL, NULL);
}

int sigtimedwait(const sigset_t *signals, siginfo_t *what, const struct timespec *limit) {
  struct timespec place;
  return (int)waited(syscall(SYS_rt_sigtimedwait, signals, what, kernel_limit(limit, &place),
                             sizeof(uint64_t)));
}

int adjtimex(struct timex *state) {
  *state = (struct timex){.tick = 10000};
  gettimeofday(&state->time, NULL);
  return TIME_OK;
}
