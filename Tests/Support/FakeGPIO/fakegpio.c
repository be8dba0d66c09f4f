#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "fakegpio.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct fakegpio {
  struct fakegpio *next;
  char path[128], label[32], name[32], source[128], holder[32];
  int wire;      // The file that has the level as the only byte of it, or -1.
  const char *busy;  // While this file is there another program holds the line; or NULL.
  unsigned int offset, number;
  int level, refusal, open_error, info_error;
  bool has_left, is_shorted, refuses_debounce;
  int device;    // What every descriptor of the chip is a copy of.
  int line;      // The number of the descriptor that a program got for the line.
  int feed;      // Where the test writes events to.
  struct gpio_v2_line_request request;
  uint64_t flags;
  uint32_t debounce;
};

// Tests run side by side, each with chips of its own; only the list is shared. What was added stays
// in it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fakegpio *chips;

fakegpio *fakegpio_add(const char *path, const char *label, const char *name,
                       unsigned int offset) {
  struct fakegpio *chip = calloc(1, sizeof *chip);
  strncpy(chip->path, path, sizeof chip->path - 1);
  strncpy(chip->label, label, sizeof chip->label - 1);
  strncpy(chip->name, name, sizeof chip->name - 1);
  chip->offset = offset;
  chip->device = memfd_create("gpiochip", MFD_CLOEXEC);
  chip->line = chip->feed = chip->wire = -1;
  pthread_mutex_lock(&lock);
  chip->number = chips ? chips->number + 1 : 0;
  chip->next = chips;
  chips = chip;
  pthread_mutex_unlock(&lock);
  return chip;
}

void fakegpio_share_number(fakegpio *chip, fakegpio *other) { chip->number = other->number; }

void fakegpio_hang_up(fakegpio *chip) {
  chip->has_left = true;
  if (chip->feed >= 0) close(chip->feed);
  chip->feed = -1;
}

void fakegpio_remove(fakegpio *chip) {
  pthread_mutex_lock(&lock);
  chip->path[0] = 0;
  pthread_mutex_unlock(&lock);
  fakegpio_hang_up(chip);
  close(chip->device);
  chip->device = -1;
}

void fakegpio_set_level(fakegpio *chip, int level) { chip->level = level; }
int fakegpio_level(fakegpio *chip) { return chip->level; }
void fakegpio_short(fakegpio *chip) { chip->is_shorted = true; }
void fakegpio_set_refusal(fakegpio *chip, int error) { chip->refusal = error; }
void fakegpio_refuse_debounce(fakegpio *chip) { chip->refuses_debounce = true; }

void fakegpio_set_holder(fakegpio *chip, const char *name) {
  strncpy(chip->holder, name, sizeof chip->holder - 1);
}

void fakegpio_set_info_error(fakegpio *chip, int error) { chip->info_error = error; }
void fakegpio_set_open_error(fakegpio *chip, int error) { chip->open_error = error; }

void fakegpio_set_source(fakegpio *chip, const char *path) {
  strncpy(chip->source, path, sizeof chip->source - 1);
}

int fakegpio_write(fakegpio *chip, const void *bytes, size_t count) {
  return write(chip->feed, bytes, count) == (ssize_t)count;
}

int fakegpio_unread(fakegpio *chip) {
  int count = 0;
  return chip->feed >= 0 && ioctl(chip->feed, FIONREAD, &count) == 0 ? count : 0;
}

uint64_t fakegpio_flags(fakegpio *chip) { return chip->flags; }
uint32_t fakegpio_debounce_microseconds(fakegpio *chip) { return chip->debounce; }
uint32_t fakegpio_event_count_max(fakegpio *chip) { return chip->request.event_buffer_size; }

