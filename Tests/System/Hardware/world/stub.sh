# shellcheck shell=bash
# A chip on the bus of i2c-stub, which keeps registers and does nothing with them. Sourced with
# `chip` (its name and its address) set.
# shellcheck disable=SC2154

bus=$(grep --files-with-matches 'SMBus stub' /sys/bus/i2c/devices/i2c-*/name)
bus=${bus%/name}

# registers FIRST VALUE... MODE: writes them, as i2cset(8) has it.
registers() { i2cset -y -f "${bus##*-}" "${chip#* }" "$@"; }

# The kernel's driver loses the chip, and gets it.
unplug() { echo "${chip#* }" >"$bus/delete_device"; }
plug_in() { echo "$chip" >"$bus/new_device"; }
