# shellcheck shell=bash
# What systemd makes of the package, in a root whose systemd runs in namespaces of its own. Sourced by
# Tests/System/Package/run, which has `scratch`, `root`, `cgroup` and `holds`.
# shellcheck disable=SC2154
# boots: starts the systemd of `root` in namespaces of its own, and sets `init` to its process.
boots() {
  mkdir -p "$cgroup" || return 1
  # The shell goes into the group, and systemd with it.
  bash -c 'echo $$ >"$1/cgroup.procs" && exec unshare --pid --fork --kill-child --mount --uts \
    --ipc --net --cgroup Tests/System/Package/boot "$2"' boots "$cgroup" "$root" \
    >"$scratch/boot.log" 2>&1 </dev/null &
  outer=$!
  local state
  for _ in {1..150}; do
    sleep 0.2
    init=$(pgrep --parent "$outer" || true)
    [[ -n $init ]] || continue
    state=$(inside systemctl is-system-running 2>/dev/null || true)
    case $state in running | degraded) return 0 ;; esac
    kill -0 "$outer" 2>/dev/null || return 1
  done
  return 1
}

inside() { nsenter --target "$init" --all "$@"; }

apt_inside() {
  inside env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    apt-get --quiet --yes --no-install-recommends "$@" >"$scratch/apt.log" 2>&1
}

# SIGRTMIN+4: power off, as systemd(1) has it.
shut_down() {
  kill -s RTMIN+4 "$init" 2>/dev/null || true
  for _ in {1..100}; do
    kill -0 "$outer" 2>/dev/null || return 0
    sleep 0.2
  done
  kill -9 "$outer"
}

# soon COMMAND...: it holds within some seconds.
soon() {
  for _ in {1..100}; do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  "$@"
}

is_active() { inside systemctl is-active --quiet homeward.service; }
main_pid() { inside systemctl show --property MainPID --value homeward.service; }
status_says() { inside systemctl show --property StatusText homeward.service | grep -F -- "$1"; }
journal_says() { inside journalctl --no-pager --unit homeward.service | grep -F -- "$1"; }
has_new_pid() { local now && now=$(main_pid) && [[ $now != 0 && $now != "$1" ]] && is_active; }
has_answered() { inside homeward status --json | grep '"is_well":true'; }
# In an outage `status` ends with a code of its own.
is_registered() { [[ $(inside homeward status --json) == *'"protection":"sealed"'* ]]; }
is_owned() {
  local strangers
  strangers=$(inside find /var/lib/homeward ! -user homeward) && [[ -z $strangers ]]
}

run_by_systemd() {
  local pid
  inside ip link set lo up
  holds "the README's line gives gpsd its receiver" \
    [ "$(gpsd_variables)" = "[/dev/ttyACM0][-n][true]" ]
  start_home
  cp "$1" "$root/homeward.deb"
  holds "apt installs it while systemd runs" apt_inside install /homeward.deb
  holds "without a configuration the service is skipped, which is no failure" \
    [ "$(inside systemctl is-failed homeward.service)" = inactive ]
  inside sh -c "echo $token >/root/token"
  # shellcheck disable=SC2016  # the inner shell's
  held "pair, as root, pairs it and starts the service" \
    inside sh -c 'umask 077; homeward pair "$0" --token-file - --yes </root/token' "$url" || return 0
  holds "the service runs" soon is_active
  holds "what root wrote belongs to the service" is_owned
  holds "Home Assistant gets the data" soon has_answered
  holds "systemctl status says what Home Assistant has" soon status_says "has everything up to 20"
  holds "the service can do nothing but its work" confined
  reads_serial_lines
  pid=$(main_pid)

  inside sh -c 'echo "every: 5" >>/etc/homeward/homeward.yaml'
  inside systemctl reload homeward.service || true
  holds "a wrong configuration is refused by reload" soon journal_says "the agent keeps running with the old one"
  inside sed -i 's/^every: 5$/every: 5s/' /etc/homeward/homeward.yaml
  inside systemctl reload homeward.service || true
  holds "a good one is taken by reload" soon journal_says "every 5 s"
  holds "by the same process" [ "$(main_pid)" = "$pid" ]
  holds "which goes on" soon has_answered

  takes_credential
  pid=$(main_pid)
  comes_newer "$pid"
  pid=$(main_pid)
  fast_restarts
  inside systemctl kill --signal SEGV --kill-who main homeward.service || true
  holds "it comes back after a crash" soon has_new_pid "$pid"
  holds "the next start tells of it" soon journal_says "the agent crashed at 20"
  pid=$(main_pid)
  # Else the agent waits for half a minute: this is the second time that it ends too soon.
  inside rm -f /run/homeward/starts
  inside systemctl kill --signal STOP --kill-who main homeward.service || true
  holds "an agent that hangs is ended, and comes back" soon has_new_pid "$pid"
  holds "what it keeps is still its own" is_owned
  inside systemctl stop homeward.service || true
  holds "it stops when it is asked to" [ "$(inside systemctl is-failed homeward.service)" = inactive ]
  switched_off_by_systemd
  shut_down
  held "it boots again" boots || return 0
  holds "it comes back after a reboot" soon is_active
  holds "apt removes it while it runs" apt_inside remove homeward
  holds "the service ends" [ "$(inside systemctl is-active homeward.service)" = inactive ]
  holds "apt installs it again" apt_inside install /homeward.deb
  holds "the service runs again, with its registration" soon is_registered
  reboots_as_permitted
  holds "apt purges it while it runs" apt_inside purge homeward
  holds "the service is gone" [ "$(inside systemctl is-active homeward.service)" = inactive ]
  [[ -z $relay_package ]] || relay_by_systemd "$relay_package" "$2"
  installs_from_repository "$2"
  shut_down
}

