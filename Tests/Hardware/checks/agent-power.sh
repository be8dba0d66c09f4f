# shellcheck shell=bash
# The agent as it ships, with cycles of an hour: what arrives in between, the kernel has announced.
# No name is that of another sensor of the other checks: Home Assistant has it already.
# shellcheck disable=SC2154  # repository and still, which guest/start exports
# shellcheck source=Tests/Hardware/guest/agent.sh
source "$repository/Tests/Hardware/guest/agent.sh"

every=1h configure_agent <<'EOF'
battery: auto
sensors:
  - { hwmon: lm75/temp1, name: Cabin }
  - { hwmon: w1_slave_temp@28-000000000001/temp1, name: Keel }
EOF

mains=binary_sensor.bench_test_ac_online

mains_arrive_at_once() {
  arrives on "$mains"
  play-battery mains=off
  arrives off "$mains"
  play-battery mains=on
  arrives on "$mains"
}

# A monitor whose file takes 0.75 s to be read.
slow_monitor_arrives() { arrives 21.5 sensor.bench_keel; }

charge_goes_with_the_mains() {
  play-battery capacity=17
  play-battery mains=off
  arrives off "$mains"
  arrives 17 sensor.bench_test_battery_capacity
  play-battery mains=on
  arrives on "$mains"
}

# It is not there when the agent starts, and would be looked for in an hour.
monitor_is_plugged_in() {
  arrives unavailable sensor.bench_cabin
  play-lm75 12000 back
  soon yes whether device_named lm75 /sys/class/hwmon/*
  # The next news send what was read.
  play-battery mains=off
  arrives 12.0 sensor.bench_cabin
  play-battery mains=on
  arrives on "$mains"
}

supplies_are_gone_and_back() {
  play-battery gone
  arrives unavailable "$mains"
  play-battery back
  arrives on "$mains"
}

play-lm75 gone
play-one-wire 1 21500
start_agent
check "a plug that is pulled arrives at once, and put in" mains_arrive_at_once
# It holds also in a world that stands still.
[[ -n $still ]] || check "a monitor that measures while it is read arrives" slow_monitor_arrives
check "what a battery says goes with it" charge_goes_with_the_mains
check "a monitor that is plugged in is read at once" monitor_is_plugged_in
check "supplies that go and come back are found at once" supplies_are_gone_and_back
if [[ -z $still ]]; then
  check "the agent works to the end" stop_agent
  play-lm75 20000
fi
cat agent.log >>/run/exchange/agent.log
