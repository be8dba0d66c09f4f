#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "fakegpiod.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fakegpiod {
  struct fakegpiod *next;
  char path[128], label[32], name[32], source[128], holder[32];
  unsigned int offset;
  int level, refusal, open_error;
  bool is_requested, has_left, is_removed;
  int events[2];  // What the line is read from, and what the test writes to.
};

// Tests run side by side, each with chips of its own; only the list is shared.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fakegpiod *chips;

fakegpiod *fakegpiod_add(const char *path, const char *label, const char *name,
                         unsigned int offset) {
  struct fakegpiod *chip = calloc(1, sizeof *chip);
  strncpy(chip->path, path, sizeof chip->path - 1);
  strncpy(chip->label, label, sizeof chip->label - 1);
  strncpy(chip->name, name, sizeof chip->name - 1);
  chip->offset = offset;
  chip->events[0] = chip->events[1] = -1;
  pthread_mutex_lock(&lock);
  chip->next = chips;
  chips = chip;
  pthread_mutex_unlock(&lock);
  return chip;
}

void fakegpiod_hang_up(fakegpiod *chip) {
  chip->has_left = true;
  if (chip->events[1] >= 0) close(chip->events[1]);
  chip->events[1] = -1;
}

void fakegpiod_remove(fakegpiod *chip) {
  pthread_mutex_lock(&lock);
  struct fakegpiod **link = &chips;
  while (*link != chip) link = &(*link)->next;
  *link = chip->next;
  pthread_mutex_unlock(&lock);
  fakegpiod_hang_up(chip);
  chip->is_removed = true;
  if (!chip->is_requested) free(chip);
}

void fakegpiod_set_level(fakegpiod *chip, int level) { chip->level = level; }
void fakegpiod_set_refusal(fakegpiod *chip, int error) { chip->refusal = error; }

void fakegpiod_set_holder(fakegpiod *chip, const char *name) {
  strncpy(chip->holder, name, sizeof chip->holder - 1);
}

void fakegpiod_set_open_error(fakegpiod *chip, int error) { chip->open_error = error; }

void fakegpiod_set_source(fakegpiod *chip, const char *path) {
  strncpy(chip->source, path, sizeof chip->source - 1);
}

int fakegpiod_write(fakegpiod *chip, const void *bytes, size_t count) {
  return write(chip->events[1], bytes, count) == (ssize_t)count;
}

// Preloaded into a program that knows nothing of this, with
// FAKEGPIOD="/dev/gpiochip0 pinctrl-fake GPIO17 17 pump": a chip, its line, and who holds that.
__attribute__((constructor)) static void add_preloaded(void) {
  const char *text = getenv("FAKEGPIOD");
  char path[128], label[32], name[32], holder[32] = "";
  unsigned int offset;
  if (!text || sscanf(text, "%127s %31s %31s %u %31s", path, label, name, &offset, holder) < 4)
    return;
  fakegpiod_set_holder(fakegpiod_add(path, label, name, offset), holder);
}

// Where the events of a line come from: a pipe, or what the source names.
static int open_events(struct fakegpiod *chip) {
  if (!*chip->source) return pipe2(chip->events, O_CLOEXEC);
  chip->events[0] = open(chip->source, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return chip->events[0] < 0 ? -1 : 0;
}

// The handles of the library are all the fake itself.
static struct fakegpiod *fake(const void *handle) { return (struct fakegpiod *)handle; }

static void *request(struct fakegpiod *chip, unsigned int offset, const char *consumer) {
  int error = chip->refusal;
  if (chip->has_left || offset != chip->offset) error = EINVAL;
  if (!consumer || strcmp(consumer, "homeward") != 0) error = EINVAL;
  if (chip->is_requested || *chip->holder) error = EBUSY;
  if (!error && open_events(chip) < 0) error = errno;
  errno = error;
  if (error) return NULL;
  chip->is_requested = true;
  return chip;
}

static void release(struct fakegpiod *chip) {
  for (int end = 0; end < 2; end++)
    if (chip->events[end] >= 0) close(chip->events[end]);
  chip->events[0] = chip->events[1] = -1;
  chip->is_requested = false;
  if (chip->is_removed) free(chip);
}

static const char *consumer(const struct fakegpiod *chip) {
  if (chip->is_requested) return "homeward";
  return *chip->holder ? chip->holder : NULL;
}

static int level(const struct fakegpiod *chip) {
  if (!chip->has_left) return chip->level;
  errno = ENODEV;
  return -1;
}

struct gpiod_chip *gpiod_chip_open(const char *path) {
  pthread_mutex_lock(&lock);
  struct fakegpiod *chip = chips;
  while (chip && strcmp(chip->path, path) != 0) chip = chip->next;
  pthread_mutex_unlock(&lock);
  if (chip && chip->open_error) {
    errno = chip->open_error;
    return NULL;
  }
  if (chip && !chip->has_left) return (struct gpiod_chip *)chip;
  errno = access(path, F_OK) == 0 ? ENOTTY : ENOENT;
  return NULL;
}
void gpiod_chip_close(struct gpiod_chip *chip) { (void)chip; }

static struct fakegpiod *chip_of_device(int descriptor) {
  struct stat device, file;
  if (fstat(descriptor, &device) < 0) return NULL;
  pthread_mutex_lock(&lock);
  struct fakegpiod *chip = chips;
  while (chip && (stat(chip->path, &file) < 0 || file.st_dev != device.st_dev ||
                  file.st_ino != device.st_ino))
    chip = chip->next;
  pthread_mutex_unlock(&lock);
  return chip;
}

// The kernel's own question for the name of a line. All others are for the kernel.
int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  struct fakegpiod *chip =
      request == GPIO_V2_GET_LINEINFO_IOCTL ? chip_of_device(descriptor) : NULL;
  if (!chip) return (int)syscall(SYS_ioctl, descriptor, request, argument);
  struct gpio_v2_line_info *line = argument;
  if (line->offset > chip->offset) {
    errno = EINVAL;
    return -1;
  }
  memset(line->name, 0, sizeof line->name);
  if (line->offset == chip->offset) memcpy(line->name, chip->name, sizeof chip->name);
  return 0;
}

