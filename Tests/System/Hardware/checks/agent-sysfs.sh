# shellcheck shell=bash
# The agent as it ships, with sensors of sysfs: what the practice home on the host gets of an LM75
# (hwmon), a BMP280 and the kernel's example of a converter (Industrial IO) is what the kernel said.
# shellcheck disable=SC2154  # repository and still, which guest/start exports
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

configure_agent <<EOF
battery: off
sensors:
  - { hwmon: lm75/temp1, name: Cabin }
  - { iio: bmp280/temp, name: Outside }
  - { iio: bmp280/pressure, name: Barometer }
  - { iio: bench/voltage0, name: Converter, decimals: 6 }
  - { iio: bench/steps, name: Steps, scale: [0, 10000], to: [0, 100], unit: "%" }
  - { file: $PWD/tank, name: Tank, pattern: "level=*", unit: L, device_class: volume_storage }
EOF
echo "level=40 L" >tank

# barometer: the folder of the BMP280, whose number may change.
barometer() { readlink -f "$(device_named bmp280 /sys/bus/iio/devices/*)"; }

monitor_arrives() {
  play-lm75 21500
  arrives 21.5 sensor.bench_cabin
  play-lm75 -7500
  arrives -7.5 sensor.bench_cabin
}

barometer_arrives() {
  local hectopascals
  play-bmp280 500000 380000
  arrives 18.9 sensor.bench_outside
  hectopascals=$(awk '{ printf "%.1f", $1 * 10 }' "$(barometer)/in_pressure_input")
  is no "$(whether is 1006.5 "$hectopascals")"
  arrives "$hectopascals" sensor.bench_barometer
  play-bmp280 519888 415148
  arrives 25.1 sensor.bench_outside
  arrives 1006.5 sensor.bench_barometer
}

# Its voltage is always the same: (73 + 7) x 0.001333 mV.
converter_arrives() {
  play-converter in_steps_input=7000
  arrives 70.0 sensor.bench_steps
  arrives 0.000107 sensor.bench_converter
  play-converter in_steps_input=120
  arrives 1.2 sensor.bench_steps
}

monitor_is_unplugged() {
  play-lm75 gone
  arrives unavailable sensor.bench_cabin
  play-lm75 12000 back
  arrives 12.0 sensor.bench_cabin
}

barometer_is_unplugged() {
  play-bmp280 gone
  arrives unavailable sensor.bench_outside
  arrives unavailable sensor.bench_barometer
  play-bmp280 500000 415148 back
  arrives 18.9 sensor.bench_outside
}

# The one that comes first gets the lower number, whichever it had.
numbers_change() {
  local before
  before=$(barometer)
  play-bmp280 519888 415148 gone
  play-converter gone
  if [[ $before == *:device0 ]]; then
    play-converter back
    play-bmp280 back
  else
    play-bmp280 back
    play-converter back
  fi
  is no "$(whether is "$before" "$(barometer)")"
  play-converter in_steps_input=4200
  arrives 42.0 sensor.bench_steps
  arrives 25.1 sensor.bench_outside
}

file_arrives() {
  arrives 40 sensor.bench_tank
  echo "level=17 L" >tank.new && mv tank.new tank
  arrives 17 sensor.bench_tank
  rm tank
  arrives unavailable sensor.bench_tank
  echo "level=full" >tank
  arrives unknown sensor.bench_tank
}

start_agent
check "a temperature of a hardware monitor arrives, and frost" monitor_arrives
check "temperature and pressure of a barometer arrive" barometer_arrives
check "a converter arrives, scaled and calibrated" converter_arrives
check "a hardware monitor that is unplugged is unavailable, and back" monitor_is_unplugged
check "a barometer that is unplugged is unavailable, and back" barometer_is_unplugged
check "devices whose numbers change are told apart" numbers_change
if [[ -z $still ]]; then
  # These hold also in a world that stands still.
  check "a number in a text file arrives, and what is none" file_arrives
  check "the agent works to the end" stop_agent
fi
cat agent.log >>/run/exchange/agent.log
