# shellcheck shell=bash
# GPIO lines, as libgpiod's programs see them.

# level OFFSET: what a program reads.
level() { gpioget bench "$1"; }

# watch COUNT OFFSET...: notes so many edges, in the background; returns when the lines are watched.
watch() {
  local count=$1
  shift
  gpiomon --line-buffered --num-events="$count" --format='%e %o' bench "$@" >noted &
  watcher=$!
  soon $# held gpiomon
}

held() { gpioinfo bench | grep --count "\"$1\""; }

# What was noted: 1 for a rise, 0 for a fall, and the line's offset.
edges() { tr '\n' ',' <noted; }

input_is_read() {
  play-line Rain high
  is 1 "$(level 4)"
  play-line Rain low
  is 0 "$(level 4)"
}

line_has_its_name() {
  play-line Button high
  # shellcheck disable=SC2046  # a chip and an offset
  is 1 "$(gpioget $(gpiofind Button))"
  play-line Button low
  # shellcheck disable=SC2046
  is 0 "$(gpioget $(gpiofind Button))"
}

active_low_is_turned_round() {
  play-line Rain high
  is 0 "$(gpioget --active-low bench 4)"
  play-line Rain low
  is 1 "$(gpioget --active-low bench 4)"
}

edges_are_seen() {
  play-line Bilge low
  watch 4 0
  for state in high low high low; do play-line Bilge "$state"; done
  soon '1 0,0 0,1 0,0 0,' edges
}

edges_keep_their_order() {
  play-line Bilge low
  play-line Hatch low
  watch 4 0 1
  play-line Bilge high
  play-line Hatch high
  play-line Bilge low
  play-line Hatch low
  soon '1 0,1 1,0 0,0 1,' edges
}

other_lines_are_not_seen() {
  play-line Bilge low
  watch 1 0
  play-line Hatch high
  play-line Hatch low
  sleep 0.3
  is '' "$(edges)"
  play-line Bilge high
  soon '1 0,' edges
}

output_is_read_back() {
  local state
  for state in 1 0 1; do
    gpioset --mode=signal bench "5=$state" &
    soon "$state" play-line Pump
    soon 1 held gpioset
    kill %%
    wait %% || true
  done
}

held_line_is_refused() {
  play-line Door high
  watch 1 2
  is no "$(whether gpioget bench 2)"
  play-line Door low
  soon '0 2,' edges
  is 0 "$(level 2)"
}

chips() { gpiodetect | grep --count '\[bench\]'; }

chip_is_gone_and_back() {
  is 1 "$(chips)"
  play-line gone
  is 0 "$(chips)"
  play-line back
  is 1 "$(chips)"
  play-line Rain high
  is 1 "$(level 4)"
}

chip_is_unplugged_under_a_program() {
  watch 1 0
  play-line gone
  soon 0 chips
  is no "$(whether gpioget bench 0)"
  kill "$watcher" || true
  play-line back
  soon 1 chips
  watch 1 0
  play-line Bilge high
  soon '1 0,' edges
}

check "an input has the level that the world gives it" input_is_read
check "a line is found by its name" line_has_its_name
check "a line that is active low reads the other way round" active_low_is_turned_round
check "rises and falls come as edges" edges_are_seen
check "edges of two lines come in their order" edges_keep_their_order
check "the edges of another line do not come" other_lines_are_not_seen
check "the world sees what a program puts on an output" output_is_read_back
check "a line that a program holds is refused to another one" held_line_is_refused
check "the chip is unplugged, and back" chip_is_gone_and_back
check "the chip is unplugged under a program, and edges come again" chip_is_unplugged_under_a_program
