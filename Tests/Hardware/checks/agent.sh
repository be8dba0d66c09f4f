# shellcheck shell=bash
# The agent as it ships, on the virtual board: what the practice home on the host gets is what the
# kernel said.
# shellcheck disable=SC2154  # agent, home and still, of the settings

home_url=http://10.0.2.2:$home

cat >homeward.yaml <<EOF
every: 5s
state_directory: $PWD/state
home_assistant: { url: "$home_url", token_file: $PWD/token }
device: { name: Bench }
system: off
battery: auto
sensors:
  - { gpio: Bilge, name: Bilge, device_class: moisture, urgent: true }
  - { gpio: bench/1, name: Hatch, device_class: door, active_low: true }
  - { one_wire: 28-000000000001, name: Soil }
EOF
(umask 077 && echo practice >token)

# state ENTITY: what Home Assistant shows.
state() {
  curl --silent --max-time 10 --header 'Authorization: Bearer practice' \
    "$home_url/api/states/$1" | sed -n 's/.*"state":"\([^"]*\)".*/\1/p'
}

# arrives STATE ENTITY: it does so within some cycles.
# shellcheck disable=SC2034  # of the words for checks
arrives() {
  [[ -n $still ]] || soon_seconds=30
  soon "$1" state "$2"
}

level_arrives() {
  play-line Bilge high
  arrives on binary_sensor.bench_bilge
  play-line Bilge low
  arrives off binary_sensor.bench_bilge
}

active_low_arrives() {
  play-line Hatch low
  arrives on binary_sensor.bench_hatch
  play-line Hatch high
  arrives off binary_sensor.bench_hatch
}

temperature_arrives() {
  play-one-wire 1 21500
  arrives 21.5 sensor.bench_soil
  play-one-wire 1 -10125
  arrives -10.1 sensor.bench_soil
}

damaged_temperature_is_unknown() {
  play-one-wire 1 20000
  arrives 20.0 sensor.bench_soil
  play-one-wire 1 checksum=wrong
  arrives unknown sensor.bench_soil
  play-one-wire 1 checksum=right
  arrives 20.0 sensor.bench_soil
}

thermometer_is_unplugged() {
  play-one-wire 1 gone
  arrives unavailable sensor.bench_soil
  play-one-wire 1 7000 back
  arrives 7.0 sensor.bench_soil
}

battery_arrives() {
  play-battery capacity=17 status=discharging
  arrives 17 sensor.bench_test_battery_capacity
  play-battery capacity=63
  arrives 63 sensor.bench_test_battery_capacity
  play-battery mains=off
  arrives off binary_sensor.bench_test_ac_online
  play-battery mains=on
  arrives on binary_sensor.bench_test_ac_online
}

chip_is_unplugged() {
  play-line Bilge high
  arrives on binary_sensor.bench_bilge
  play-line gone
  arrives unavailable binary_sensor.bench_bilge
  play-line back
  arrives off binary_sensor.bench_bilge
  play-line Bilge high
  arrives on binary_sensor.bench_bilge
}

"$agent" run --config "$PWD/homeward.yaml" >agent.log 2>&1 &
runner=$!
check "a level of a line arrives, and the next one" level_arrives
check "a line that is active low arrives turned round" active_low_arrives
check "a temperature arrives, and frost" temperature_arrives
check "a temperature with a damaged checksum arrives as unknown" damaged_temperature_is_unknown
check "a thermometer that is unplugged is unavailable, and back" thermometer_is_unplugged
check "a battery and the mains arrive" battery_arrives
check "a chip that is unplugged is unavailable, and back" chip_is_unplugged
# Also in a world that stands still.
[[ -n $still ]] || check "the agent works to the end" kill "$runner"
cat agent.log >>/run/exchange/agent.log
