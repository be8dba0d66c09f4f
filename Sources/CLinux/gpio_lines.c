// What the kernel says of GPIO chips and their lines, without a library: it is only read.
#define _GNU_SOURCE 1
#include "clinux.h"

#include <linux/gpio.h>

_Static_assert(sizeof((struct gpiochip_info){0}.label) == clinux_gpio_name_size, "label");
_Static_assert(GPIO_MAX_NAME_SIZE == clinux_gpio_name_size, "name");

int clinux_gpio_chip(int device, uint8_t *label, uint32_t *line_count) {
  struct gpiochip_info chip = {0};
  int result = ioctl(device, GPIO_GET_CHIPINFO_IOCTL, &chip);
  if (result < 0) return result;
  memcpy(label, chip.label, clinux_gpio_name_size);
  *line_count = chip.lines;
  return 0;
}

int clinux_gpio_line(int device, uint32_t offset, uint8_t *name, uint8_t *consumer) {
  struct gpio_v2_line_info line = {.offset = offset};
  int result = ioctl(device, GPIO_V2_GET_LINEINFO_IOCTL, &line);
  if (result < 0) return result;
  memcpy(name, line.name, clinux_gpio_name_size);
  memcpy(consumer, line.consumer, clinux_gpio_name_size);
  return line.flags & GPIO_V2_LINE_FLAG_USED ? 1 : 0;
}
