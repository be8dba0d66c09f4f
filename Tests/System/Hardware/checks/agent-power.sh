# shellcheck shell=bash
# The agent as it ships, with cycles of an hour: what arrives in between, the kernel has announced; then
# with short ones, which the power policy changes.
# No name is that of another sensor of the other checks: Home Assistant has it already.
# shellcheck disable=SC2154  # repository and still, which guest/start exports
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

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

# ---- the power policy --------------------------------------------------------------------------

level=sensor.bench_power_level

# Cycles of 5 s, where no level says another length. The last level that holds is the one that is told.
follow_power_policy() {
  configure_agent <<'EOF'
battery: auto
power:
  - { mains: off, every: 1h }
  - { below: 30%, upload: 1h }
sensors:
  - { hwmon: lm75/temp1, name: Cabin }
EOF
  kill -HUP "$(<agent.pid)"
}

# seconds_to MOMENT: until the next_cycle or the next_upload of the agent.
seconds_to() { agent_status | first_group "\"$1\":\{[^}]*\"seconds\":([0-9]*)"; }
is_far() { [[ $(seconds_to "$1") -gt 60 ]]; }

cycles_are_slower_without_mains() {
  play-battery capacity=80 usb=off
  follow_power_policy
  play-lm75 13000
  arrives 13.0 sensor.bench_cabin
  is normal "$(state "$level")"
  play-battery mains=off
  arrives 'without mains' "$level"
  soon yes whether is_far next_cycle
  # Were there a usual cycle, it would come meanwhile.
  play-lm75 14000
  soon yes whether has_passed_a_usual_cycle
  is 13.0 "$(state sensor.bench_cabin)"
  # A charger that comes and goes switches nothing.
  play-battery mains=on
  arrives on "$mains"
  is 'without mains' "$(state "$level")"
  is yes "$(whether is_far next_cycle)"
}
# Of the hour that began with the mains.
has_passed_a_usual_cycle() { [[ $(seconds_to next_cycle) -lt 3590 ]]; }

# The agent is new, and knows of no mains that were away.
uploads_are_rarer_with_a_low_battery() {
  follow_power_policy
  arrives normal "$level"
  arrives 14.0 sensor.bench_cabin
  play-battery capacity=20
  arrives 'below 30 %' "$level"
  soon yes whether is_far next_upload
  is no "$(whether is_far next_cycle)"
  # It is read, and waits.
  play-lm75 15000
  soon yes whether waits_for_the_upload
  is 14.0 "$(state sensor.bench_cabin)"
}
waits_for_the_upload() { agent_status | grep '"waiting":{"readings":[1-9]'; }

# A level holds until the battery has 5 % more. A plug that is put in takes with it what waits.
level_is_left_at_five_percent_more() {
  play-battery capacity=34
  play-battery usb=on
  arrives 34 sensor.bench_test_battery_capacity
  is 'below 30 %' "$(state "$level")"
  play-battery usb=off
  arrives off binary_sensor.bench_test_usb_online
  is 'below 30 %' "$(state "$level")"
  play-lm75 16000
  play-battery capacity=35
  arrives normal "$level"
  arrives 16.0 sensor.bench_cabin
  is '' "$(seconds_to next_upload)"
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
check "without mains a cycle is longer, also where they come and go" cycles_are_slower_without_mains
check "a low battery makes uploads rarer, and readings wait" uploads_are_rarer_with_a_low_battery
check "a level is left only when the battery has 5 % more" level_is_left_at_five_percent_more
if [[ -z $still ]]; then
  check "the agent works to the end" stop_agent
  play-lm75 20000
fi
cat agent.log >>/run/exchange/agent.log
