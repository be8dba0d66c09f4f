# shellcheck shell=bash
# The life of a card, from the first mistake to the power cuts. Sourced by Tests/System/Image/run.
# shellcheck disable=SC2154

# So often the power is cut.
cuts=10
token="practice-token-of-the-image"
host_name=boat-test
# A file whose number the test lets go up. It is there when the agent starts again.
count=/var/lib/homeward/count

build_home() {
  need_packages "${agent_packages[@]}" libmicrohttpd-dev
  swift build --product practice-home
  practice=$(swift build --show-bin-path)/practice-home
}

# start_home: the practice home, which takes the names of faults from descriptor `faults`.
start_home() {
  mkfifo "$scratch/faults"
  "$practice" --port 0 --token "$token" --json --obey --journal "$scratch/journal" \
    <>"$scratch/faults" >"$scratch/home.log" 2>&1 &
  # shellcheck disable=SC2034  # for the one who ends it
  home=$!
  exec {faults}>"$scratch/faults"
  for _ in {1..100}; do
    home_port=$(sed -n 's/.*"event": *"listening".*"port": *\([0-9]*\).*/\1/p' "$scratch/home.log")
    [[ -z $home_port ]] || return 0
    sleep 0.1
  done
  fail 69 "practice-home does not say where it listens"
}

home_is() { echo "$1" >&"$faults"; }
journal_says() { grep --quiet -- "$1" "$scratch/journal"; }

# configuration: homeward.yaml of the card, as Windows' editor writes it.
configuration() {
  sed 's/$/\r/' <<EOT
card:
  country: DE
  wifi: { name: "Café \\\\ Bar; 1=2", password: "a;b\\\\c #1" }
  hostname: $host_name
  ssh_key: $(cat "$scratch/key.pub")
  token: $token
home_assistant: { url: "http://10.0.2.2:$home_port" }
device: { name: Boat }
every: 5s
durability: reading
system: off
battery: off
sensors:
  - { file: $count, name: Count }
EOT
}

free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# begin_life: the home, the key of the person, and the card that a person buys, which is larger than the
# image.
begin_life() {
  ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
  # shellcheck disable=SC2034  # for machine.sh
  ssh_port=$(free_port)
  start_home
  truncate --size 3G "$card"
}

whole() {
  begin_life
  overlays_fit
  wrong_file
  first_start
  sealed_start
  cut_ten_times
  upgrade
  hang
  way_out
}

# The firmware puts these onto the board's device tree where config.txt says so. Its own language for
# parameters only the firmware knows.
overlays_fit() {
  echo "The overlays"
  local tree overlay
  for tree in bcm2837-rpi-zero-2-w bcm2837-rpi-3-b bcm2837-rpi-3-b-plus bcm2711-rpi-4-b; do
    card_read "$tree.dtb" >"$scratch/dtb"
    for overlay in w1-gpio pps-gpio i2c-sensor; do
      card_read "overlays/$overlay.dtbo" >"$scratch/dtbo"
      holds "$overlay fits $tree" fdtoverlay -i "$scratch/dtb" -o "$scratch/both" "$scratch/dtbo"
    done
  done
}

# ---- the first starts -------------------------------------------------------------------------------

has_reported() { card_read homeward-card.txt | grep "$1" >/dev/null; }

wrong_file() {
  echo "A wrong homeward.yaml"
  local begin=$SECONDS
  configuration | sed 's/^every: 5s/every: 5 parsecs/; s/hostname: .*/hostname: not a name\r/' |
    card_write homeward.yaml
  power_on
  held "the console tells of it" soon console_says 'homeward.yaml:9:' || true
  held "the board starts nevertheless" soon console_says 'login:' || true
  cut_power
  holds "its report on the card has the key that is wrong" has_reported 'every'
  holds "it has the line" has_reported 'homeward.yaml:9:'
  holds "it has a line of the card's own section" has_reported 'homeward.yaml:4:'
  holds "the report holds no secret" has_no_secret
  holds "the root stays writable" [ "$(card_read cmdline.txt | grep --count overlayroot)" = 0 ]
  echo "         $((SECONDS - begin)) s"
}

has_no_secret() { ! has_reported "$token\|a;b"; }

