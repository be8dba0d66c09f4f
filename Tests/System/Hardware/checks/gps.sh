# shellcheck shell=bash
# A GPS receiver, and gpsd. The recording is that of deploy/lab, which begins in a harbour.
# shellcheck disable=SC2154  # soon_seconds, of guest/words.sh

modprobe -a xhci-pci ftdi_sio

# reports PORT: what gpsd reports there within some seconds.
reports() { timeout "$soon_seconds" gpspipe --json "127.0.0.1:$1"; }

# fix PORT: the first position in three dimensions among the reports, such as "52.93 5.03".
fix() {
  reports "$1" | grep --max-count=1 '"class":"TPV".*"mode":3.*"lat"' |
    sed 's/.*"lat":\([0-9]*\.[0-9][0-9]\).*"lon":\([0-9]*\.[0-9][0-9]\).*/\1 \2/' || true
}

# listens PORT: prints 1 where a server listens (state 0A), and 0 where none does.
listens() { grep --count "$(printf ': 0100007F:%04X 00000000:0000 0A' "$1")" /proc/net/tcp; }

recording_is_served() {
  play-receiver recording 2950
  soon 1 listens 2950 || { cat receiver.log && false; }
  is '52.93 5.03' "$(fix 2950)"
  play-receiver silent
}

# read_usb: a gpsd for the receiver on USB, in the background.
read_usb() {
  soon yes whether test -c /dev/ttyUSB0
  stty -F /dev/ttyUSB0 4800 raw -echo clocal
  gpsd -N -n -b -S 2947 /dev/ttyUSB0 >gpsd.log 2>&1 &
  soon 1 listens 2947
}

fix_comes_by_usb() {
  play-receiver drive
  read_usb
  is '52.93 5.03' "$(fix 2947)"
}

# fixes PORT: how many reports of fixes come in three seconds.
fixes() { timeout 3 gpspipe --json "127.0.0.1:$1" | grep --count '"class":"TPV"'; }

receiver_falls_silent() {
  play-receiver drive
  read_usb
  is '52.93 5.03' "$(fix 2947)"
  play-receiver silent
  # What the adapter holds still comes.
  soon 0 fixes 2947
}

receiver_is_gone_and_back() {
  play-receiver gone
  soon no whether test -c /dev/ttyUSB0
  play-receiver back
  play-receiver drive
  read_usb
  is '52.93 5.03' "$(fix 2947)"
  play-receiver silent
}

check "gpsd has a fix from a recording" recording_is_served
check "gpsd has a fix from a receiver on USB" fix_comes_by_usb
check "gpsd reports no fix any more when the receiver falls silent" receiver_falls_silent
check "the receiver is unplugged, and back" receiver_is_gone_and_back
