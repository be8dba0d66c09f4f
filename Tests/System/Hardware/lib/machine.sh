# shellcheck shell=bash
# The virtual machine. Sourced by Tests/System/Hardware/run.

# boot FOLDER: boots the bench until it powers off, with the folder as /run/exchange and `root` as its
# root. What the checks print comes out of stdout, the log of the kernel goes to FOLDER/console.log.
# Where `debian` is not empty, it is one of Debian, with a systemd of its own. Sets `machine` to its
# process, for who ends the run before.
boot() {
  local exchange=$1 status=0 output printer qemu append='panic=-1 quiet loglevel=5 mitigations=off'
  local memory=256
  [[ -z $debian ]] || memory=512
  case $arch in
    amd64)
      qemu=(qemu-system-x86_64 -cpu Nehalem)
      append+=' console=ttyS0 clocksource=hpet nolapic_timer no_timer_check'
      ;;
    arm64)
      qemu=(qemu-system-aarch64 -machine virt -cpu cortex-a57)
      append+=' console=ttyAMA0'
      ;;
  esac
  qemu+=(
    -nodefaults -no-user-config -display none -no-reboot
    # Emulation: one processor is faster than two, which wait for each other.
    -accel tcg -smp 1 -m "$memory"
    -kernel "$bench/kernel" -initrd "$bench/initramfs"
    -serial "file:$exchange/console.log"
    # /dev/hvc0, which carries what the checks print.
    -device virtio-serial-pci -chardev stdio,id=output,signal=on
    -device virtconsole,chardev=output
    # The GPS receiver: what the guest writes to a port goes round to a plug of its USB.
    -chardev "socket,id=plug,path=$exchange/receiver,server=on,wait=off"
    -chardev "socket,id=receiver,path=$exchange/receiver"
    -device virtserialport,chardev=receiver,name=receiver
    -device qemu-xhci -device usb-serial,chardev=plug,always-plugged=on,serial=RECEIVER
    # The host's loopback is 10.0.2.2.
    -netdev user,id=network,ipv6=off -device virtio-net-pci,netdev=network,romfile=
    # It is 10.0.3.2 in the world around the board, which play-network makes.
    -netdev user,id=world,ipv6=off,net=10.0.3.0/24 -device virtio-net-pci,netdev=world,romfile=
  )
  [[ -z $debian ]] || add_what_a_service_needs
  qemu+=(-append "$append")
  share host "$root" readonly=on
  share repository "$repository" readonly=on
  share bench "$bench" readonly=on
  share exchange "$exchange" readonly=off
  # Not to our stdout itself: QEMU makes it non-blocking, also for those who write to it later.
  exec {output}> >(exec cat)
  printer=$!
  # In the background, because bash takes no signal while it waits for a command.
  timeout --foreground --kill-after=5 "$guest_seconds_max" "${qemu[@]}" </dev/null >&"$output" &
  machine=$!
  exec {output}>&-
  wait "$machine" || status=$?
  machine=''
  wait "$printer" || true
  return $status
}

# add_what_a_service_needs: a second adapter on USB, of VE.Direct; both are not plugged in yet when the
# guest has started. (The kernel does not take them in before it is told to.)
add_what_a_service_needs() {
  append+=' usbcore.authorized_default=0 net.ifnames=0 systemd.getty_auto=no'
  # What a start that takes long waits for is in the log.
  append+=' systemd.show_status=auto'
  qemu+=(
    -chardev "socket,id=cable,path=$exchange/victron,server=on,wait=off"
    -chardev "socket,id=victron,path=$exchange/victron"
    -device virtserialport,chardev=victron,name=victron
    -device usb-serial,chardev=cable,always-plugged=on,serial=VICTRON)
}

# share TAG FOLDER OPTION: a folder that the guest can mount. A comma in its name is doubled.
share() {
  qemu+=(
    -fsdev "local,id=$1,path=${2//,/,,},security_model=none,multidevs=remap,$3"
    -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}
