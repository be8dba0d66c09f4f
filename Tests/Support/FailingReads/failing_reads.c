// A pread(2) that does what the drivers of the kernel do, also in a file that is open, where the
// file says so: it fails, takes its time, or does not come back; disks of another machine; and the
// clocks of a board that sleeps. They take the place of libc's in the program of the tests.
#define _GNU_SOURCE
#include "failing_reads.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// Each thread has its own time, so that tests beside one another do not disturb each other.
static _Thread_local int64_t nanoseconds;

int64_t reading_clock(void) { return nanoseconds; }

void advance_reading_clock(int64_t more) { nanoseconds += more; }

static _Thread_local int64_t seconds_asleep;

void let_board_sleep(int64_t seconds) { seconds_asleep += seconds; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME) time->tv_sec += seconds_asleep;
  return result;
}

// The number behind a mark, or -1 where the text does not begin with it.
static int64_t marked(const char *mark, const char *text, ssize_t count) {
  size_t length = strlen(mark);
  if (count <= (ssize_t)length || memcmp(text, mark, length) != 0) return -1;
  char digits[8] = "";
  size_t rest = (size_t)count - length;
  memcpy(digits, text + length, rest < sizeof digits ? rest : sizeof digits - 1);
  return atoi(digits);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  for (int has_hung = 0;; has_hung = 1) {
    ssize_t result = syscall(SYS_pread64, file, bytes, count, offset);
    // Who changes the file empties it first.
    if (marked(HANGING_READ_MARK, bytes, result) >= 0 || (has_hung && result == 0)) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      continue;
    }
    int64_t error = marked(FAILING_READ_MARK, bytes, result);
    if (error >= 0) {
      errno = (int)error;
      return -1;
    }
    int64_t milliseconds = marked(SLOW_READ_MARK, bytes, result);
    if (milliseconds < 0) return result;
    nanoseconds += milliseconds * 1000000;
    const char *end = memchr(bytes, '\n', (size_t)result);
    if (!end) return 0;
    size_t rest = (size_t)result - (size_t)(end + 1 - (char *)bytes);
    memmove(bytes, end + 1, rest);
    return (ssize_t)rest;
  }
}

int statfs(const char *path, struct statfs *status) {
  int result = (int)syscall(SYS_statfs, path, status);
  if (strstr(path, REMOTE_PATH_MARK)) status->f_type = NFS_SUPER_MAGIC;
  return result;
}
