// libgpiod's chips and lines (version 2): nullability ends here, and what libgpiod asks for in
// several steps is one call. Functions that fail return NULL or -1 and leave `errno` as libgpiod
// set it.
#ifndef HOMEWARD_CGPIOD_H
#define HOMEWARD_CGPIOD_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Debian 12 itself has version 1: deploy/lib/needs.sh unpacks version 2.
#if __has_include("../../libgpiod/gpiod.h")
#include "../../libgpiod/gpiod.h"
#else
#include <gpiod.h>
#endif
#ifdef GPIOD_LINE_BULK_MAX_LINES
#error "This is version 1 of libgpiod; deploy/build gets version 2."
#endif

#pragma clang assume_nonnull begin

/// `GPIO_MAX_NAME_SIZE` of linux/gpio.h, with the NUL.
enum { CGPIOD_NAME_BYTE_COUNT = 32 };

/// Settings of a line that is requested.
typedef struct {
  uint32_t offset;
  bool is_active_low;
  enum gpiod_line_bias bias;
  /// An input without either edge is read only when it is asked.
  bool reports_rising, reports_falling;
  /// Minimum duration of a level whose edge is reported; 0 for no time.
  uint32_t debounce_microseconds;
  /// Number of events that the kernel keeps, up to 1024, and of those that one read returns.
  uint32_t event_count_max, read_count_max;
  /// Whether it is an output, and its level from the first moment on.
  bool is_output, is_active;
} cgpiod_settings;

/// A line that the program holds, and the memory for its events; none of an output.
typedef struct {
  struct gpiod_line_request *_Nullable request;
  struct gpiod_edge_event_buffer *_Nullable events;
  uint32_t offset;
} cgpiod_line;

/// An edge; `timestamp` is in nanoseconds of `CLOCK_MONOTONIC`.
typedef struct {
  uint64_t timestamp;
  uint32_t line_sequence;
  bool is_rising;
} cgpiod_event;

// MARK: Chips

/// Opens a chip; `errno` is ENOTTY or ENODEV if the path is of something else.
static inline struct gpiod_chip *_Nullable cgpiod_open_chip(const char *path) {
  return gpiod_chip_open(path);
}
static inline void cgpiod_close_chip(struct gpiod_chip *chip) { gpiod_chip_close(chip); }

/// Copies a text of at most `CGPIOD_NAME_BYTE_COUNT` bytes, with NULs up to there.
static inline void cgpiod_copy_name(uint8_t *name, const char *_Nullable text) {
  strncpy((char *)name, text ? text : "", CGPIOD_NAME_BYTE_COUNT);
}

/// Copies the label of a chip; returns the number of its lines, or -1.
static inline int64_t cgpiod_chip_info(struct gpiod_chip *chip, uint8_t *label) {
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return -1;
  cgpiod_copy_name(label, gpiod_chip_info_get_label(info));
  int64_t line_count = (int64_t)gpiod_chip_info_get_num_lines(info);
  gpiod_chip_info_free(info);
  return line_count;
}

/// Copies the name of a line, and that with which its holder requested it. Returns 1 if a program
/// or a driver holds the line, 0 if it is free, or -1.
static inline int cgpiod_line_info(struct gpiod_chip *chip, uint32_t offset, uint8_t *name,
                                   uint8_t *consumer) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, offset);
  if (!info) return -1;
  cgpiod_copy_name(name, gpiod_line_info_get_name(info));
  cgpiod_copy_name(consumer, gpiod_line_info_get_consumer(info));
  int is_used = gpiod_line_info_is_used(info);
  gpiod_line_info_free(info);
  return is_used;
}

// MARK: Requests

static inline enum gpiod_line_edge cgpiod_line_edge(cgpiod_settings wanted) {
  if (wanted.reports_rising)
    return wanted.reports_falling ? GPIOD_LINE_EDGE_BOTH : GPIOD_LINE_EDGE_RISING;
  return wanted.reports_falling ? GPIOD_LINE_EDGE_FALLING : GPIOD_LINE_EDGE_NONE;
}