// Preloaded into a program that knows nothing of this, with
// FAKEGPIO="/dev/gpiochip0 pinctrl-fake GPIO17 17 pump": a chip, its line, and who holds that; more
// of them behind semicolons. With
// FAKEGPIO_WIRE=PATH the level is in that file, as a chip that keeps it when a program dies. With
// FAKEGPIO_BUSY=PATH another program holds the line while that file is there.
__attribute__((constructor)) static void add_preloaded(void) {
  const char *text = getenv("FAKEGPIO");
  char path[128], label[32], name[32], holder[32] = "";
  unsigned int offset;
  const char *more = text ? strchr(text, ';') : NULL;
  for (; more; text = more + 1, more = strchr(text, ';')) {
    if (sscanf(text, "%127s %31s %31s %u", path, label, name, &offset) < 4) return;
    fakegpio_add(path, label, name, offset);
  }
  if (!text || sscanf(text, "%127s %31s %31s %u %31s", path, label, name, &offset, holder) < 4)
    return;
  struct fakegpio *chip = fakegpio_add(path, label, name, offset);
  fakegpio_set_holder(chip, holder);
  chip->busy = getenv("FAKEGPIO_BUSY");
  const char *wire = getenv("FAKEGPIO_WIRE");
  if (!wire) return;
  char level = '0';
  chip->wire = (int)syscall(SYS_openat, AT_FDCWD, wire, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (pread(chip->wire, &level, 1, 0) == 1) chip->level = level == '1';
}

static void drive(struct fakegpio *chip, int level) {
  const char text = level ? '1' : '0';
  chip->level = level;
  if (chip->wire >= 0 && pwrite(chip->wire, &text, 1, 0) != 1) abort();
}

// MARK: Which chip is meant

static struct fakegpio *chip_at(const char *path) {
  pthread_mutex_lock(&lock);
  struct fakegpio *chip = chips;
  while (chip && strcmp(chip->path, path) != 0) chip = chip->next;
  pthread_mutex_unlock(&lock);
  return chip;
}

static struct fakegpio *chip_of_device(int descriptor) {
  struct stat device, known;
  if (fstat(descriptor, &device) < 0) return NULL;
  pthread_mutex_lock(&lock);
  struct fakegpio *chip = chips;
  while (chip && (chip->device < 0 || fstat(chip->device, &known) < 0 ||
                  known.st_dev != device.st_dev || known.st_ino != device.st_ino))
    chip = chip->next;
  pthread_mutex_unlock(&lock);
  return chip;
}

static struct fakegpio *chip_of_line(int descriptor) {
  pthread_mutex_lock(&lock);
  struct fakegpio *chip = chips;
  while (chip && chip->line != descriptor) chip = chip->next;
  pthread_mutex_unlock(&lock);
  return chip;
}

// The number of a line that was let go may be that of another one now.
static void give(struct fakegpio *chip, int descriptor) {
  pthread_mutex_lock(&lock);
  for (struct fakegpio *other = chips; other; other = other->next)
    if (other->line == descriptor) other->line = -1;
  chip->line = descriptor;
  pthread_mutex_unlock(&lock);
}

// MARK: What the kernel does

// Whether a program still holds the line: nothing else reads what the feed brings.
static bool is_held(const struct fakegpio *chip) {
  struct pollfd feed = {.fd = chip->feed};
  if (*chip->holder || (chip->busy && access(chip->busy, F_OK) == 0)) return true;
  return chip->feed >= 0 && poll(&feed, 1, 0) >= 0 && !(feed.revents & POLLERR);
}

// Where the events of a line come from: a pipe, or what the source names.
static int open_events(struct fakegpio *chip) {
  int ends[2];
  if (*chip->source)
    return (int)syscall(SYS_openat, AT_FDCWD, chip->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (chip->feed >= 0) close(chip->feed);
  chip->feed = -1;
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  // As much as the kernel keeps of a line at the most.
  fcntl(ends[1], F_SETPIPE_SZ, 64 * 1024);
  chip->feed = ends[1];
  return ends[0];
}

static int refuse(int error) {
  errno = error;
  return -1;
}

static int request_line(struct fakegpio *chip, struct gpio_v2_line_request *request) {
  uint64_t flags = request->config.flags;
  uint32_t debounce = 0;
  if (chip->has_left) return refuse(ENODEV);
  if (request->num_lines != 1 || request->offsets[0] != chip->offset) return refuse(EINVAL);
  if (strcmp(request->consumer, "homeward") != 0) return refuse(EINVAL);
  if (is_held(chip)) return refuse(EBUSY);
  if (chip->refusal) return refuse(chip->refusal);
  for (uint32_t index = 0; index < request->config.num_attrs; index++) {
    struct gpio_v2_line_attribute attribute = request->config.attrs[index].attr;
    if (request->config.attrs[index].mask != 1) return refuse(EINVAL);
    if (attribute.id == GPIO_V2_LINE_ATTR_ID_FLAGS) flags = attribute.flags;
    if (attribute.id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE) debounce = attribute.debounce_period_us;
    if (attribute.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES) drive(chip, attribute.values & 1);
  }
  if (debounce && chip->refuses_debounce) return refuse(EOPNOTSUPP);
  request->fd = open_events(chip);
  if (request->fd < 0) return -1;
  give(chip, request->fd);
  chip->request = *request;
  chip->flags = flags;
  chip->debounce = debounce;
  return 0;
}

static int tell_chip(const struct fakegpio *chip, struct gpiochip_info *info) {
  memset(info, 0, sizeof *info);
  memcpy(info->label, chip->label, sizeof chip->label);
  info->lines = chip->offset + 1;
  return 0;
}

static int tell_line(const struct fakegpio *chip, struct gpio_v2_line_info *info) {
  if (info->offset > chip->offset) return refuse(EINVAL);
  memset(info->name, 0, sizeof info->name);
  memset(info->consumer, 0, sizeof info->consumer);
  info->flags = 0;
  if (info->offset != chip->offset) return 0;
  if (chip->info_error) return refuse(chip->info_error);
  memcpy(info->name, chip->name, sizeof chip->name);
  if (is_held(chip)) info->flags = GPIO_V2_LINE_FLAG_USED;
  if (*chip->holder)
    memcpy(info->consumer, chip->holder, sizeof chip->holder);
  else if (is_held(chip))
    strcpy(info->consumer, "homeward");
  return 0;
}

static int tell_level(const struct fakegpio *chip, struct gpio_v2_line_values *values) {
  if (chip->has_left) return refuse(ENODEV);
  const uint64_t inverts = chip->flags & GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  values->bits = (chip->level & 1) ^ !!inverts;
  return 0;
}

static int take_level(struct fakegpio *chip, const struct gpio_v2_line_values *values) {
  if (chip->has_left) return refuse(ENODEV);
  if (!(chip->flags & GPIO_V2_LINE_FLAG_OUTPUT)) return refuse(EPERM);
  if (!chip->is_shorted) drive(chip, values->bits & 1);
  return 0;
}

// MARK: What takes the place of libc's

// libgpiod opens only a character device of the subsystem: it asks sysfs for that of its number,
// which no real device has.
enum { device_major = 0xFAC };

static int look_at(const char *path, struct stat *status, int flags) {
  struct fakegpio *chip = *path ? chip_at(path) : NULL;
  if (!chip) return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, flags);
  if (chip->has_left) return refuse(ENOENT);
  *status = (struct stat){.st_mode = S_IFCHR | 0600};
  status->st_rdev = makedev(device_major, chip->number);
  return 0;
}

int stat(const char *path, struct stat *status) { return look_at(path, status, 0); }
int lstat(const char *path, struct stat *status) {
  return look_at(path, status, AT_SYMLINK_NOFOLLOW);
}

char *realpath(const char *path, char *room) {
  char own[64];
  const int start = snprintf(own, sizeof own, "/sys/dev/char/%u:", device_major);
  const bool is_own = strncmp(path, own, (size_t)start) == 0;
  char *found = is_own ? strdup("/sys/bus/gpio") : canonicalize_file_name(path);
  if (!found || !room) return found;
  strcpy(room, found);
  free(found);
  return room;
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  struct fakegpio *chip = *path ? chip_at(path) : NULL;
  if (!chip) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (chip->open_error) return refuse(chip->open_error);
  return chip->has_left ? refuse(ENOENT) : fcntl(chip->device, F_DUPFD_CLOEXEC, 0);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  struct fakegpio *chip;
  // A number of 32 bits, which libgpiod extends by its sign.
  switch ((uint32_t)request) {
    case GPIO_GET_CHIPINFO_IOCTL:
      if ((chip = chip_of_device(descriptor))) return tell_chip(chip, argument);
      break;
    case GPIO_V2_GET_LINEINFO_IOCTL:
      if ((chip = chip_of_device(descriptor))) return tell_line(chip, argument);
      break;
    case GPIO_V2_GET_LINE_IOCTL:
      if ((chip = chip_of_device(descriptor))) return request_line(chip, argument);
      break;
    case GPIO_V2_LINE_GET_VALUES_IOCTL:
      if ((chip = chip_of_line(descriptor))) return tell_level(chip, argument);
      break;
    case GPIO_V2_LINE_SET_VALUES_IOCTL:
      if ((chip = chip_of_line(descriptor))) return take_level(chip, argument);
      break;
  }
  return (int)syscall(SYS_ioctl, descriptor, request, argument);
}
