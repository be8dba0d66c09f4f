// SPDX-License-Identifier: GPL-2.0
/*
 * one_wire_bench: a 1-Wire bus without wires, with two virtual DS18B20 thermometers.
 *
 * The kernel's own `wire` and `w1_therm` drive it as they drive a bus master on USB, which also
 * moves whole bytes and searches by itself. What happens on the bus stands in the parameters, one
 * value for each thermometer, and may be changed at any time in /sys/module/one_wire_bench:
 *
 *   millidegrees     the temperature that the next conversion measures
 *   absent           1: the thermometer is unplugged
 *   wrong_checksum   1: the last byte of its scratchpad is damaged
 *   lost_power       1: it restarts before a conversion ends, which leaves 85 degrees
 *
 * SPDX says the licence of this file: the GNU General Public License, version 2. The kernel
 * exports the functions of 1-Wire to modules under this licence only.
 */
#include <asm/unaligned.h>
#include <linux/module.h>
#include <linux/w1.h>

enum {
  thermometers = 2,
  family = 0x28,         // of a DS18B20
  scratchpad_bytes = 9,  // temperature (2), alarms (2), configuration, reserved (3), checksum
  configuration = 4,
};

// What the kernel's w1_internal.h calls them, a file that Debian does not ship.
enum {
  read_rom = 0x33,
  match_rom = 0x55,
  skip_rom = 0xcc,
  convert = 0x44,
  write_scratchpad = 0x4e,
  read_scratchpad = 0xbe,
  search_alarms = 0xec,
};

static int millidegrees[thermometers] = {20000, 4000};
static bool absent[thermometers], wrong_checksum[thermometers], lost_power[thermometers];
module_param_array(millidegrees, int, NULL, 0644);
module_param_array(absent, bool, NULL, 0644);
module_param_array(wrong_checksum, bool, NULL, 0644);
module_param_array(lost_power, bool, NULL, 0644);

static struct thermometer {
  u8 rom[8];
  u8 scratchpad[scratchpad_bytes];
  bool listens;  // it was there at the last reset, and the master addressed it since
} bus[thermometers];

// All thermometers hear the same bytes, so the bus has one state.
static enum { ROM_COMMAND, ADDRESS, COMMAND, SETTINGS, READS_ROM, READS_SCRATCHPAD, IDLE } state;
static unsigned position;  // of the next byte, in the states that count

static void measure(struct thermometer *one, int index) {
  static const s16 at_power_up = 85 * 16;
  unsigned unused_bits = 3 - (one->scratchpad[configuration] >> 5 & 3);
  s16 sixteenths = DIV_ROUND_CLOSEST(millidegrees[index] * 2, 125);
  sixteenths = lost_power[index] ? at_power_up : sixteenths & ~((1 << unused_bits) - 1);
  put_unaligned_le16(sixteenths, one->scratchpad);
}

static void sign(struct thermometer *one, int index) {
  u8 checksum = w1_calc_crc8(one->scratchpad, scratchpad_bytes - 1);
  one->scratchpad[scratchpad_bytes - 1] = wrong_checksum[index] ? (u8)~checksum : checksum;
}

static void rom_command(u8 byte) {
  state = byte == match_rom  ? ADDRESS
          : byte == skip_rom ? COMMAND
          : byte == read_rom ? READS_ROM
                             : IDLE;
}

static void command(u8 byte) {
  int index;
  state = byte == write_scratchpad ? SETTINGS : byte == read_scratchpad ? READS_SCRATCHPAD : IDLE;
  for (index = 0; index < thermometers; index++) {
    struct thermometer *one = &bus[index];
    if (!one->listens) continue;
    if (byte == convert) measure(one, index);
    if (byte == read_scratchpad) sign(one, index);
  }
}

// One byte of an address or of the settings, for each thermometer that listens.
static void take(u8 byte) {
  int index;
  for (index = 0; index < thermometers; index++) {
    struct thermometer *one = &bus[index];
    if (!one->listens) continue;
    if (state == ADDRESS) one->listens = one->rom[position] == byte;
    if (state == SETTINGS) one->scratchpad[2 + position] = byte;
  }
  position++;
  if (state == ADDRESS && position == sizeof bus->rom) {
    state = COMMAND;
    position = 0;
  } else if (state == SETTINGS && position == 3) {
    state = IDLE;
  }
}

static void write_byte(void *data, u8 byte) {
  switch (state) {
    case ROM_COMMAND: rom_command(byte); break;
    case COMMAND: command(byte); break;
    case ADDRESS:
    case SETTINGS: take(byte); break;
    default: break;
  }
}

// A bus that no thermometer pulls down reads as ones.
static u8 read_byte(void *data) {
  u8 byte = 0xff;
  int index;
  for (index = 0; index < thermometers; index++) {
    struct thermometer *one = &bus[index];
    if (!one->listens) continue;
    if (state == READS_ROM && position < sizeof one->rom) byte &= one->rom[position];
    if (state == READS_SCRATCHPAD && position < scratchpad_bytes)
      byte &= one->scratchpad[position];
  }
  position++;
  return byte;
}

// Single bits are only asked for: 1 means "the conversion is done" and "I have a supply".
static u8 touch_bit(void *data, u8 bit) { return bit; }

// 0 where a thermometer answers.
static u8 reset_bus(void *data) {
  u8 silence = 1;
  int index;
  for (index = 0; index < thermometers; index++) {
    bus[index].listens = !absent[index];
    if (bus[index].listens) silence = 0;
  }
  state = ROM_COMMAND;
  position = 0;
  return silence;
}

static void search(void *data, struct w1_master *master, u8 kind, w1_slave_found_callback found) {
  int index;
  for (index = 0; kind != search_alarms && index < thermometers; index++)
    if (!absent[index]) found(master, get_unaligned_le64(bus[index].rom));
}

static struct w1_bus_master master = {
  .read_byte = read_byte,
  .write_byte = write_byte,
  .touch_bit = touch_bit,
  .reset_bus = reset_bus,
  .search = search,
};

static int __init plug_in(void) {
  // Temperature, alarms, 12 bits, and what stands in the reserved bytes.
  static const u8 fresh[] = {0x50, 0x05, 0x4b, 0x46, 0x7f, 0xff, 0x0c, 0x10};
  int index;
  for (index = 0; index < thermometers; index++) {
    struct thermometer *one = &bus[index];
    one->rom[0] = family;
    one->rom[1] = index + 1;
    one->rom[7] = w1_calc_crc8(one->rom, 7);
    memcpy(one->scratchpad, fresh, sizeof fresh);
  }
  return w1_add_master_device(&master);
}

static void __exit unplug(void) { w1_remove_master_device(&master); }

module_init(plug_in);
module_exit(unplug);
MODULE_DESCRIPTION("A 1-Wire bus with virtual DS18B20 thermometers");
MODULE_LICENSE("GPL");
