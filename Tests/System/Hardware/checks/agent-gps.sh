# shellcheck shell=bash
# The agent as it ships, with a real gpsd: the position that the practice home on the host gets is
# the one that gpsd said.
# shellcheck disable=SC2154  # repository, still and soon_seconds
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"

modprobe -a xhci-pci ftdi_sio

configure_agent <<'EOF'
battery: off
location: { source: gpsd, moving: { every: 1s }, parked: { every: 10s } }
EOF

harbour=(5255.99521 00501.85447) # 52.9332535 5.0309078
quay=(5256.00521 00501.85447)    # 18 m to the north
far=(5355.99521 00501.85447)     # one degree to the north

# receivers: the adapters that are plugged in. One that comes back while its device is still open
# gets the next name.
receivers() { ls /sys/bus/usb-serial/devices; }

# receiver: the device of the one that is plugged in, for gpsd, which is not root after its start. On
# a board udev sees to that.
receiver() {
  soon 1 count_receivers
  local device
  device=/dev/$(receivers)
  chmod a+rw "$device"
  stty -F "$device" 4800 raw -echo clocal
  echo "$device"
}
count_receivers() { receivers | wc -l; }

# start_gpsd [PORT]: it outlives the check that starts it.
start_gpsd() {
  local device
  device=$(receiver)
  (gpsd -N -n -b -s 4800 -S "${1-2947}" -F "$PWD/gpsd.sock" "$device" >>gpsd.log 2>&1 &
    echo $! >gpsd.pid)
}

# position: reads JSON, and says latitude, longitude, and the accuracy, rounded up to a decimetre.
position() {
  awk -v RS='[,{}]' -F '":' '{ value[$1] = $2 } END {
    error = value["\"eph"] value["\"gps_accuracy"]
    tenths = int(error * 10)
    if (error * 10 > tenths) tenths++
    printf "%.7f %.7f %.1f\n", value["\"lat"] value["\"latitude"],
      value["\"lon"] value["\"longitude"], tenths / 10
  }'
}

# What gpsd says now, and what Home Assistant shows.
said() {
  timeout "$soon_seconds" gpspipe --json 127.0.0.1:2947 |
    grep --max-count=1 '"class":"TPV".*"mode":3.*"eph"' | position
}
shown() { told device_tracker.bench | position; }

# latitude: what Home Assistant shows of it.
latitude() { printf '%.7f\n' "$(told device_tracker.bench | first_group '"latitude":([-0-9.]+)')"; }

# position_arrives LATITUDE
position_arrives() {
  soon "$1" latitude
}

fix_arrives() {
  play-receiver stands "${harbour[@]}"
  position_arrives 52.9332535
  # The first one may be of a moment at which gpsd knows no accuracy yet.
  soon "$(said)" shown
  play-receiver stands "${quay[@]}"
  position_arrives 52.9334202
  soon "$(said)" shown
}

# jumped: says so while the last fix was refused.
jumped() { [[ $(decision) != jump ]] || echo jumped; }
decision() { agent_status | first_group '"track":\{[^}]*"decision":"([a-z_]*)"'; }

# The agent believes the third fix that is there, and its cycles take 5 s.
jump_is_refused() {
  play-receiver stands "${harbour[@]}"
  play-receiver jumps 8 "${far[@]}"
  soon jump decision
  soon '' jumped
  position_arrives 52.9332535
  is 0 "$(happened '"event": *"location".*53[.]9')"
}

# older SECONDS: whether the last fix is at least so old, as the agent says.
older() {
  [[ $(agent_status | first_group '"last_fix":\{[^}]*"seconds":([0-9]*)') -ge $1 ]]
}

positions() { happened '"event": *"location"'; }

receiver_falls_silent() {
  local before
  play-receiver silent
  soon yes whether older 4
  before=$(positions)
  # A cycle and more.
  soon yes whether older 10
  is "$before" "$(positions)"
  play-receiver stands "${quay[@]}"
  position_arrives 52.9334202
}

# tell_gpsd add|remove DEVICE: on a board udev does this.
tell_gpsd() { GPSD_SOCKET=$PWD/gpsd.sock gpsdctl "$@"; }

receiver_is_gone_and_back() {
  local device
  device=$(receiver)
  play-receiver silent
  play-receiver gone
  soon 0 count_receivers
  tell_gpsd remove "$device"
  play-receiver back
  tell_gpsd add "$(receiver)"
  play-receiver stands "${harbour[@]}"
  position_arrives 52.9332535
}

failing() { agent_status | first_group '"failing_sources":\[\{"source":"([a-z]*)"'; }

gpsd_is_killed() {
  kill -KILL "$(<gpsd.pid)"
  soon gpsd failing
  play-receiver stands "${quay[@]}"
  start_gpsd
  position_arrives 52.9334202
  soon '' failing
}

cause() { agent_status | first_group '"failing_sources":\[\{[^}]*"cause":"([a-z_]*)"'; }

# origin: the time of day when this machine started, which moves where the clock is set.
origin() { echo $((EPOCHSECONDS - $(cut -d . -f 1 /proc/uptime))); }

# The positions go on, with the time of the board, and its clock stays as it is.
dates_roll_back() {
  local before
  kill "$(<gpsd.pid)" || true
  start_gpsd 2950
  play-gpsd 2950 2947
  play-receiver stands "${harbour[@]}"
  position_arrives 52.9332535
  soon '' failing
  before=$(origin)
  play-gpsd rolled
  soon wrong_date cause
  play-receiver stands "${quay[@]}"
  position_arrives 52.9334202
  soon wrong_date cause
  is no "$(whether older 15)"
  is yes "$(whether test $(($(origin) - before)) -ge -2 -a $(($(origin) - before)) -le 2)"
}

dates_are_right_again() {
  play-gpsd right
  soon '' failing
  play-receiver stands "${quay[@]}"
  position_arrives 52.9334202
}

start_gpsd
start_agent
check "a position arrives with its accuracy, and the next one" fix_arrives
check "a jump that no board can make does not arrive" jump_is_refused
check "of a receiver that falls silent no old position arrives" receiver_falls_silent
check "a receiver is unplugged, and back" receiver_is_gone_and_back
check "gpsd is killed, and started again" gpsd_is_killed
check "dates that roll back by 1,024 weeks move no time, and positions go on" dates_roll_back
check "when the dates are right again, so is all" dates_are_right_again
[[ -n $still ]] || play-gpsd gone
play-receiver silent
kill "$(<gpsd.pid)" || true
# Also in a world that stands still.
[[ -n $still ]] || check "the agent works to the end" stop_agent
cat agent.log >>/run/exchange/agent.log
