# shellcheck shell=bash
# What the unit of the service refuses: a program in the place of the agent tries what a program may want.
# shellcheck disable=SC2154  # home_url and cable, which others set

tried=/var/lib/homeward/tried
drop_in=/run/systemd/system/homeward.service.d/tries.conf

# prepare_program: what it tries to reach is there, and but for the service it could.
prepare_program() {
  local bus
  bus=$(grep --files-with-matches 'SMBus stub' /sys/class/i2c-dev/*/name)
  bus=${bus%/name}
  install -d -m 755 /home/pi
  install -d -o homeward /srv/homeward
  echo word >/home/pi/word
  chmod 644 /home/pi/word
  install -m 4755 /usr/bin/id /usr/local/bin/id-of-root
  printf '[Service]\nExecStart=/bin/true\n' >/run/systemd/system/harmless.service
  systemctl daemon-reload
  # The guest's own words: the script gets no others.
  sed "s|@BUS@|${bus##*-}|; s|@HOME@|$home_url|; s|@PORT@|$(realpath "$cable")|" >/usr/local/bin/tries <<'EOT'
#!/bin/bash
# mmap(2) has another number on each processor.
case $(uname -m) in aarch64) map=222 ;; *) map=9 ;; esac
may() { if "${@:2}" >/dev/null; then echo "$1 yes"; else echo "$1 no"; fi; }
script() { perl -MSocket -e "$1"; }
switches_a_line() {
  script 'sysopen(my $chip, "/dev/gpiochip0", 2) or die $!;
    # Of gpio_v2_line_request: offsets, consumer, flags (an output), attributes, lines, events, descriptor.
    my $line = pack("L64 a32 Q L x20 x240 L L x20 l", 9, (0) x 63, "tries", 8, 0, 1, 0, -1);
    ioctl($chip, 0xc250b407, $line) or die $!'
}
is_root() { [[ $(id-of-root -u) == 0 ]]; }
{
  may state touch /var/lib/homeward/mine
  may runtime touch /run/homeward/mine
  may temporary touch /tmp/mine
  may elsewhere touch /srv/homeward/mine
  may home cat /home/pi/word
  may gpio switches_a_line
  may i2c i2cget -f -y @BUS@ 0x48 0
  may serial script 'sysopen(my $port, "@PORT@", 0x902) or die $!'
  may clock script 'sysopen(my $clock, "/dev/rtc0", 0) or die $!'
  may sysfs bash -c 'echo 0 >/sys/class/rtc/rtc0/wakealarm'
  may network curl --silent --show-error --max-time 10 @HOME@
  may bus busctl call org.freedesktop.DBus / org.freedesktop.DBus ListNames
  # An address family that there is not is another error than a lack of rights.
  may family script 'socket(my $socket, 17, SOCK_RAW, 0) or $! != 97 or die $!'
  may processes test -d /proc/1
  may jit script "syscall($map, 0, 4096, 7, 0x22, -1, 0) >= 0 or die \$!"
  may priority script 'setpriority(0, 0, 5) or die $!'
  may limits bash -c 'ulimit -c 0'
  may owner script 'chown(-1, -1, "/var/lib/homeward/mine") or die $!'
  may setuid is_root
  may systemctl systemctl start harmless.service
  may poweroff systemctl poweroff
} >/var/lib/homeward/tried.new 2>/var/lib/homeward/tried.errors
mv /var/lib/homeward/tried.new /var/lib/homeward/tried
EOT
  chmod 755 /usr/local/bin/tries
}

# refused: what the program could not do in the place of the agent.
refused() {
  mkdir -p "${drop_in%/*}"
  printf '%s\n' '[Service]' Type=oneshot Restart=no WatchdogSec=0 ExecStart= \
    ExecStart=/usr/local/bin/tries >"$drop_in"
  systemctl daemon-reload
  systemctl restart homeward.service
  rm "$drop_in"
  systemctl daemon-reload
  sed -n 's/ no$//p' "$tried" | tr '\n' ' '
}

service_refuses_all_but_its_work() {
  prepare_program
  is 'elsewhere home i2c serial clock sysfs family processes jit priority owner setuid systemctl poweroff ' \
    "$(refused)"
  is no "$(whether test -e /tmp/mine)"
}
