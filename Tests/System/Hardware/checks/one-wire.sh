# shellcheck shell=bash
# DS18B20 thermometers. Each conversion takes the 0.75 s of a real one.

devices=/sys/bus/w1/devices
first=$devices/28-000000000001

degrees() { cat "$devices/28-00000000000$1/temperature"; }

temperature_follows() {
  play-one-wire 1 21500
  is 21500 "$(degrees 1)"
  play-one-wire 1 36625
  is 36625 "$(degrees 1)"
}

frost_is_negative() {
  play-one-wire 1 -10125
  is -10125 "$(degrees 1)"
}

each_has_its_own() {
  play-one-wire 1 5000
  play-one-wire 2 6000
  is '5000 6000' "$(degrees 1) $(degrees 2)"
}

old_file_follows() {
  play-one-wire 1 19250
  is t=19250 "$(grep --only-matching 't=.*' "$first/w1_slave")"
}

# empty_when_damaged FILE: success, and zero bytes.
empty_when_damaged() {
  local text
  play-one-wire 1 checksum=wrong
  text=$(cat "$first/$1" && echo .)
  play-one-wire 1 checksum=right
  is . "$text"
}

power_up_value_is_read() {
  play-one-wire 1 20000 power=lost
  is 85000 "$(degrees 1)"
  play-one-wire 1 power=kept
  is 20000 "$(degrees 1)"
}

thermometers() { find "$devices/" -name '28-*' | wc --lines; }

is_gone_and_back() {
  is 2 "$(thermometers)"
  play-one-wire 1 gone
  soon 1 thermometers
  is no "$(whether test -e "$first")"
  play-one-wire 1 7000 back
  soon 2 thermometers
  is 7000 "$(degrees 1)"
}

all_are_gone_and_back() {
  play-one-wire 1 gone
  play-one-wire 2 gone
  soon 0 thermometers
  play-one-wire 1 back
  play-one-wire 2 back
  soon 2 thermometers
}

check "a thermometer has the temperature that the world gives it" temperature_follows
check "frost reads as negative" frost_is_negative
check "each thermometer has its own temperature" each_has_its_own
check "the old file w1_slave has it too" old_file_follows
check "with a damaged checksum the temperature reads as zero bytes" empty_when_damaged temperature
check "with a damaged checksum w1_slave reads as zero bytes" empty_when_damaged w1_slave
check "a thermometer that restarts reads 85 °C" power_up_value_is_read
check "a thermometer is unplugged, and back" is_gone_and_back
check "all thermometers are unplugged, and back" all_are_gone_and_back
