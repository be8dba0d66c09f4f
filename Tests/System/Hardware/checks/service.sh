# shellcheck shell=bash
# The Debian package, with its unit as it is, as a service of the systemd of a Debian, whose udev says who
# may use which device: what the practice home gets is what the kernel says; and what the service may do.
# shellcheck disable=SC2154  # repository, home_url, kind and still, which others set
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"
# shellcheck source=Tests/System/Hardware/guest/network.sh
source "$repository/Tests/System/Hardware/guest/network.sh"
# shellcheck source=Tests/System/Hardware/guest/rights.sh
source "$repository/Tests/System/Hardware/guest/rights.sh"
# shellcheck source=Tests/System/Hardware/guest/report.sh
source "$repository/Tests/System/Hardware/guest/report.sh"

exposure_max=1.5
# What Home Assistant calls this board: debian_12.
board=debian_${kind#service-}

agent_status() { homeward status --json; }

# configure EVERY: as a person does it; standard input says what is connected.
configure() {
  cat >/etc/homeward/homeward.yaml <<EOT
every: $1
home_assistant:
  url: "$home_url"
  plain_http_away: true
  home_network: { url: "http://192.168.1.5:8123", ssids: [Harbour] }
device: { name: Debian ${kind#service-} }
commands: [command_gpio]
outputs: [{ gpio: Horn, name: Horn, max_on: 4s }, { gpio: Lamp, name: Lamp, active_low: true }]
battery: auto
system: off
$(cat)
EOT
}

door='{ gpio: Door, name: Door, device_class: door, urgent: true }'

property() { systemctl show --value --property "$1" homeward.service; }
process() { property MainPID; }
is_active() { systemctl is-active --quiet homeward.service; }
log() { journalctl --quiet --no-pager --output cat --unit homeward.service; }

# new_process FORMER: "yes" where the service runs, in another process.
new_process() { whether test "$(property ActiveState)-$(process)" != "active-$1" -a "$(process)" -gt 0; }

# stay_offline: what wants network-online.target waits, as at sea, until there is /run/online.
stay_offline() {
  mkdir -p /run/systemd/system/network-online.target.wants
  printf '%s\n' '[Unit]' Before=network-online.target '[Service]' Type=oneshot RemainAfterExit=yes \
    TimeoutStartSec=infinity "ExecStart=/bin/sh -c 'until test -e /run/online; do sleep 1; done'" \
    >/run/systemd/system/await-network.service
  ln -s ../await-network.service /run/systemd/system/network-online.target.wants/
  systemctl daemon-reload
}

# The receiver is one that gpsd knows; that of QEMU it leaves alone, because it may be anything.
prepare_board() {
  echo 'GPSD_OPTIONS="-n -b"' >>/etc/default/gpsd
  cat >/etc/udev/rules.d/61-receiver.rules <<'EOT'
SUBSYSTEM=="tty", ATTRS{serial}=="RECEIVER", TAG+="systemd", ENV{SYSTEMD_WANTS}="gpsdctl@%k.service"
EOT
  udevadm control --reload
  configure 1h <<EOT
sensors: [$door]
EOT
  (umask 077 && echo practice >token)
  homeward pair "$home_url" --token-file token --yes
}

# ---- what it may do ----------------------------------------------------------------------------

package_is_as_it_was() {
  is '' "$(dpkg --verify homeward)"
  is '' "$(property DropInPaths)"
  is yes "$(whether is_in_the_package "$(property FragmentPath)")"
}
is_in_the_package() {
  dpkg --listfiles homeward | xargs realpath | grep --line-regexp --fixed-strings "$(realpath "$1")"
}

service_runs() {
  soon active property ActiveState
  is inactive "$(systemctl show --value --property ActiveState network-online.target)"
  soon yes whether says_what_home_assistant_has
}
says_what_home_assistant_has() { property StatusText | grep 'has everything up to 20'; }

# right NAME: what the kernel says of the process.
right() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(process)/status"; }

# inside COMMAND...: sees the files that the process sees.
inside() { nsenter --target "$(process)" --mount -- "$@"; }

# opens FILE: whether a program of the service may; the devices are the business of its control group.
# shellcheck disable=SC2016  # of the inner shell
opens() {
  whether bash -c 'echo $$ >"$1/cgroup.procs" && : <"$2"' _ \
    "/sys/fs/cgroup$(property ControlGroup)" "$1"
}

process_can_do_nothing_else() {
  local set
  is homeward "$(stat --format %U "/proc/$(process)")"
  is homeward "$(property User)"
  for set in CapInh CapPrm CapEff CapBnd CapAmb; do is 0000000000000000 "$(right $set)"; done
  is 1 "$(right NoNewPrivs)"
  is 2 "$(right Seccomp)"
  is no "$(whether test "/proc/$(process)/ns/user" -ef /proc/1/ns/user)"
  # The kernel denies this to root, too.
  is yes "$(whether inside test -w /var/lib/homeward)"
  is no "$(whether inside test -w /etc)"
  touch /root/secret
  is '' "$(inside ls --almost-all /root)"
  is yes "$(opens /dev/gpiochip0)"
  is no "$(opens /dev/kmsg)"
}

exposure_is_small() {
  local level
  level=$(systemd-analyze security --offline=true --no-pager homeward.service |
    sed -n 's/.*exposure level for homeward.service: \([0-9.]*\).*/\1/p')
  echo "exposure $level, at most $exposure_max"
  awk -v level="$level" -v most="$exposure_max" 'BEGIN { exit !(level != "" && level <= most) }'
}

# ---- what it does ------------------------------------------------------------------------------

lines_work() {
  play-line Door high
  arrives on "binary_sensor.${board}_door"
  play-line Door low
  arrives off "binary_sensor.${board}_door"
  soon yes whether command_board "$board" command_gpio '{"output":"Horn","command":"turn_on"}'
  soon 1 play-line Horn
  soon 0 play-line Horn
}

# The next cycle is in an hour: the kernel says it by netlink.
mains_arrive_at_once() {
  arrives on "binary_sensor.${board}_test_ac_online"
  play-battery capacity=17 mains=off
  arrives off "binary_sensor.${board}_test_ac_online"
  arrives 17 "sensor.${board}_test_battery_capacity"
  play-battery mains=on
  arrives on "binary_sensor.${board}_test_ac_online"
}

home_is_joined() {
  play-network on
  play-access-point wlan0 Harbour 1 'under the keel'
  play-station join 'Harbour:under the keel'
  lease wlan1 192.168.1.50 192.168.1.1
  soon home way
  play-line Door high
  arrives on "binary_sensor.${board}_door"
  is yes "$(whether came plain 192.168.1.50)"
  play-station leave
  give_back wlan1
  soon instance way
}

cable=/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_VICTRON-if00-port0

reload_is_taken() {
  local before
  before=$(process)
  configure 5s <<EOT
location: { source: gpsd, moving: { every: 1s }, parked: { every: 10s } }
sensors:
  - $door
  - { ve_direct: $cable, name: Solar, only: [voltage] }
EOT
  play-service reload
  soon yes whether says_it_is_every_5_seconds
  is "$before" "$(process)"
}
says_it_is_every_5_seconds() { log | grep 'every 5 s'; }

# Its driver is loaded, and its kind of devices known, when it is plugged in: long after the service has
# started.
first_adapter_is_plugged_in() {
  is no "$(whether grep ttyUSB /proc/devices)"
  play-victron says 12800
  play-victron back
  arrives 12.8 "sensor.${board}_solar_voltage"
  is yes "$(whether grep ttyUSB /proc/devices)"
}

adapter_is_gone_and_back() {
  play-victron gone
  arrives unavailable "sensor.${board}_solar_voltage"
  play-victron says 13100
  play-victron back
  arrives 13.1 "sensor.${board}_solar_voltage"
}

latitude() { told "device_tracker.$board" | first_group '"latitude":([-0-9.]*)'; }

receiver_is_plugged_in() {
  play-receiver stands 5255.99521 00501.85447
  play-receiver back
  soon 52.9332535 latitude
}

# ---- how it ends, and comes back ---------------------------------------------------------------

# reach yes|no: whether the service comes to Home Assistant; the checks do.
reach() {
  local user
  user=$(id -u homeward)
  ip rule del uidrange "$user-$user" prohibit 2>/dev/null || true
  [[ $1 == yes ]] || ip rule add uidrange "$user-$user" prohibit
}

# waiting: how many entries are on the disk, as the program says without the service.
waiting() { homeward spool list --json | first_group '"waiting": *([0-9]*)'; }
told_history() { happened '"event_type": *"homeward_history"'; }
has_told_more() { [[ $(told_history) -gt $1 ]]; }
has_entries() { [[ $(agent_status | first_group '"history":\{[^}]*"entries":([0-9]*)') -gt 0 ]]; }

stop_keeps_what_waits() {
  local before
  before=$(told_history)
  reach no
  play-line Door low
  play-line Door high
  play-line Door low
  soon yes whether has_entries
  play-service stop
  is inactive "$(property ActiveState)"
  is success "$(property Result)"
  is yes "$(whether test "$(waiting)" -gt 0)"
  is '' "$(find /var/lib/homeward ! -user homeward)"
  reach yes
  play-service start
  arrives off "binary_sensor.${board}_door"
  soon yes whether has_told_more "$before"
}

# Nothing but the agent switches it off: its line is low while it is on, and when no program holds it.
switch_lamp_on() {
  soon yes whether command_board "$board" command_gpio '{"output":"Lamp","command":"turn_on"}'
  soon 0 play-line Lamp
}

killed_service_is_back() {
  local before
  before=$(process)
  switch_lamp_on
  play-service KILL
  soon yes new_process "$before"
  soon 1 play-line Lamp
  play-line Door high
  arrives on "binary_sensor.${board}_door"
}

# The second one in ten minutes is followed by a pause of half a minute.
outputs_are_safe_while_the_service_waits() {
  switch_lamp_on
  play-service KILL
  soon yes whether waits_after_crashes
  soon 1 play-line Lamp
  # The chip would follow the world.
  play-line Lamp high
  play-line Lamp low
  is 1 "$(play-line Lamp)"
  is yes "$(whether waits_after_crashes)"
  play-service restart
  soon yes whether says_what_home_assistant_has
}
waits_after_crashes() { property StatusText | grep 'Waits before'; }

crash_is_told() {
  local before
  before=$(process)
  rm -f /run/homeward/starts
  play-service SEGV
  soon yes new_process "$before"
  soon yes whether last_words
  last_words >"/run/exchange/last-words-${kind#service-}"
  soon SIGSEGV cause_of_last_crash
}
# The journal may have them a moment later.
last_words() { log | grep --max-count=1 'ended by SIGSEGV'; }
cause_of_last_crash() { state "sensor.${board}_last_crash" | grep --only-matching SIGSEGV; }

systemctl is-system-running --wait >/dev/null || true
stay_offline
prepare_board >pair.log 2>&1 || cat pair.log
# Of what holds also in a world that stands still.
if [[ -z $still ]]; then
  check "the package is as it was made, and so is its unit" package_is_as_it_was
  check "the service runs, and tells systemd what Home Assistant has" service_runs
  check "the process is of its own user, and can do nothing but its work" process_can_do_nothing_else
  check "its exposure is at most $exposure_max" exposure_is_small
fi
check "a GPIO line arrives, and another one is switched" lines_work
check "a plug that is pulled arrives at once, with the battery" mains_arrive_at_once
check "the kernel tells which network the board has joined" home_is_joined
check "a reload takes the configuration, in the same process" reload_is_taken
check "an adapter whose driver came after the service works" first_adapter_is_plugged_in
check "an adapter is unplugged, and back" adapter_is_gone_and_back
check "a position arrives from Debian's gpsd" receiver_is_plugged_in
check "what waits is kept when the service stops, and arrives" stop_keeps_what_waits
check "a service that is killed comes back, with its outputs off" killed_service_is_back
check "a service that waits after crashes holds its outputs safe" outputs_are_safe_while_the_service_waits
check "a crash is told to Home Assistant by the next start" crash_is_told
# A program acts, not the world.
if [[ -z $still ]]; then
  check "the unit refuses all but the work of the service" service_refuses_all_but_its_work
  check "a report sets the alarm, and starts the program behind it" report_starts_the_program
  check "one that does not arrive sets it, too, and starts none" report_that_does_not_arrive_starts_none
fi
log >>/run/exchange/agent.log
