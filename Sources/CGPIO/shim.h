// GPIO chips and lines as the kernel's character devices have them: version 2 of linux/gpio.h, of
// Linux 5.10 and newer. Functions that fail return -1 and leave `errno` as the kernel set it.
#ifndef HOMEWARD_CGPIO_H
#define HOMEWARD_CGPIO_H

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The layout that the reader of events counts on.
_Static_assert(sizeof(struct gpio_v2_line_event) == 48 &&
                   offsetof(struct gpio_v2_line_event, id) == 8 &&
                   offsetof(struct gpio_v2_line_event, line_seqno) == 20,
               "gpio_v2_line_event");

#pragma clang assume_nonnull begin

typedef enum {
  CGPIO_BIAS_AS_IS,
  CGPIO_BIAS_PULL_UP,
  CGPIO_BIAS_PULL_DOWN,
  CGPIO_BIAS_DISABLED,
} cgpio_bias;

/// What a line is asked for as.
typedef struct {
  uint32_t offset;
  bool is_active_low;
  cgpio_bias bias;
  /// An input without either edge is read only when it is asked.
  bool reports_rising, reports_falling;
  /// How long a level has to last before its edge is reported; 0 for no time.
  uint32_t debounce_microseconds;
  /// How many events the kernel keeps: it takes 16 for 0, and 1024 for more.
  uint32_t event_count_max;
  /// Whether it is an output, and what it is from its first moment on.
  bool is_output, is_active;
} cgpio_request;

/// Copies the label of a chip, 32 bytes with NULs at the end; returns how many lines it has, or -1.
static inline int64_t cgpio_chip_info(int chip, uint8_t *label) {
  struct gpiochip_info info = {0};
  if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) < 0) return -1;
  memcpy(label, info.label, GPIO_MAX_NAME_SIZE);
  return info.lines;
}

/// Copies the name of a line, and that by which a program asked for it: 32 bytes each, with NULs at
/// the end. Returns 1 where a program or a driver has the line, 0 where it is free, or -1.
static inline int cgpio_line_info(int chip, uint32_t offset, uint8_t *name, uint8_t *consumer) {
  struct gpio_v2_line_info info = {.offset = offset};
  if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) return -1;
  memcpy(name, info.name, GPIO_MAX_NAME_SIZE);
  memcpy(consumer, info.consumer, GPIO_MAX_NAME_SIZE);
  return info.flags & GPIO_V2_LINE_FLAG_USED ? 1 : 0;
}

static inline uint64_t cgpio_flags(const cgpio_request *wanted) {
  uint64_t flags = wanted->is_output ? GPIO_V2_LINE_FLAG_OUTPUT : GPIO_V2_LINE_FLAG_INPUT;
  if (wanted->is_active_low) flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  if (wanted->reports_rising) flags |= GPIO_V2_LINE_FLAG_EDGE_RISING;
  if (wanted->reports_falling) flags |= GPIO_V2_LINE_FLAG_EDGE_FALLING;
  switch (wanted->bias) {
    case CGPIO_BIAS_AS_IS: return flags;
    case CGPIO_BIAS_PULL_UP: return flags | GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
    case CGPIO_BIAS_PULL_DOWN: return flags | GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
    case CGPIO_BIAS_DISABLED: return flags | GPIO_V2_LINE_FLAG_BIAS_DISABLED;
  }
  return flags;
}

static inline void cgpio_add_attribute(struct gpio_v2_line_config *config,
                                       struct gpio_v2_line_attribute attribute) {
  config->attrs[config->num_attrs].attr = attribute;
  config->attrs[config->num_attrs].mask = 1;
  config->num_attrs++;
}

/// Asks for a line. Returns a descriptor of the caller's own, which is read without blocking, holds
/// the line until it is closed, and does not need the chip's any more; or -1.
static inline int cgpio_request_line(int chip, const cgpio_request *wanted, const char *consumer) {
  struct gpio_v2_line_request request = {
      .offsets = {wanted->offset},
      .num_lines = 1,
      .event_buffer_size = wanted->event_count_max,
      .config.flags = cgpio_flags(wanted),
  };
  strncpy(request.consumer, consumer, sizeof request.consumer - 1);
  if (wanted->debounce_microseconds)
    cgpio_add_attribute(&request.config, (struct gpio_v2_line_attribute){
                                             .id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE,
                                             .debounce_period_us = wanted->debounce_microseconds});
  if (wanted->is_output)
    cgpio_add_attribute(&request.config,
                        (struct gpio_v2_line_attribute){.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES,
                                                        .values = wanted->is_active});
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return -1;
  int flags = fcntl(request.fd, F_GETFL);
  if (flags >= 0 && fcntl(request.fd, F_SETFL, flags | O_NONBLOCK) >= 0) return request.fd;
  int error = errno;
  close(request.fd);
  errno = error;
  return -1;
}

/// 1 while the line is active, 0 while it is not, or -1.
static inline int cgpio_level(int line) {
  struct gpio_v2_line_values values = {.mask = 1};
  if (ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return -1;
  return values.bits & 1;
}

/// Makes an output active or not; returns 0, or -1.
static inline int cgpio_set_level(int line, bool is_active) {
  struct gpio_v2_line_values values = {.mask = 1, .bits = is_active};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0 ? -1 : 0;
}

#pragma clang assume_nonnull end
#endif
