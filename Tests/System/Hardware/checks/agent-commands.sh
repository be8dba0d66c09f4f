# shellcheck shell=bash
# What Home Assistant asks of the agent as it ships, and what the kernel's lines are then.
# shellcheck disable=SC2154  # repository, home_url and still, which others set
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

every=1h configure_agent <<'EOF'
commands: [command_gpio, command_update_sensors]
outputs:
  - { gpio: Horn, name: Horn, max_on: 4s }
  - { gpio: Lamp, name: Lamp, active_low: true }
  - { gpio: Button, name: Winch }
EOF

# results PATTERN: how many results of commands match it.
results() { happened "\"event_type\": *\"homeward_command\".*$1"; }

board_listens() {
  arrives off binary_sensor.bench_horn
  arrives off binary_sensor.bench_lamp
  soon yes whether command_board bench command_update_sensors
  soon 1 results '"result": *"done"'
}

# For as long as max_on says, with cycles of an hour. It may be off again before a slow guest has asked
# Home Assistant.
output_goes_on_and_off() {
  command_board bench command_gpio '{"output":"Horn","command":"turn_on"}'
  soon 1 play-line Horn
  soon 1 happened '"entity_id":"binary_sensor.bench_horn","state":true'
  arrives off binary_sensor.bench_horn
  is 0 "$(play-line Horn)"
}

line_is_low_while_it_is_on() {
  is 1 "$(play-line Lamp)"
  command_board bench command_gpio '{"output":"lamp","command":"turn_on"}'
  soon 0 play-line Lamp
  arrives on binary_sensor.bench_lamp
  command_board bench command_gpio '{"output":"Lamp","command":"turn_off"}'
  soon 1 play-line Lamp
  arrives off binary_sensor.bench_lamp
}

command_that_comes_twice_counts_once() {
  local before
  before=$(results '"result": *"done"')
  command_board bench command_gpio '{"output":"Lamp","command":"pulse","duration":2,"id":"1"}'
  command_board bench command_gpio '{"output":"Lamp","command":"turn_on","id":"1"}'
  soon 1 results '"reason": *"repeated"'
  soon "$((before + 1))" results '"result": *"done"'
  soon 1 play-line Lamp
}

what_is_not_allowed_is_refused() {
  command_board bench command_reboot
  soon 1 results '"reason": *"not_allowed"'
}

# The chip gives a line that no program holds what the world puts on it. Here that is what switches both
# on, as a resistor does that is the wrong one: they stay on until the next start of the agent.
switch_both_on() {
  play-line Button high
  play-line Lamp low
  for name in Winch Lamp; do
    command_board bench command_gpio "{\"output\":\"$name\",\"command\":\"turn_on\"}"
  done
  soon 1 play-line Button
  soon 0 play-line Lamp
  arrives on binary_sensor.bench_winch
  arrives on binary_sensor.bench_lamp
}

kill_agent() {
  kill -KILL "$(<agent.pid)"
  soon no whether kill -0 "$(<agent.pid)"
}

both_are_on() {
  is 1 "$(play-line Button)"
  is 0 "$(play-line Lamp)"
}

both_are_off() {
  soon 0 play-line Button
  soon 1 play-line Lamp
}

killed_agent_is_followed_by_safe_outputs() {
  switch_both_on
  kill_agent
  both_are_on
  start_agent
  both_are_off
  arrives off binary_sensor.bench_winch
  arrives off binary_sensor.bench_lamp
}

# As systemd has it, with a directory in which starts are counted; the pause is of a minute.
agent_that_waits_holds_its_outputs() {
  soon yes whether command_board bench command_update_sensors
  switch_both_on
  kill_agent
  both_are_on
  mkdir -p starts
  printf 123 >starts/starts
  RUNTIME_DIRECTORY=$PWD/starts start_agent
  both_are_off
  is yes "$(whether grep 'the last runs ended too soon' agent.log)"
  # The chip would follow.
  play-line Button low
  play-line Button high
  both_are_off
  is no "$(whether command_board bench command_update_sensors)"
  stop_agent
  start_agent
}

start_agent
check "Home Assistant can ask the board for something" board_listens
check "an output is switched on, and goes off by itself" output_goes_on_and_off
check "an output that is on while its line is low" line_is_low_while_it_is_on
check "a command that comes twice is carried out once" command_that_comes_twice_counts_once
# It holds also in a world that stands still.
[[ -n $still ]] || check "a command that is not allowed is refused" what_is_not_allowed_is_refused
check "an output that is on when the agent is killed is safe again after the next start" \
  killed_agent_is_followed_by_safe_outputs
check "an agent that waits after crashes holds its outputs safe" agent_that_waits_holds_its_outputs
play-line Button low
# Also in a world that stands still.
[[ -n $still ]] || check "the agent works to the end" stop_agent
cp agent.log /run/exchange/agent.log
