# shellcheck shell=bash
# An LM75, which the kernel shows as hwmon, and a BMP280, which it shows as Industrial IO.

lm75() { device_named lm75 /sys/class/hwmon/*; }
bmp280() { device_named bmp280 /sys/bus/iio/devices/*; }

degrees() { cat "$(lm75)/temp1_input"; }

# Newer kernels write zeros behind the number.
quantity() { sed 's/\.0*$//' "$(bmp280)/$1"; }

temperature_follows() {
  play-lm75 21500
  is 21500 "$(degrees)"
  play-lm75 85000
  is 85000 "$(degrees)"
}

frost_is_negative() {
  play-lm75 -7500
  is -7500 "$(degrees)"
  play-lm75 -500
  is -500 "$(degrees)"
}

thermometer_is_gone_and_back() {
  play-lm75 gone
  is no "$(whether lm75)"
  play-lm75 12000 back
  soon 12000 degrees
}

data_sheet_is_kept() {
  play-bmp280 500000 400000
  is no "$(whether is '25080 100.653253906' "$(quantity in_temp_input) $(quantity in_pressure_input)")"
  play-bmp280 519888 415148
  is '25080 100.653253906' "$(quantity in_temp_input) $(quantity in_pressure_input)"
}

warmth_follows() {
  play-bmp280 500000 415148
  is 18850 "$(quantity in_temp_input)"
}

barometer_is_gone_and_back() {
  play-bmp280 gone
  is no "$(whether bmp280)"
  play-bmp280 500000 415148 back
  is 18850 "$(quantity in_temp_input)"
}

check "the LM75 has the temperature that the world gives it" temperature_follows
check "frost reads as negative" frost_is_negative
check "the LM75 is unplugged, and back" thermometer_is_gone_and_back
check "the BMP280 has what its data sheet computes" data_sheet_is_kept
check "the BMP280 follows the temperature" warmth_follows
check "the BMP280 is unplugged, and back" barometer_is_gone_and_back
