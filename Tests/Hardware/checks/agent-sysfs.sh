# shellcheck shell=bash
# The agent as it ships, with sensors of sysfs: what the practice home on the host gets of an LM75
# (hwmon), a BMP280 and the kernel's example of a converter (Industrial IO) is what the kernel said.
# shellcheck disable=SC2154  # agent, home and still, of the settings

home_url=http://10.0.2.2:$home

cat >sysfs.yaml <<EOF
every: 5s
state_directory: $PWD/sysfs-state
home_assistant: { url: "$home_url", token_file: $PWD/sysfs-token }
device: { name: Workbench }
system: off
battery: off
sensors:
  - { hwmon: lm75/temp1, name: Cabin }
  - { iio: bmp280/temp, name: Outside }
  - { iio: bmp280/pressure, name: Barometer }
  - { iio: bench/voltage0, name: Converter, decimals: 6 }
  - { iio: bench/steps, name: Steps, scale: [0, 10000], to: [0, 100], unit: "%" }
  - { file: $PWD/tank, name: Tank, pattern: "level=*", unit: L, device_class: volume_storage }
EOF
(umask 077 && echo practice >sysfs-token)
echo "level=40 L" >tank

# state ENTITY: what Home Assistant shows.
state() {
  curl --silent --max-time 10 --header 'Authorization: Bearer practice' \
    "$home_url/api/states/sensor.workbench_$1" | sed -n 's/.*"state":"\([^"]*\)".*/\1/p'
}

# arrives STATE ENTITY: it does so within some cycles.
# shellcheck disable=SC2034  # of the words for checks
arrives() {
  [[ -n $still ]] || soon_seconds=30
  soon "$1" state "$2"
}

# barometer: the folder of the BMP280, whose number may change.
barometer() { readlink -f "$(device_named bmp280 /sys/bus/iio/devices/*)"; }

monitor_arrives() {
  play-lm75 21500
  arrives 21.5 cabin
  play-lm75 -7500
  arrives -7.5 cabin
}

barometer_arrives() {
  local hectopascals
  play-bmp280 500000 380000
  arrives 18.9 outside
  hectopascals=$(awk '{ printf "%.1f", $1 * 10 }' "$(barometer)/in_pressure_input")
  is no "$(whether is 1006.5 "$hectopascals")"
  arrives "$hectopascals" barometer
  play-bmp280 519888 415148
  arrives 25.1 outside
  arrives 1006.5 barometer
}

# Its voltage is always the same: (73 + 7) x 0.001333 mV.
converter_arrives() {
  play-converter in_steps_input=7000
  arrives 70.0 steps
  arrives 0.000107 converter
  play-converter in_steps_input=120
  arrives 1.2 steps
}

monitor_is_unplugged() {
  play-lm75 gone
  arrives unavailable cabin
  play-lm75 12000 back
  arrives 12.0 cabin
}

barometer_is_unplugged() {
  play-bmp280 gone
  arrives unavailable outside
  arrives unavailable barometer
  play-bmp280 500000 415148 back
  arrives 18.9 outside
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
  arrives 42.0 steps
  arrives 25.1 outside
}

file_arrives() {
  arrives 40 tank
  echo "level=17 L" >tank.new && mv tank.new tank
  arrives 17 tank
  rm tank
  arrives unavailable tank
  echo "level=full" >tank
  arrives unknown tank
}

"$agent" run --config "$PWD/sysfs.yaml" >sysfs-agent.log 2>&1 &
runner=$!
check "a temperature of a hardware monitor arrives, and frost" monitor_arrives
check "temperature and pressure of a barometer arrive" barometer_arrives
check "a converter arrives, scaled and calibrated" converter_arrives
check "a hardware monitor that is unplugged is unavailable, and back" monitor_is_unplugged
check "a barometer that is unplugged is unavailable, and back" barometer_is_unplugged
check "devices whose numbers change are told apart" numbers_change
if [[ -z $still ]]; then
  # These hold also in a world that stands still.
  check "a number in a text file arrives, and what is none" file_arrives
  check "the agent works to the end" kill "$runner"
fi
kill "$runner" 2>/dev/null || true
cat sysfs-agent.log >>/run/exchange/agent.log