static inline void cgpiod_apply(struct gpiod_line_settings *settings,
                                cgpiod_settings wanted) {
  gpiod_line_settings_set_direction(
      settings, wanted.is_output ? GPIOD_LINE_DIRECTION_OUTPUT : GPIOD_LINE_DIRECTION_INPUT);
  gpiod_line_settings_set_output_value(
      settings, wanted.is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
  gpiod_line_settings_set_edge_detection(settings, cgpiod_line_edge(wanted));
  gpiod_line_settings_set_debounce_period_us(settings, wanted.debounce_microseconds);
  gpiod_line_settings_set_bias(settings, wanted.bias);
  gpiod_line_settings_set_active_low(settings, wanted.is_active_low);
}

static inline struct gpiod_line_request *_Nullable cgpiod_request(struct gpiod_chip *chip,
                                                                  cgpiod_settings wanted,
                                                                  const char *consumer) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *config = gpiod_request_config_new();
  struct gpiod_line_request *request = NULL;
  unsigned int offset = wanted.offset;
  if (settings && lines && config) {
    cgpiod_apply(settings, wanted);
    gpiod_request_config_set_consumer(config, consumer);
    gpiod_request_config_set_event_buffer_size(config, wanted.event_count_max);
    if (gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0)
      request = gpiod_chip_request_lines(chip, config, lines);
  }
  int error = errno;
  gpiod_request_config_free(config);
  gpiod_line_config_free(lines);
  gpiod_line_settings_free(settings);
  errno = error;
  return request;
}

/// Returns the line to the kernel.
static inline void cgpiod_release(cgpiod_line line) {
  if (line.events) gpiod_edge_event_buffer_free(line.events);
  if (line.request) gpiod_line_request_release(line.request);
}

/// Requests a line, whose events are read without blocking. It is held until `cgpiod_release`, and
/// the chip may be closed before. The result has no request if that failed.
static inline cgpiod_line cgpiod_request_line(struct gpiod_chip *chip, cgpiod_settings wanted,
                                              const char *consumer) {
  cgpiod_line line = {.request = cgpiod_request(chip, wanted, consumer), .offset = wanted.offset};
  if (!line.request) return line;
  int descriptor = gpiod_line_request_get_fd(line.request);
  int flags = fcntl(descriptor, F_GETFL);
  bool is_ready = flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0;
  if (is_ready && wanted.read_count_max)
    is_ready = (line.events = gpiod_edge_event_buffer_new(wanted.read_count_max)) != NULL;
  if (is_ready) return line;
  int error = errno;
  cgpiod_release(line);
  errno = error;
  return (cgpiod_line){.offset = wanted.offset};
}

/// The descriptor that is ready when there are events; it stays the request's.
static inline int cgpiod_descriptor(cgpiod_line line) {
  return gpiod_line_request_get_fd(line.request);
}

// MARK: Levels and events

/// Returns 1 while the line is active, 0 while it is not, or -1.
static inline int cgpiod_level(cgpiod_line line) {
  return gpiod_line_request_get_value(line.request, line.offset);
}

/// Makes an output active or not; returns 0, or -1.
static inline int cgpiod_set_level(cgpiod_line line, bool is_active) {
  return gpiod_line_request_set_value(
      line.request, line.offset, is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

/// Reads events into the memory of the line; returns their number, or -1. `errno` is EAGAIN without
/// any, and EIO if there was less than one.
static inline int cgpiod_read_events(cgpiod_line line) {
  return gpiod_line_request_read_edge_events(line.request, line.events,
                                             gpiod_edge_event_buffer_get_capacity(line.events));
}

/// Returns an event of the last read. libgpiod calls every kind but rising falling.
static inline cgpiod_event cgpiod_event_at(cgpiod_line line, int index) {
  struct gpiod_edge_event *event =
      gpiod_edge_event_buffer_get_event(line.events, (unsigned long)index);
  return (cgpiod_event){
      .timestamp = gpiod_edge_event_get_timestamp_ns(event),
      .line_sequence = (uint32_t)gpiod_edge_event_get_line_seqno(event),
      .is_rising = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
  };
}

#pragma clang assume_nonnull end
#endif
