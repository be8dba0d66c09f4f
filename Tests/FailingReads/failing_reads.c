// A pread(2) that fails as a driver of the kernel fails, also in a file that is open: where the
// file says so. It takes the place of libc's in the program of the tests.
#define _GNU_SOURCE
#include "failing_reads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  const size_t length = sizeof FAILING_READ_MARK - 1;
  ssize_t result = syscall(SYS_pread64, file, bytes, count, offset);
  if (result <= (ssize_t)length || memcmp(bytes, FAILING_READ_MARK, length) != 0) return result;
  char digits[8] = "";
  size_t rest = (size_t)result - length;
  memcpy(digits, (char *)bytes + length, rest < sizeof digits ? rest : sizeof digits - 1);
  errno = atoi(digits);
  return -1;
}
