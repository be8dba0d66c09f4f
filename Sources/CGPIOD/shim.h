// One GPIO input line behind one set of functions, whether libgpiod is version 1 (Debian 12) or
// version 2 (Debian 13). Functions that fail return NULL or -1 and leave `errno` as it was set.
#ifndef HOMEWARD_CGPIOD_H
#define HOMEWARD_CGPIOD_H

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <linux/gpio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

// libgpiod tells its version only at run time; the bulk macros left with version 1.
#ifdef GPIOD_LINE_BULK_INITIALIZER
#define CGPIOD_VERSION 1
typedef struct gpiod_line cgpiod_line;
#else
#define CGPIOD_VERSION 2
typedef struct gpiod_line_request cgpiod_line;
#endif

// Events are read from the descriptor itself, because both versions of the library make a falling
// edge of every id that they do not know. These are the layouts that the reader counts on.
_Static_assert(sizeof(struct gpioevent_data) == 16 && offsetof(struct gpioevent_data, id) == 8,
               "gpioevent_data");
_Static_assert(sizeof(struct gpio_v2_line_event) == 48 &&
                   offsetof(struct gpio_v2_line_event, id) == 8 &&
                   offsetof(struct gpio_v2_line_event, line_seqno) == 20,
               "gpio_v2_line_event");

#pragma clang assume_nonnull begin

typedef enum {
  CGPIOD_BIAS_AS_IS,
  CGPIOD_BIAS_PULL_UP,
  CGPIOD_BIAS_PULL_DOWN,
  CGPIOD_BIAS_DISABLED,
} cgpiod_bias;

/// Which layout the events of a line have: 1 for `gpioevent_data`, 2 for `gpio_v2_line_event`.
static inline int cgpiod_event_version(void) { return CGPIOD_VERSION; }

static inline struct gpiod_chip *_Nullable cgpiod_chip_open(const char *path) {
  return gpiod_chip_open(path);
}
static inline void cgpiod_chip_close(struct gpiod_chip *chip) { gpiod_chip_close(chip); }

static inline bool cgpiod_chip_has_label(struct gpiod_chip *chip, const char *label) {
#if CGPIOD_VERSION == 1
  return strcmp(gpiod_chip_label(chip), label) == 0;
#else
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return false;
  bool is_equal = strcmp(gpiod_chip_info_get_label(info), label) == 0;
  gpiod_chip_info_free(info);
  return is_equal;
#endif
}

static inline bool cgpiod_chip_has_line(struct gpiod_chip *chip, uint32_t offset) {
#if CGPIOD_VERSION == 1
  return offset < gpiod_chip_num_lines(chip);
#else
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return false;
  bool has_line = offset < gpiod_chip_info_get_num_lines(info);
  gpiod_chip_info_free(info);
  return has_line;
#endif
}

/// The offset of the first line of that name, or -1.
static inline int cgpiod_chip_find_line(struct gpiod_chip *chip, const char *name) {
#if CGPIOD_VERSION == 1
  struct gpiod_line *line = gpiod_chip_find_line(chip, name);
  return line ? (int)gpiod_line_offset(line) : -1;
#else
  return gpiod_chip_get_line_offset_from_name(chip, name);
#endif
}

/// Writes the name by which a program asked for the line, cut to `max` bytes; returns its length,
/// which is 0 where the line is free or its holder gave no name, or -1.
static inline int cgpiod_line_consumer(struct gpiod_chip *chip, uint32_t offset, void *bytes,
                                       size_t max) {
#if CGPIOD_VERSION == 1
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  const char *name = line ? gpiod_line_consumer(line) : NULL;
#else
  struct gpiod_line_info *line = gpiod_chip_get_line_info(chip, offset);
  const char *name = line ? gpiod_line_info_get_consumer(line) : NULL;
#endif
  size_t count = name ? strnlen(name, max) : 0;
  if (count) memcpy(bytes, name, count);
#if CGPIOD_VERSION == 2
  if (line) gpiod_line_info_free(line);
#endif
  return line ? (int)count : -1;
}