#ifdef GPIOD_LINE_BULK_INITIALIZER
const char *gpiod_chip_label(struct gpiod_chip *chip) { return fake(chip)->label; }
unsigned int gpiod_chip_num_lines(struct gpiod_chip *chip) { return fake(chip)->offset + 1; }
struct gpiod_line *gpiod_chip_find_line(struct gpiod_chip *chip, const char *name) {
  if (strcmp(fake(chip)->name, name) == 0) return (struct gpiod_line *)chip;
  errno = ENOENT;
  return NULL;
}
struct gpiod_line *gpiod_chip_get_line(struct gpiod_chip *chip, unsigned int offset) {
  if (offset == fake(chip)->offset) return (struct gpiod_line *)chip;
  errno = EINVAL;
  return NULL;
}
unsigned int gpiod_line_offset(struct gpiod_line *line) { return fake(line)->offset; }
int gpiod_line_request(struct gpiod_line *line, const struct gpiod_line_request_config *config,
                       int default_value) {
  (void)default_value;
  return request(fake(line), fake(line)->offset, config->consumer) ? 0 : -1;
}
void gpiod_line_release(struct gpiod_line *line) { release(fake(line)); }
int gpiod_line_get_value(struct gpiod_line *line) { return level(fake(line)); }
const char *gpiod_line_consumer(struct gpiod_line *line) { return consumer(fake(line)); }
int gpiod_line_event_get_fd(struct gpiod_line *line) { return fake(line)->events[0]; }
#else
struct gpiod_request_config {
  const char *consumer;
};
struct gpiod_line_config {
  unsigned int offset;
};

struct gpiod_chip_info *gpiod_chip_get_info(struct gpiod_chip *chip) {
  return (struct gpiod_chip_info *)chip;
}
void gpiod_chip_info_free(struct gpiod_chip_info *info) { (void)info; }
const char *gpiod_chip_info_get_label(struct gpiod_chip_info *info) { return fake(info)->label; }
size_t gpiod_chip_info_get_num_lines(struct gpiod_chip_info *info) {
  return fake(info)->offset + 1;
}
int gpiod_chip_get_line_offset_from_name(struct gpiod_chip *chip, const char *name) {
  if (strcmp(fake(chip)->name, name) == 0) return (int)fake(chip)->offset;
  errno = ENOENT;
  return -1;
}

struct gpiod_line_info *gpiod_chip_get_line_info(struct gpiod_chip *chip, unsigned int offset) {
  if (offset == fake(chip)->offset) return (struct gpiod_line_info *)chip;
  errno = EINVAL;
  return NULL;
}
void gpiod_line_info_free(struct gpiod_line_info *info) { (void)info; }
const char *gpiod_line_info_get_consumer(struct gpiod_line_info *info) {
  return consumer(fake(info));
}

struct gpiod_line_settings *gpiod_line_settings_new(void) { return calloc(1, 1); }
void gpiod_line_settings_free(struct gpiod_line_settings *settings) { free(settings); }
int gpiod_line_settings_set_direction(struct gpiod_line_settings *settings,
                                      enum gpiod_line_direction direction) {
  (void)settings;
  return direction == GPIOD_LINE_DIRECTION_INPUT ? 0 : -1;
}
int gpiod_line_settings_set_edge_detection(struct gpiod_line_settings *settings,
                                           enum gpiod_line_edge edge) {
  (void)settings;
  return edge == GPIOD_LINE_EDGE_BOTH ? 0 : -1;
}
int gpiod_line_settings_set_bias(struct gpiod_line_settings *settings,
                                 enum gpiod_line_bias bias) {
  (void)settings, (void)bias;
  return 0;
}
void gpiod_line_settings_set_active_low(struct gpiod_line_settings *settings, bool active_low) {
  (void)settings, (void)active_low;
}
struct gpiod_line_config *gpiod_line_config_new(void) {
  return calloc(1, sizeof(struct gpiod_line_config));
}
void gpiod_line_config_free(struct gpiod_line_config *config) { free(config); }
int gpiod_line_config_add_line_settings(struct gpiod_line_config *config,
                                        const unsigned int *offsets, size_t count,
                                        struct gpiod_line_settings *settings) {
  (void)settings;
  config->offset = offsets[0];
  return count == 1 ? 0 : -1;
}
struct gpiod_request_config *gpiod_request_config_new(void) {
  return calloc(1, sizeof(struct gpiod_request_config));
}
void gpiod_request_config_free(struct gpiod_request_config *config) { free(config); }
void gpiod_request_config_set_consumer(struct gpiod_request_config *config,
                                       const char *consumer) {
  config->consumer = consumer;
}
struct gpiod_line_request *gpiod_chip_request_lines(struct gpiod_chip *chip,
                                                    struct gpiod_request_config *request_config,
                                                    struct gpiod_line_config *line_config) {
  return request(fake(chip), line_config->offset, request_config->consumer);
}
void gpiod_line_request_release(struct gpiod_line_request *request) { release(fake(request)); }
enum gpiod_line_value gpiod_line_request_get_value(struct gpiod_line_request *request,
                                                   unsigned int offset) {
  (void)offset;
  return (enum gpiod_line_value)level(fake(request));
}
int gpiod_line_request_get_fd(struct gpiod_line_request *request) {
  return fake(request)->events[0];
}
#endif
