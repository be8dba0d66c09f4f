# shellcheck shell=bash
# Pulses, as the agent that ships counts them on the virtual board.
# shellcheck disable=SC2154  # repository and still, which guest/start exports
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

configure_agent <<'EOF'
sensors:
  - { pulses: Rain, name: Rain, per_pulse: 0.2794, unit: mm, device_class: precipitation }
  - { pulses: bench/9, name: Reed, min_width: 1s }
outputs:
  - { gpio: Pump, name: Pump, safe: "on" }
EOF

# tips COUNT: their total, as Home Assistant writes it: a tenth at least, and no zeros at its end.
tips() {
  local total
  total=$(printf '%d.%04d' $(($1 * 2794 / 10000)) $(($1 * 2794 % 10000)))
  while [[ $total == *.?*0 ]]; do total=${total%0}; done
  echo "$total"
}

pulses_are_counted() {
  arrives 0.0 sensor.bench_rain
  play-line 4 pulses 500
  arrives "$(tips 500)" sensor.bench_rain
}

# An agent that sleeps reads nothing; the kernel keeps 1024 edges.
more_than_the_kernel_keeps() {
  kill -STOP "$(<agent.pid)"
  play-line 4 pulses 1500
  kill -CONT "$(<agent.pid)"
  arrives "$(tips 2000)" sensor.bench_rain
}

# The world takes its time: where the guest is slow, a short pulse may last half a second.
short_pulses_do_not_count() {
  arrives 0 sensor.bench_reed
  play-line 9 pulses 50
  play-line 9 pulses 3 1.3
  arrives 3 sensor.bench_reed
}

total_outlives_the_chip() {
  play-line gone
  arrives unavailable sensor.bench_rain
  play-line back
  arrives "$(tips 2000)" sensor.bench_rain
  play-line 4 pulses 10
  arrives "$(tips 2010)" sensor.bench_rain
}

total_outlives_the_agent() {
  play-line 4 pulses 7
  stop_agent
  start_agent
  arrives "$(tips 2017)" sensor.bench_rain
  arrives 3 sensor.bench_reed
  play-line 4 pulses 3
  arrives "$(tips 2020)" sensor.bench_rain
}

output_is_safe() {
  soon 1 play-line Pump
  arrives on binary_sensor.bench_pump
}

start_agent
check "500 pulses arrive as 500 pulses" pulses_are_counted
check "pulses that the kernel had no room for are counted" more_than_the_kernel_keeps
check "short pulses do not count, long ones do" short_pulses_do_not_count
check "an output has its safe state, and it is read back" output_is_safe
check "a chip that is unplugged and back keeps the total" total_outlives_the_chip
check "an agent that is restarted keeps the total" total_outlives_the_agent
# Also in a world that stands still.
[[ -n $still ]] || check "the agent works to the end" stop_agent
cp agent.log /run/exchange/agent.log
