# shellcheck shell=bash
# The board: an emulated machine that starts from the card as the firmware of a Raspberry Pi does. Sourced
# by Tests/System/Image/run, with `scratch` and `card` (the image file) set.
# shellcheck disable=SC2154

for_the_test=(systemd.journald.forward_to_console=1 systemd.journald.max_level_console=info
  systemd.default_device_timeout_sec=300 systemd.default_timeout_start_sec=600)

# What the board's watchdog does. Where other tests have the processors, an emulated board that is well
# may stand still for longer than its watchdog waits.
watchdog=none

# How long a board may take for a start, with other tests beside it.
start_seconds_max=1200

# ---- the card in a PC -------------------------------------------------------------------------------

# The FAT partition begins after the first 4 MiB.
card_read() { MTOOLS_SKIP_CHECK=1 mtype -i "$card@@4M" "::$1" 2>/dev/null; }
card_write() { MTOOLS_SKIP_CHECK=1 mcopy -o -i "$card@@4M" - "::$1"; }
card_remove() { MTOOLS_SKIP_CHECK=1 mdel -i "$card@@4M" "::$1" 2>/dev/null || true; }

# partition NUMBER: its begin and its size, in sectors.
partition() { sfdisk --dump "$card" | sed -n "s/^[^ ]*$1 : start= *\([0-9]*\), size= *\([0-9]*\),.*/\1 \2/p"; }

# sum_of NUMBER: the checksum of a partition.
sum_of() {
  local begin size
  read -r begin size < <(partition "$1")
  dd if="$card" iflag=skip_bytes,count_bytes skip=$((begin * 512)) count=$((size * 512)) bs=4M \
    status=none | sha256sum | cut -d ' ' -f 1
}

# ---- the power --------------------------------------------------------------------------------------

# power_on: starts the machine from what config.txt names, with the arguments of cmdline.txt.
power_on() {
  local kernel initramfs arguments
  kernel=$(card_read config.txt | sed -n 's/^kernel=//p')
  initramfs=$(card_read config.txt | sed -n 's/^initramfs //p')
  arguments=$(card_read cmdline.txt | head -n 1 | tr -d '\r\n')
  card_read "$kernel" >"$scratch/kernel"
  card_read "$initramfs" >"$scratch/initramfs"
  start=$((start + 1))
  console=$scratch/console-$start
  # The console of this machine is another one than the board's, and shows what the journal has. Devices
  # appear late, because each instruction is emulated.
  qemu-system-aarch64 -M virt -cpu cortex-a53 -smp 2 -m 512 -accel tcg,thread=multi -nographic \
    -no-reboot -kernel "$scratch/kernel" -initrd "$scratch/initramfs" \
    -append "${arguments//console=tty0/} console=ttyAMA0 ${for_the_test[*]}" \
    -drive "if=none,file=$card,format=raw,id=card" -device virtio-blk-device,drive=card \
    -netdev "user,id=net,hostfwd=tcp:127.0.0.1:$ssh_port-:22" -device virtio-net-device,netdev=net \
    -object "filter-dump,id=dump,netdev=net,file=$scratch/packets-$start" \
    -device i6300esb -action "watchdog=$watchdog" >"$console" 2>&1 </dev/null &
  machine=$!
}

is_on() { kill -0 "$machine" 2>/dev/null; }

# cut_power: between one instruction and the next.
cut_power() {
  kill -9 "$machine" 2>/dev/null || true
  wait "$machine" 2>/dev/null || true
  machine=''
}

# switches_off: the machine ends by itself, as for a restart.
switches_off() {
  for _ in $(seq $((start_seconds_max * 2))); do
    if ! is_on; then
      wait "$machine" || return 1
      machine=''
      return 0
    fi
    sleep 0.5
  done
  return 1
}

# soon COMMAND...: it holds before the time of a start is over, while the board is on.
soon() {
  local end=$((SECONDS + start_seconds_max))
  until "$@" &>/dev/null; do
    if ! is_on || [[ $SECONDS -ge $end ]]; then "$@"; return; fi
    sleep 0.5
  done
}

# ---- the way in -------------------------------------------------------------------------------------

console_says() { grep --text --quiet -- "$1" "$console"; }

# inside COMMAND: in a shell of the board's root.
inside() {
  ssh -q -i "$scratch/key" -p "$ssh_port" -o BatchMode=yes -o ConnectTimeout=20 \
    -o StrictHostKeyChecking=accept-new -o "UserKnownHostsFile=$scratch/known_hosts" \
    root@127.0.0.1 "$@" </dev/null
}

is_reachable() { inside true; }

