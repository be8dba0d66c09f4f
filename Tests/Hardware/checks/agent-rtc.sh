# shellcheck shell=bash
# A board that is switched off between two reports: the agent as it ships, and the alarm that the
# kernel then has for a real-time clock.
# shellcheck disable=SC2154  # repository, agent and still, which guest/start exports
# shellcheck source=Tests/Hardware/guest/agent.sh
source "$repository/Tests/Hardware/guest/agent.sh"

configure_agent <<'EOF'
upload: { every: 1h }
battery: "off"
EOF
sed 's/^home_assistant: .*/home_assistant: { url: "http:\/\/10.0.2.2:1" }/' homeward.yaml >away.yaml

# clock_of NAME: rtc1, by the name of its driver and device.
clock_of() { basename "$(device_named "$1" /sys/class/rtc/*)"; }

alarm_of() { cat "/sys/class/rtc/$1/wakealarm"; }

# report CLOCK [CONFIGURATION]: one run. Prints the moment that it told; ends as it did.
report() {
  "$agent" run --once --timeout 60s --config "$PWD/${2:-homeward.yaml}" --wake rtc \
    --rtc "/dev/$1" --print-next-wake 2>>agent.log
}

# is_alarm_of CLOCK WAKE AHEAD: the alarm is that moment, in the time of the clock.
is_alarm_of() {
  local difference
  is 0 "$(($2 % 3600))"
  is yes "$(whether test "$2" -ge "$((EPOCHSECONDS + 100))")"
  difference=$(($(alarm_of "$1") - $2 - $3))
  # What passes while both clocks are read, and while the clock is set.
  [[ ${difference#-} -le 3 ]] || is "0, or some seconds" "$difference"
}

# The clock of the board itself, as QEMU has it, which keeps local time.
local_time() {
  local wake
  play-clock rtc0 7200
  wake=$(report rtc0)
  is_alarm_of rtc0 "$wake" 7200
}

# A clock whose battery was changed, and that was not set since.
years_behind() {
  local clock wake
  clock=$(clock_of 'rtc-test rtc-test.1')
  play-clock "$clock" -800000000
  wake=$(report "$clock")
  is_alarm_of "$clock" "$wake" -800000000
}

clock_is_set_between_two_runs() {
  local clock wake
  clock=$(clock_of 'rtc-test rtc-test.2')
  report "$clock"
  play-clock "$clock" 86400
  wake=$(report "$clock")
  is_alarm_of "$clock" "$wake" 86400
}

no_network() {
  local clock wake status=0
  clock=$(clock_of 'rtc-test rtc-test.2')
  play-clock "$clock" 5000
  wake=$(report "$clock" away.yaml) || status=$?
  is 75 "$status"
  is_alarm_of "$clock" "$wake" 5000
}

# A program that cuts the power at once: the alarm that it finds is all that the clock ever gets.
alarm_before_program() {
  local clock wake
  clock=$(clock_of 'rtc-test rtc-test.2')
  cat >cut.sh <<'EOF'
#!/bin/sh
echo "$HOMEWARD_NEXT_WAKE" >"$1"
cat "$2" >>"$1"
EOF
  chmod 755 cut.sh
  {
    cat homeward.yaml
    echo "after_upload: { run: [$PWD/cut.sh, $PWD/found, /sys/class/rtc/$clock/wakealarm] }"
  } >cut.yaml
  play-clock "$clock" 2000
  rm -f found
  wake=$(report "$clock" cut.yaml)
  is_alarm_of "$clock" "$wake" 2000
  is "$wake $(alarm_of "$clock")" "$(paste --serial --delimiters=' ' found)"
}

# ends_without_alarm CLOCK WORDS
ends_without_alarm() {
  local status=0 wake
  mv agent.log before.log
  wake=$(report "$1") || status=$?
  is '72 ' "$status $wake"
  is 1 "$(counted "$2" agent.log)"
  is 1 "$(counted 'No alarm is set: leave the board on' agent.log)"
}

no_alarm() { ends_without_alarm "$(clock_of 'rtc-test rtc-test.0')" 'has no alarm'; }

clock_is_busy() {
  local clock held
  clock=$(clock_of 'rtc-test rtc-test.1')
  exec {held}<"/dev/$clock"
  ends_without_alarm "$clock" 'another program has .* open'
  exec {held}<&-
}

# Until what it brought is proven, and two seconds more: the agent has come to the alarm by then.
clock_is_busy_for_a_moment() {
  local clock held holder line wake
  clock=$(clock_of 'rtc-test rtc-test.1')
  play-clock "$clock" 3000
  exec {held}<"/dev/$clock"
  sleep 600 <&"$held" >/dev/null 2>&1 &
  holder=$!
  exec {held}<&-
  "$agent" run --once --timeout 60s --config "$PWD/homeward.yaml" --wake rtc --rtc "/dev/$clock" \
    --json 2>>agent.log | {
    while read -r line && [[ $line != *'"event":"proven"'* ]]; do :; done
    sleep 2
    kill "$holder"
    cat
  } >events.log
  wake=$(sed -n 's/.*"next_wake":"\([^"]*\)".*/\1/p' events.log)
  is_alarm_of "$clock" "$(date --date "$wake" +%s)" 3000
}

check "a clock that keeps local time has the alarm in its time" local_time
check "so has one that is years behind" years_behind
check "an alarm that is there is replaced" clock_is_set_between_two_runs
check "a program that cuts the power finds the alarm set" alarm_before_program
check "a run that finds no Home Assistant sets the alarm, too" no_network
check "a clock that another program frees soon has its alarm" clock_is_busy_for_a_moment
# They hold also in a world that stands still.
if [[ -z $still ]]; then
  check "a clock without an alarm is told, and no moment" no_alarm
  check "so is one that another program holds" clock_is_busy
fi
cat agent.log >>/run/exchange/agent.log
