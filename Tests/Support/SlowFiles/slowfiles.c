// Reads and fsync(2) that a driver, a bus or a disk holds up. As a library that stands before libc
// (LD_PRELOAD) it lets each of them wait whose path holds the word that stands in the file
// SLOWFILES: as many milliseconds as that file says before the word, or until the file says
// something else where it says "hang".
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "slowfiles.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void sleep_milliseconds(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

// Whether the path of this descriptor has to wait, and how long: "hang power_supply/BAT9".
static int waits(int file, long *milliseconds) {
  const char *orders = getenv("SLOWFILES");
  char text[256], link[64], path[1024];
  int descriptor = orders ? (int)syscall(SYS_openat, AT_FDCWD, orders, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return 0;
  long count = syscall(SYS_read, descriptor, text, sizeof text - 1);
  syscall(SYS_close, descriptor);
  text[count > 0 ? count : 0] = 0;
  text[strcspn(text, "\n")] = 0;
  char *word = strchr(text, ' ');
  if (!word) return 0;
  *word++ = 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  if (!strstr(path, word)) return 0;
  *milliseconds = strcmp(text, "hang") == 0 ? -1 : atol(text);
  return 1;
}

static void hold_up(int file) {
  long milliseconds;
  while (waits(file, &milliseconds)) {
    sleep_milliseconds(milliseconds < 0 ? 5 : milliseconds);
    if (milliseconds >= 0) return;
  }
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  hold_up(file);
  return syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off_t offset) {
  hold_up(file);
  return syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t read(int file, void *bytes, size_t count) {
  hold_up(file);
  return syscall(SYS_read, file, bytes, count);
}

int fsync(int file) {
  hold_up(file);
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  hold_up(file);
  return (int)syscall(SYS_fdatasync, file);
}