# A long-lived token of which only root and systemd know.
takes_credential() {
  holds "without a token systemd hands on an empty one" [ -z "$(credential)" ]
  inside sh -c 'umask 077; echo told-by-systemd >/etc/homeward/token'
  inside systemctl restart homeward.service
  holds "a token of /etc/homeward is handed on" [ "$(credential)" = told-by-systemd ]
  inside rm /etc/homeward/token
  inside systemctl restart homeward.service
  holds "without it the service starts as before" soon has_answered
}

credential() { inside cat /run/credentials/homeward.service/token; }

# comes_newer PID: an upgrade while it runs, and the way back.
comes_newer() {
  local pid=$1
  cp "$scratch/newer.deb" "$root/newer.deb"
  holds "apt upgrades it while it runs" apt_inside install /newer.deb
  holds "the service is started again" soon has_new_pid "$pid"
  holds "and Home Assistant gets the data, without a new pairing" soon has_answered
  holds "what it keeps is its own" is_owned
  pid=$(main_pid)
  holds "apt downgrades it while it runs" apt_inside --allow-downgrades install /homeward.deb
  holds "the service is started again then, too" soon has_new_pid "$pid"
  holds "and goes on" soon has_answered
}

# A board that is switched off between two reports: what its script and systemd make of how a run
# ends. The agent and rtcwake are played, and the next run comes at once.
switched_off_by_systemd() {
  local unit=homeward-report.service
  install -D deploy/switched-off/homeward-report "$root/usr/local/sbin/homeward-report"
  cp "deploy/switched-off/$unit" "$root/etc/systemd/system/"
  inside mkdir -p "/run/systemd/system/$unit.d" /opt/played
  # shellcheck disable=SC2016  # the played one's
  play_in_report homeward 'echo run >>/run/runs; cat /run/moment; exit "$(cat /run/code)"'
  # shellcheck disable=SC2016  # the played one's, whose words are --mode no --time MOMENT
  play_in_report rtcwake '[ "$4" ] && echo "$4" >/run/alarm'
  play_in_report program '[ -s /run/alarm ] && touch /run/arrived; exit 1'
  printf '%s\n' '[Service]' RestartSec=100ms ExecStart= ExecStartPost= \
    Environment=PATH=/opt/played:/usr/sbin:/usr/bin:/sbin:/bin \
    'ExecStart=/usr/local/sbin/homeward-report program' 'ExecStartPost=/bin/touch /run/off' |
    inside tee "/run/systemd/system/$unit.d/test.conf" >/dev/null
  inside systemctl daemon-reload
  holds "a report waits for the end of the agent that it stops" is_after_agent "$unit"
  report_ends 72 ''
  inside systemctl start --no-block "$unit"
  holds "a report that sets no alarm is repeated, and never given up" soon has_run 8
  holds "the board stays on meanwhile" inside test ! -e /run/off
  report_ends 75 "$(date --date '+1 minute' +%s)"
  holds "so it is while the alarm is too near" soon has_run 16
  holds "the board stays on then, too" inside test ! -e /run/off
  report_ends 75 "$(date --date '+1 hour' +%s)"
  holds "with an alarm it is switched off, also when Home Assistant was away" \
    soon inside test -e /run/off
  holds "which is no failure" soon report_is inactive
  holds "no program follows what did not arrive" inside test ! -e /run/arrived
  inside rm -f /run/off /run/alarm
  report_ends 0 "$(date --date '+1 hour' +%s)"
  inside systemctl start "$unit" || true
  holds "a program follows what arrived, after the alarm" inside test -e /run/arrived
  holds "the board is switched off, although the program failed" inside test -e /run/off
}

# play_in_report PROGRAM SCRIPT: what the unit of the report starts by this name.
play_in_report() {
  printf '#!/bin/sh\n%s\n' "$2" | inside tee "/opt/played/$1" >/dev/null
  inside chmod 755 "/opt/played/$1"
}

