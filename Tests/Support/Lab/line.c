// A GPIO line for one agent, put into it with LD_PRELOAD: the agent as it ships, and a chip whose
// only line is called LINE and gets its edges from the FIFO that HOMEWARD_LINE names.
//
// The level of the line is that of the last edge the agent took, so that its own look at the level,
// once a cycle, never tells it of an edge that was not counted.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fakegpio.h"

// `struct gpio_v2_line_event` of linux/gpio.h.
enum { event_size = 48, edge_offset = 8, rising = 1 };

static fakegpio *chip;
static ino_t fifo;

__attribute__((constructor)) static void plug_in(void) {
  const char *source = getenv("HOMEWARD_LINE");
  struct stat status;
  if (!source || stat(source, &status) < 0) return;
  fifo = status.st_ino;
  chip = fakegpio_add("/dev/gpiochip0", "delivery", "LINE", 0);
  fakegpio_set_source(chip, source);
}

static int is_line(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_ino == fifo;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  ssize_t got = syscall(SYS_read, descriptor, bytes, count);
  if (got > 0 && chip && is_line(descriptor)) {
    uint32_t edge;
    memcpy(&edge, (char *)bytes + got - event_size + edge_offset, sizeof edge);
    fakegpio_set_level(chip, edge == rising);
  }
  return got;
}