first_start() {
  echo "The first start with a right one"
  local begin=$SECONDS
  configuration | card_write homeward.yaml
  power_on
  holds "it registers at the home" soon journal_says '"event": *"registration"'
  echo "         after $((SECONDS - begin)) s"
  holds "it seals its root and starts again by itself" switches_off
  echo "         after $((SECONDS - begin)) s"
  [[ -z $machine ]] || cut_power
  holds "the kernel mounts the root for reading only" card_says cmdline.txt ' ro '
  holds "a layer in memory lies over it" card_says cmdline.txt 'overlayroot=tmpfs:recurse=0'
  holds "the partition for data was grown to the end of the card" data_is_grown
  holds "the report says that all is well" has_reported 'right\|well'
}

card_says() { card_read "$1" | grep -- "$2" >/dev/null; }

data_is_grown() {
  local begin size
  read -r begin size < <(partition 3)
  echo "         it ends at $(((begin + size) / 2048)) of 3072 MiB"
  [[ $(((begin + size) / 2048)) -ge 3071 ]]
}

# ---- the sealed root --------------------------------------------------------------------------------

agent_is() { [[ $(inside systemctl is-active homeward.service) == "$1" ]]; }
# Its code is another one where a sensor cannot be read.
is_well() { says '"home_assistant":{"is_well":true' agent_status; }
agent_status() { inside homeward status --json || true; }

sealed_start() {
  echo "The second start"
  local begin=$SECONDS
  root_sum=$(sum_of 2)
  inside_first
  echo "         after $((SECONDS - begin)) s; the root is $root_sum"
  holds "the root is an overlay" says overlay inside findmnt --noheadings --output FSTYPE /
  holds "what lies below is mounted for reading only" says ro, \
    inside findmnt --noheadings --output OPTIONS /media/root-ro
  holds "what is written to the root is taken" inside touch /etc/written
  holds "the data lies on its own journalled partition" data_is_journalled
  holds "its file system was grown, too" data_fs_is_grown
  holds "the token is gone from the card" soon token_is_gone
  holds "only the agent and root can read it now" says "homeward 600" \
    inside stat --format "'%U %a'" /var/lib/homeward/token
  holds "the board has its name" says "$host_name" inside hostname
  holds "the board announces its name by mDNS" announces
  holds "the Wi-Fi network is known, although its name is odd" says 'Café \ Bar; 1=2' \
    inside nmcli --terse --fields 802-11-wireless.ssid --escape no connection show homeward-wifi-1
  holds "a password is no way in" says 'passwordauthentication no' inside sshd -T
  holds "no unit failed" has_no_failure
  holds "the hardware watchdog is armed" says RuntimeWatchdogUSec=14s inside systemctl show
  holds "the journal is in memory, and bounded" says "16M" inside journalctl --boot --unit systemd-journald
  holds "chrony keeps the time" says active inside systemctl is-active chrony.service
  holds "gpsd waits for a receiver" says active inside systemctl is-active gpsd.socket
  holds "the agent may ask the kernel whether the clock is right" says no \
    inside systemctl show --property ProtectClock --value homeward.service
  holds "the agent delivers, and has the proof" soon is_well
  holds "readings came, sealed" journal_says '"event": *"readings", *"sealed": *true'
  inside "echo 1 >$count; sync" || true
  cut_power
  holds "the root has its checksum" has_sum
}

# inside_first: the board is there, and its agent.
inside_first() {
  power_on
  held "the board is reachable" soon is_reachable
  held "the agent runs" soon agent_is active
}

has_sum() { [[ $(sum_of 2) == "$root_sum" ]]; }
token_is_gone() { card_says homeward.yaml ssh_key && ! card_says homeward.yaml "$token"; }
data_is_journalled() {
  [[ $(inside findmnt --noheadings --output FSTYPE /var/lib/homeward) == ext4 ]] &&
    says has_journal inside dumpe2fs -h /dev/vda3 2>/dev/null
}
data_fs_is_grown() {
  local mebibytes
  mebibytes=$(inside df --output=size --block-size=M /var/lib/homeward | tail -n 1 | tr -dc 0-9)
  echo "         $mebibytes MiB"
  [[ $mebibytes -gt 1000 ]]
}
has_no_failure() {
  local failed
  failed=$(inside systemctl list-units --failed --plain --no-legend) || return 1
  [[ -z $failed ]] || { echo "$failed" && return 1; }
}

