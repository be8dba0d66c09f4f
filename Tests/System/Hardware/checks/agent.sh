# shellcheck shell=bash
# The agent as it ships, on the virtual board: what the practice home on the host gets is what the
# kernel said.
# shellcheck disable=SC2154  # repository and still, which guest/start exports

# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

configure_agent <<'EOF'
battery: auto
sensors:
  - { gpio: Bilge, name: Bilge, device_class: moisture, urgent: true }
  - { gpio: bench/1, name: Hatch, device_class: door, active_low: true }
  - { one_wire: 28-000000000001, name: Soil }
EOF

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

start_agent
check "a level of a line arrives, and the next one" level_arrives
check "a line that is active low arrives turned round" active_low_arrives
check "a temperature arrives, and frost" temperature_arrives
check "a temperature with a damaged checksum arrives as unknown" damaged_temperature_is_unknown
check "a thermometer that is unplugged is unavailable, and back" thermometer_is_unplugged
check "a battery and the mains arrive" battery_arrives
check "a chip that is unplugged is unavailable, and back" chip_is_unplugged
# Also in a world that stands still.
[[ -n $still ]] || check "the agent works to the end" stop_agent
cat agent.log >>/run/exchange/agent.log
