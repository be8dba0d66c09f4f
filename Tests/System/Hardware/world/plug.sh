# shellcheck shell=bash
# A device at a serial adapter on USB. Sourced with `device` (the name of the port of this machine whose
# bytes QEMU sends out of the adapter) and `plug` (the number of the USB port) set.
# shellcheck disable=SC2154
# shellcheck source=Tests/System/Hardware/world/pause.sh
source "${BASH_SOURCE[0]%/*}/pause.sh"

pid=/run/world/$device.pid

# The port of this machine that has the name of the device.
port() {
  local file
  file=$(grep --files-with-matches --line-regexp "$device" /sys/class/virtio-ports/*/name)
  file=${file%/name}
  echo "${file##*/}"
}

# end: the device says nothing more. The port takes one program at a time, so this waits until it is gone.
end() {
  local process
  [[ -e $pid ]] || return 0
  process=$(<"$pid")
  kill "$process" 2>/dev/null || true
  while kill -0 "$process" 2>/dev/null; do pause 0.05; done
  rm "$pid"
}

# speak COMMAND...: what it prints is what the device says, from now on.
speak() {
  end
  ("$@" >"/dev/$(port)") 2>"/run/world/$device.log" </dev/null &
  echo $! >"$pid"
}

# authorize 0|1: whether the kernel has to do with what is at that USB port.
authorize() {
  local file=(/sys/bus/usb/devices/*-"$plug"/authorized)
  echo "$1" >"${file[0]}"
}
unplug() { authorize 0; }
plug_in() { authorize 1; }
