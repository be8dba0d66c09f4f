# shellcheck shell=bash
# The kernel's own example of an Industrial IO device.

bench() { device_named bench /sys/bus/iio/devices/*; }
channel() { cat "$(bench)/$1"; }

channel_follows() {
  play-converter in_steps_input=7
  is 7 "$(channel in_steps_input)"
  play-converter in_steps_input=12000
  is 12000 "$(channel in_steps_input)"
}

is_gone_and_back() {
  play-converter gone
  is no "$(whether bench)"
  play-converter back
  # Its voltage is always the same.
  is '73 7 0.001333' \
    "$(channel in_voltage0_raw) $(channel in_voltage0_offset) $(channel in_voltage0_scale)"
}

check "a channel has the value that the world gives it" channel_follows
check "the device is unplugged, and back" is_gone_and_back