# The name in a packet of mDNS: its length, the name, and "local".
announces() {
  local length
  length=$(printf '\\x%02x' "${#host_name}")
  soon grep --binary --text --quiet --perl-regexp "$length$host_name\x05local" "$scratch/packets-$start"
}

# ---- the power is cut -------------------------------------------------------------------------------

# watch_life: lets the number in the file go up, and keeps what the agent has taken of it.
watch_life() {
  # The board's shell counts.
  inside "n=$((start * 100000)); while :; do n=\$((n + 1)); echo \$n >$count.new; mv $count.new $count
    homeward status --json; echo; sleep 0.3; done" \
    >"$scratch/witness-$start" 2>/dev/null &
}

cut_ten_times() {
  local cut seconds status=0 begin=$SECONDS
  echo "The power is cut $cuts times"
  home_is 503
  for ((cut = 1; cut <= cuts; cut++)); do
    if ((cut % 3 == 0)); then
      # While it starts.
      power_on
      seconds=$((RANDOM % 30 + 1))
      sleep "$seconds.$((RANDOM % 10))"
    else
      inside_first || status=1
      watch_life
      seconds=$((RANDOM % 40 + 10))
      sleep "$seconds.$((RANDOM % 10))"
    fi
    cut_power
    if has_sum; then
      echo "         cut $cut: after $seconds s; the root has its checksum"
    else
      echo "         cut $cut: after $seconds s; the root is $(sum_of 2)"
      status=1
    fi
  done
  holds "the root keeps its checksum, and the agent is back each time" [ "$status" = 0 ]
  echo "         $((SECONDS - begin)) s"
  home_is none
  held "the board is there after all of it" inside_first || return 0
  holds "what waited is delivered" soon has_delivered
  holds "no reading is lost" python3 -B Tests/System/Image/tally.py "$scratch/journal" "$scratch"/witness-*
  holds "the file system of the data is whole" data_is_whole
}

has_delivered() { is_well && says '"entries":0' agent_status; }

data_is_whole() {
  cut_power
  local begin size
  read -r begin size < <(partition 3)
  dd if="$card" of="$scratch/data.ext4" iflag=skip_bytes,count_bytes skip=$((begin * 512)) \
    count=$((size * 512)) bs=4M conv=sparse status=none
  # Its journal holds what the kernel replays at the next start.
  e2fsck -fy "$scratch/data.ext4" >"$scratch/fsck.log" 2>&1 || [[ $? -eq 1 ]]
  e2fsck -fn "$scratch/data.ext4" >>"$scratch/fsck.log" 2>&1
}

# ---- a Raspberry Pi 3B --------------------------------------------------------------------------------

# Without a network, so all that it can do is to start.
raspi3b() {
  local kernel initramfs begin=$SECONDS
  home_port=1
  ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
  echo "A Raspberry Pi 3B"
  configuration | card_write homeward.yaml
  # The emulated slot takes powers of two only.
  truncate --size 4G "$card"
  kernel=$(card_read config.txt | sed -n 's/^kernel=//p')
  initramfs=$(card_read config.txt | sed -n 's/^initramfs //p')
  card_read "$kernel" >"$scratch/kernel"
  card_read "$initramfs" >"$scratch/initramfs"
  card_read bcm2837-rpi-3-b.dtb >"$scratch/dtb"
  console=$scratch/console
  # This machine takes it for a reset when systemd starts the watchdog.
  qemu-system-aarch64 -M raspi3b -kernel "$scratch/kernel" -initrd "$scratch/initramfs" -dtb "$scratch/dtb" \
    -append "$(card_read cmdline.txt | head -n 1 | tr -d '\r\n') console=ttyS1,115200 systemd.watchdog_sec=0 ${for_the_test[*]}" \
    -drive "if=sd,file=$card,format=raw" -display none -monitor none -no-reboot \
    -serial null -serial stdio >"$console" 2>&1 </dev/null &
  machine=$!
  holds "it provisions" soon console_says 'Finished .*homeward-provision.service'
  holds "the kernel has the board's own watchdog" console_says 'bcm2835-wdt: Broadcom'
  holds "the agent runs" soon console_says 'Started homeward.service'
  echo "         after $((SECONDS - begin)) s"
  cut_power
}
