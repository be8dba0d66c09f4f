// A GPIO line for one agent, put into it with LD_PRELOAD: the agent as it ships, and a libgpiod
// whose only line is called LINE and gets its edges from the FIFO that HOMEWARD_LINE names.
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

#include "fakegpiod.h"

// `struct gpio_v2_line_event` and `struct gpioevent_data` of linux/gpio.h begin in the same way.
enum { edge_offset = 8, rising = 1 };

static fakegpiod *chip;
static size_t event_size;
static ino_t fifo;

__attribute__((constructor)) static void plug_in(void) {
  const char *source = getenv("HOMEWARD_LINE"), *size = getenv("HOMEWARD_LINE_EVENT_SIZE");
  struct stat status;
  if (!source || !size || stat(source, &status) < 0) return;
  fifo = status.st_ino;
  event_size = (size_t)atoi(size);
  chip = fakegpiod_add("/dev/gpiochip0", "delivery", "LINE", 0);
  fakegpiod_set_source(chip, source);
}

// The agent reads from a duplicate of the descriptor.
static int is_line(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) && status.st_ino == fifo;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  ssize_t got = syscall(SYS_read, descriptor, bytes, count);
  if (got > 0 && chip && is_line(descriptor)) {
    uint32_t edge;
    memcpy(&edge, (char *)bytes + got - event_size + edge_offset, sizeof edge);
    fakegpiod_set_level(chip, edge == rising);
  }
  return got;
}
