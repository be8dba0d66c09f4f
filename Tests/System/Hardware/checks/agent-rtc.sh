# shellcheck shell=bash
# A board that is switched off between two reports: its script, the agent as it ships, and the alarm that
# rtcwake has the kernel keep for a real-time clock.
# shellcheck disable=SC2154  # repository, agent and still, which guest/start exports
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

configure_agent <<'EOF'
upload: { every: 1h }
battery: "off"
EOF
sed 's/^home_assistant: .*/home_assistant: { url: "http:\/\/10.0.2.2:1" }/' homeward.yaml >away.yaml
sed 's/^every: .*/every: 10/' homeward.yaml >wrong.yaml

# What the script calls: the agent of this build, which leaves its moment and its exit code, and rtcwake
# with the clock of the check.
mkdir -p tools
cat >tools/homeward <<EOF
#!/bin/sh
"$agent" "\$@" --config "\$configuration" >"$PWD/moment" 2>>"$PWD/agent.log"
status=\$?
echo "\$status" >"$PWD/status"
cat "$PWD/moment"
exit "\$status"
EOF
cat >tools/rtcwake <<EOF
#!/bin/sh
exec /usr/sbin/rtcwake --device "\$clock" "\$@"
EOF
chmod 755 tools/*

# clock_of NAME: rtc1, by the name of its driver and device.
clock_of() { basename "$(device_named "$1" /sys/class/rtc/*)"; }

alarm_of() { cat "/sys/class/rtc/$1/wakealarm"; }

# report CLOCK CONFIGURATION [PROGRAM [ARGUMENT...]]: one run of the script; ends as it does.
report() {
  clock=$1 configuration=$PWD/$2 PATH=$PWD/tools:$PATH \
    sh "$repository/deploy/switched-off/homeward-report" "${@:3}" >>agent.log 2>&1
}

# is_alarm_of CLOCK AHEAD: the alarm is the moment that the agent told, in the time of the clock.
is_alarm_of() {
  local moment difference
  moment=$(<moment)
  is 0 "$((moment % 3600))"
  is yes "$(whether test "$moment" -ge "$((EPOCHSECONDS + 90))")"
  difference=$(($(alarm_of "$1") - moment - $2))
  # What passes while both clocks are read, and while the clock is set.
  [[ ${difference#-} -le 3 ]] || is "0, or some seconds" "$difference"
}

# The clock of the board itself, as QEMU has it, which keeps local time.
local_time() {
  play-clock rtc0 7200
  report rtc0 homeward.yaml
  is 0 "$(<status)"
  is_alarm_of rtc0 7200
}

# A clock whose battery was changed, and that was not set since.
years_behind() {
  local clock
  clock=$(clock_of 'rtc-test rtc-test.1')
  play-clock "$clock" -800000000
  report "$clock" homeward.yaml
  is_alarm_of "$clock" -800000000
}

clock_is_set_between_two_runs() {
  local clock
  clock=$(clock_of 'rtc-test rtc-test.2')
  report "$clock" homeward.yaml
  play-clock "$clock" 86400
  report "$clock" homeward.yaml
  is_alarm_of "$clock" 86400
}

# A program that cuts the power at once: the alarm that it finds is all that the clock ever gets.
alarm_before_program() {
  local clock
  clock=$(clock_of 'rtc-test rtc-test.2')
  play-clock "$clock" 2000
  rm -f found
  report "$clock" homeward.yaml cp "/sys/class/rtc/$clock/wakealarm" found
  is 0 "$(<status)"
  is_alarm_of "$clock" 2000
  is "$(alarm_of "$clock")" "$(<found)"
}

no_network() {
  local clock
  clock=$(clock_of 'rtc-test rtc-test.2')
  play-clock "$clock" 5000
  rm -f found
  report "$clock" away.yaml touch found
  is 75 "$(<status)"
  is_alarm_of "$clock" 5000
  is no "$(whether test -e found)"
}

# ends_without_alarm CLOCK CONFIGURATION WORDS: the script says so, and starts no program.
ends_without_alarm() {
  local status=0
  mv agent.log before.log
  rm -f found
  report "$1" "$2" touch found || status=$?
  is 1 "$status"
  is 1 "$(counted "rtcwake: .*$3" agent.log)"
  is no "$(whether test -e found)"
}

no_alarm() {
  ends_without_alarm "$(clock_of 'rtc-test rtc-test.0')" homeward.yaml 'set rtc wake alarm failed'
}

clock_is_busy() {
  local clock held
  clock=$(clock_of 'rtc-test rtc-test.1')
  exec {held}<"/dev/$clock"
  ends_without_alarm "$clock" homeward.yaml 'Device or resource busy'
  exec {held}<&-
}

no_moment() {
  ends_without_alarm "$(clock_of 'rtc-test rtc-test.1')" wrong.yaml 'invalid time argument'
  is 78 "$(<status)"
}

check "a clock that keeps local time has the alarm in its time" local_time
check "so has one that is years behind" years_behind
check "an alarm that is there is replaced" clock_is_set_between_two_runs
check "a program behind it starts if everything arrived, and finds the alarm set" alarm_before_program
check "a run that finds no Home Assistant sets the alarm, too, and starts none" no_network
# They hold also in a world that stands still.
if [[ -z $still ]]; then
  check "a clock without an alarm ends the report, and starts no program" no_alarm
  check "so does one that another program holds" clock_is_busy
  check "so does a run that tells no moment" no_moment
fi
cat agent.log >>/run/exchange/agent.log