# report_ends CODE MOMENT: so the next runs of the agent end, with that moment on standard output.
report_ends() { inside tee /run/code <<<"$1" && inside tee /run/moment <<<"$2"; } >/dev/null

is_after_agent() { [[ $(inside systemctl show --property After "$1") == *homeward.service* ]]; }
report_is() { [[ $(inside systemctl is-active homeward-report.service) == "$1" ]]; }
has_run() { [[ $(inside grep --count . /run/runs) -ge $1 ]]; }

# Here the next start comes at once. An agent that
# hangs is noticed in seconds, not in half an hour, and has no long time to end.
fast_restarts() {
  inside mkdir -p /run/systemd/system/homeward.service.d
  printf '[Service]\nRestartSec=100ms\nWatchdogSec=2s\nTimeoutStopSec=2s\n' |
    inside sh -c 'cat >/run/systemd/system/homeward.service.d/test.conf'
  inside systemctl daemon-reload
}

# confined [PID]: the kernel's word for what a process may do; the agent, if none is named.
confined() {
  local status
  status=$(inside cat "/proc/${1:-$(main_pid)}/status")
  grep --quiet '^CapBnd:[[:space:]]*0*$' <<<"$status" &&
    grep --quiet '^NoNewPrivs:[[:space:]]*1$' <<<"$status" &&
    grep --quiet '^Seccomp:[[:space:]]*2$' <<<"$status"
}

# reads_serial_lines: what the unit makes of the classes of other boards' kernels. They are played,
# with numbers that no driver has.
reads_serial_lines() {
  local class
  # Numbers for local use, by the kernel's list.
  printf '%s\n' 'Character devices:' '  1 mem' ' 60 ttyAML' ' 61 ttymxc' ' 62 ttySC' ' 63 ttyprintk' '120 tty' \
    >"$root/root/devices"
  for class in 60 61 62 63 120 121; do inside mknod "/dev/played-$class" c "$class" 2 || true; done
  inside mount --bind /root/devices /proc/devices
  inside systemctl restart homeward.service
  inside umount /proc/devices
  if ! refuses '<' /dev/played-121; then
    echo "NOT RUN: package: the kernel here keeps no service from devices"
    return
  fi
  holds "it may read a serial line of Amlogic's driver" reaches /dev/played-60
  holds "one of NXP's" reaches /dev/played-61
  holds "and one of a HAT" reaches /dev/played-62
  holds "not what has the number of the console" refuses '<' /dev/played-63
  holds "nor a terminal" refuses '<' /dev/played-120
  holds "and it may write to no serial line" refuses '>' /dev/played-60
}

# reaches FILE: whether a process of the service comes to where the driver would be.
reaches() { [[ $(opens '<' "$1") == *'No such device'* ]]; }
# refuses REDIRECTION FILE
refuses() { [[ $(opens "$@") == *'Operation not permitted' ]]; }

# opens REDIRECTION FILE: prints the error with which a process of the service fails to.
opens() {
  # shellcheck disable=SC2016  # the inner shell's
  inside env LC_ALL=C bash -c 'echo $$ >"/sys/fs/cgroup$1/cgroup.procs"; eval ": $2\"\$3\""' opens \
    "$(inside systemctl show --property ControlGroup --value homeward.service)" "$@" 2>&1 || true
}

# reboots_as_permitted: after a removal, too, the board waits for requests of the agent where a person
# has permitted it. One that is there from before would end this root.
reboots_as_permitted() {
  holds "a reboot that is not permitted stays so" reboot_is inactive
  inside systemctl --quiet enable --now homeward-reboot.path
  holds "apt removes it once it is permitted" apt_inside remove homeward
  inside sh -c 'mkdir -p /run/homeward && touch /run/homeward/reboot'
  holds "and installs it again, which does not reboot" apt_inside install /homeward.deb
  holds "it is permitted as before" reboot_is active
  holds "and no request waits" inside test ! -e /run/homeward/reboot
}

reboot_is() { [[ $(inside systemctl is-active homeward-reboot.path) == "$1" ]]; }

# The practice home, in the network of the root.
start_home() {
  local line=
  token=practice
  exec {home_output}< <(exec nsenter --target "$init" --net \
    "$(swift build --show-bin-path)/practice-home" --port 18123 --json 2>"$scratch/home.errors")
  # shellcheck disable=SC2034  # for the one who ends it
  home=$!
  read -r -t 30 line <&"$home_output" || true
  url=$(sed -n 's/.*"event": *"listening".*"url": *"\([^"]*\)".*/\1/p' <<<"$line")
  url=${url//\\\//\/}
  [[ -n $url ]] || fail 69 "practice-home does not say where it listens, but: '$line'"
  cat <&"$home_output" >"$scratch/home.log" 2>&1 &
}