#if CGPIOD_VERSION == 2
static inline enum gpiod_line_bias cgpiod_line_bias(cgpiod_bias bias) {
  switch (bias) {
    case CGPIOD_BIAS_AS_IS: return GPIOD_LINE_BIAS_AS_IS;
    case CGPIOD_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case CGPIOD_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    case CGPIOD_BIAS_DISABLED: return GPIOD_LINE_BIAS_DISABLED;
  }
}
#else
static inline int cgpiod_line_flags(bool is_active_low, cgpiod_bias bias) {
  int flags = is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  switch (bias) {
    case CGPIOD_BIAS_AS_IS: return flags;
    case CGPIOD_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case CGPIOD_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    case CGPIOD_BIAS_DISABLED: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  }
}
#endif

/// Asks for a line as an input that reports both edges. It is ours until `cgpiod_line_release`,
/// which comes before its chip is closed.
static inline cgpiod_line *_Nullable cgpiod_line_request(struct gpiod_chip *chip, uint32_t offset,
                                                         bool is_active_low, cgpiod_bias bias,
                                                         const char *consumer) {
#if CGPIOD_VERSION == 1
  struct gpiod_line_request_config config = {
      .consumer = consumer,
      .request_type = GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
      .flags = cgpiod_line_flags(is_active_low, bias),
  };
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  if (!line || gpiod_line_request(line, &config, 0) < 0) return NULL;
  return line;
#else
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *line_config = gpiod_line_config_new();
  struct gpiod_request_config *request_config = gpiod_request_config_new();
  struct gpiod_line_request *request = NULL;
  if (settings && line_config && request_config) {
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_settings_set_bias(settings, cgpiod_line_bias(bias));
    gpiod_line_settings_set_active_low(settings, is_active_low);
    gpiod_request_config_set_consumer(request_config, consumer);
    unsigned int number = offset;
    if (gpiod_line_config_add_line_settings(line_config, &number, 1, settings) == 0)
      request = gpiod_chip_request_lines(chip, request_config, line_config);
  }
  int error = errno;
  gpiod_request_config_free(request_config);
  gpiod_line_config_free(line_config);
  gpiod_line_settings_free(settings);
  errno = error;
  return request;
#endif
}

static inline void cgpiod_line_release(cgpiod_line *line) {
#if CGPIOD_VERSION == 1
  gpiod_line_release(line);
#else
  gpiod_line_request_release(line);
#endif
}

/// 1 while the line is active, 0 while it is not, -1 when that cannot be told.
static inline int cgpiod_line_level(cgpiod_line *line, uint32_t offset) {
#if CGPIOD_VERSION == 1
  (void)offset;
  return gpiod_line_get_value(line);
#else
  switch (gpiod_line_request_get_value(line, offset)) {
    case GPIOD_LINE_VALUE_ACTIVE: return 1;
    case GPIOD_LINE_VALUE_INACTIVE: return 0;
    case GPIOD_LINE_VALUE_ERROR: return -1;
  }
  errno = EPROTO;
  return -1;
#endif
}

/// A descriptor of the caller's own that the events of the line are read from without blocking.
static inline int cgpiod_line_events(cgpiod_line *line) {
#if CGPIOD_VERSION == 1
  int events = gpiod_line_event_get_fd(line);
#else
  int events = gpiod_line_request_get_fd(line);
#endif
  if (events < 0) return -1;
  int flags = fcntl(events, F_GETFL);
  if (flags < 0 || fcntl(events, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
  return fcntl(events, F_DUPFD_CLOEXEC, 0);
}

/// Copies the name of a line, 32 bytes with NULs at the end, from the device of its chip; false
/// behind the last line.
static inline bool cgpiod_line_name(int device, uint32_t offset, uint8_t *name) {
  struct gpio_v2_line_info info = {.offset = offset};
  if (ioctl(device, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) return false;
  memcpy(name, info.name, GPIO_MAX_NAME_SIZE);
  return true;
}

#pragma clang assume_nonnull end
#endif
