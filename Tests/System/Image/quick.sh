# shellcheck shell=bash
# What of the card needs no machine. Sourced by Tests/System/Image/run.
# shellcheck disable=SC2154

quick() {
  need_packages genimage mtools dosfstools fdisk e2fsprogs systemd jq xz-utils
  local agent
  agent=$(native_agent)
  units_of_the_card
  zero_2_w
  small_card
  manifest "$scratch/small.img"
  injected
  root_injected
  provisioned "$agent"
}

# native_agent: prints the path of the agent for this machine.
native_agent() {
  if [[ -z $package ]]; then
    deploy/build
  else
    need_packages "${agent_packages[@]}"
    dpkg-deb --extract "$package" "$scratch/package"
    echo "$scratch/package/usr/bin/homeward"
  fi
}

# ---- the units ----------------------------------------------------------------------------------------

units_of_the_card() {
  echo "The units of the card"
  mkdir -p "$scratch/units"
  cp -R deploy/card/root/etc/systemd/system/. deploy/card/injected/*.service "$scratch/units"
  # What is not on this machine, or has another place here.
  cp deploy/debian/homeward.service "$scratch/units/homeward.service"
  printf '#!/bin/sh\n' >"$scratch/program"
  chmod 755 "$scratch/program"
  find "$scratch/units" -name '*.service' -exec sed -i \
    "s,=/usr/bin/homeward,=$scratch/program,; /^@NOTIFY@\$/d; s,/usr/lib/systemd/systemd-growfs,$scratch/program," {} +
  local unit
  for unit in "$scratch"/units/homeward-*.{service,path}; do
    holds "${unit##*/} has no mistake" verifies "$unit"
  done
  holds "without the agent the card is not read" is_skipped deploy/card/root/etc/systemd/system/homeward-provision.service
  holds "a loss of power during the installation is repaired" repairs deploy/card/injected/homeward-install.service
}

# is_skipped UNIT: whether it is skipped, and does not fail, where the agent was removed.
is_skipped() { grep --quiet '^ConditionFileIsExecutable=/usr/bin/homeward$' "$1"; }

# repairs UNIT: whether what a loss of power left of an installation is finished before apt is asked.
repairs() {
  [[ $(sed -n 's/^ExecStart=-\{0,1\}\([^ ]*\).*/\1/p' "$1" | head -n 2 | xargs) == '/usr/bin/dpkg /usr/bin/apt-get' ]] &&
    grep --quiet '^ExecStart=-/usr/bin/dpkg .*--configure --pending$' "$1"
}

# Debian has firmware for one of the two chips of its boards.
zero_2_w() {
  holds "deploy/image tells of the Zero 2 W that stays without a network" says BCM43430/2 words_for zero-2-w
  holds "but not for another board" silent_for 3
}
# words_for BOARD: it ends at once, for there is no such configuration.
words_for() { deploy/image --board "$1" --config "$scratch/none" 2>&1 || true; }
silent_for() { ! says BCM43430 words_for "$1"; }

# verifies UNIT: what systemd says of other units is not looked at.
verifies() {
  local words
  words=$(SYSTEMD_LOG_TARGET=console SYSTEMD_UNIT_PATH="$scratch/units:" systemd-analyze verify --man=no "$1" 2>&1 |
    grep "$(basename "$1")") || return 0
  echo "$words"
  return 1
}

# ---- genimage, with a root of some files --------------------------------------------------------------

small_card() {
  echo "A card with a small root"
  local place
  mkdir -p "$scratch"/small/{boot/firmware/overlays,dev,etc,var/lib/homeward}
  cp deploy/card/root/etc/fstab "$scratch/small/etc/"
  for place in config.txt cmdline.txt overlays/b overlays/a; do echo "$place" >"$scratch/small/boot/firmware/$place"; done
  card=$scratch/small.img
  make_small "$card"
  local second=$SECONDS
  until [[ $SECONDS != "$second" ]]; do sleep 0.1; done # A clock that was read would differ.
  make_small "$scratch/again.img"
  holds "made twice, it is the same" cmp "$card" "$scratch/again.img"
  rm "$scratch/again.img"
  holds "its table has three partitions, and the number that fstab names" table_is_right
  holds "the FAT partition has its files" says config.txt card_read config.txt
  holds "the root has device files" has_devices
  dd if="$card" of="$scratch/root.ext4" bs=1M skip="$(($(partition 2 | cut -d ' ' -f 1) / 2048))" count=1024 \
    conv=sparse status=none
  holds "the file system of the root is whole" quietly e2fsck -fn "$scratch/root.ext4"
  rm "$scratch/root.ext4"
}

# quietly COMMAND...: shows what it says where it fails.
quietly() { "$@" &>"$scratch/words" || { cat "$scratch/words" && return 1; }; }

# make_small FILE
make_small() (
  source deploy/lib/foreign-root.sh
  # shellcheck disable=SC2034  # of foreign-root.sh
  mirror=''
  use_newer_mke2fs
  # A file that is newer than the changelog.
  touch "$scratch/small/etc/fstab"
  tar --directory "$scratch/small" --sort=name --numeric-owner --owner=0 --group=0 --create --file "$scratch/small.tar" .
  SOURCE_DATE_EPOCH=$(date --date '2026-01-01 UTC' +%s) TZ=UTC0 deploy/lib/card.sh image "$scratch/small.tar" "$1" \
    &>"$scratch/genimage.log" || { cat "$scratch/genimage.log" && exit 1; }
)

table_is_right() {
  local table number
  table=$(sfdisk --dump "$card")
  number=$(sed -n 's/^label-id: 0x//p' <<<"$table")
  [[ $(sed -n 's/.*type=\([^,]*\).*/\1/p' <<<"$table" | xargs) == 'c 83 83' ]] &&
    for partition in 1 2 3; do
      grep --quiet "^PARTUUID=$number-0$partition " deploy/card/root/etc/fstab || return 1
    done && grep --quiet "^ROOTPART=PARTUUID=$number-02\$" deploy/card/root/etc/default/raspi-firmware
}

has_devices() {
  local begin
  begin=$(partition 2 | cut -d ' ' -f 1)
  debugfs -R 'stat /dev/null' "$card?offset=$((begin * 512))" 2>/dev/null |
    grep --quiet 'Type: character special.*Mode:  0666'
}

# says TEXT COMMAND...: whether a command prints the text. All of what it prints is read, for it may come
# from a machine.
says() {
  local text
  text=$("${@:2}") && grep --quiet --fixed-strings -- "$1" <<<"$text"
}

# ---- Raspberry Pi Imager -------------------------------------------------------------------------------

# What Imager's schema asks of an entry (doc/json-schema/os-list-schema.json of its sources), and that the
# sums are those of the files.
manifest() {
  echo "The manifest for Raspberry Pi Imager"
  truncate --size 8M "$1"
  deploy/imager-manifest "$1" https://example.org/homeward >"$scratch/manifest"
  holds "it has what Imager's schema asks for, and nothing else at its top" quietly jq --exit-status '
    keys == ["os_list"] and (.os_list | length) == 1 and (.os_list[0] |
      ([.name, .description, .icon, .url, .extract_sha256, .release_date, .init_format] | all(type == "string")) and
      ([.extract_size, .image_download_size] | all(type == "number" and . > 0)) and
      (.release_date | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")) and
      (.init_format | IN("none", "systemd", "cloudinit", "cloudinit-rpi", "rpi-preseed")) and
      (.devices | length > 0 and all(type == "string")))' "$scratch/manifest"
  holds "the image behind it has its sum and its size" sums_are_right "$1"
}

sums_are_right() {
  local entry
  entry=$(xz --decompress --stdout "$1.xz" | sha256sum | cut -d ' ' -f 1)
  jq --exit-status --arg sum "$entry" --arg packed "$(sha256sum "$1.xz" | cut -d ' ' -f 1)" \
    --argjson size "$(stat --format %s "$1")" --argjson download "$(stat --format %s "$1.xz")" \
    '.os_list[0] | .extract_sha256 == $sum and .image_download_sha256 == $packed and
      .extract_size == $size and .image_download_size == $download' "$scratch/manifest" >/dev/null
}

# ---- a card of Raspberry Pi OS ---------------------------------------------------------------------------

injected() {
  echo "deploy/inject"
  local folder=$scratch/bootfs
  # What Imager writes; none of it is ours.
  mkdir "$folder"
  printf '#cloud-config\nhostname: from-imager\nruncmd:\n- [ true ]\n' >"$folder/user-data"
  mkdir -p "$scratch/has-agent"
  play "$scratch/has-agent/dpkg" 'echo "Status: install ok installed"'
  play "$scratch/has-agent/systemctl" 'exit 1'
  holds "a board that has the agent keeps it when cloud-init begins anew" \
    with_agent sh deploy/card/injected/vendor-data
  echo 'instance_id: rpi-imager-1763600000000' >"$folder/meta-data"
  echo 'not a package' >"$scratch/any.deb"
  echo 'home_assistant: { url: http://homeassistant.local:8123 }' >"$scratch/boat.yaml"

  # An image with a FAT partition from 4 MiB on.
  card=$scratch/bootfs.img
  truncate --size 64M "$card"
  printf 'start=4MiB, size=40MiB, type=c\nsize=16MiB, type=83\n' | sfdisk --quiet "$card"
  MTOOLS_SKIP_CHECK=1 mformat -i "$card@@4M" -F -T $((40 * 2048)) ::
  for place in user-data meta-data; do card_write "$place" <"$folder/$place"; done

  holds "it takes an image" inject "$card"
  holds "the board will find all that it needs" card_is_injected
  holds "what Imager wrote is as it was" cmp <(card_read user-data) "$folder/user-data"
  holds "it takes a card that this machine mounted" inject "$folder"
  holds "that has the same" folder_is_injected "$folder"
  holds "it takes it again" inject "$folder"
  echo 'root=PARTUUID=a-02 rootwait resize ds=nocloud;i=rpi-imager-1' >"$folder/cmdline.txt"
  holds "of a fresh card it says nothing" says_nothing_of_a_start "$folder"
  echo 'root=PARTUUID=a-02 rootwait ds=nocloud;i=rpi-imager-1' >"$folder/cmdline.txt"
  holds "a card that a board has started is told of" says 'nothing is installed' words_of_inject "$folder"
  rm "$folder/cmdline.txt"
  rm "$folder/homeward.yaml"
  holds "without a configuration it takes the card, too" deploy/inject --package "$scratch/any.deb" "$folder" \
    2>>"$scratch/inject.log"
  holds "which has one to be filled in" cmp "$folder/homeward.yaml" deploy/card/injected/homeward.yaml
  : >"$folder/kernel7.img"
  holds "a card with 32 bits is refused" ends_with 65 inject "$folder"
  rm "$folder/kernel7.img"
  echo '#cloud-config' >"$folder/vendor-data"
  holds "another vendor-data is refused" ends_with 73 inject "$folder"
  holds "it stays as it is" says '#cloud-config' cat "$folder/vendor-data"
  rm "$folder/meta-data"
  holds "a card without cloud-init is refused" ends_with 65 inject "$folder"
}

# with_agent COMMAND...: on a board that has the package.
with_agent() { env PATH="$scratch/has-agent:/usr/bin:/bin" "$@"; }
inject() { deploy/inject --package "$scratch/any.deb" --config "$scratch/boat.yaml" "$1" 2>>"$scratch/inject.log"; }
words_of_inject() { deploy/inject --package "$scratch/any.deb" --config "$scratch/boat.yaml" "$1" 2>&1; }
says_nothing_of_a_start() { ! says 'nothing is installed' words_of_inject "$1"; }
ends_with() {
  local status=0
  "${@:2}" || status=$?
  [[ $status -eq $1 ]]
}
injected_files=(homeward/homeward.deb homeward/homeward-provision.service homeward/homeward-install.service
  homeward/card.conf homeward.yaml vendor-data)
card_is_injected() {
  local file
  for file in "${injected_files[@]}"; do [[ -n $(card_read "$file") ]] || { echo "$file" && return 1; }; done
}
folder_is_injected() {
  local file
  for file in "${injected_files[@]}"; do cmp <(card_read "$file") "$1/$file" || return 1; done
}

# ---- the root of an image --------------------------------------------------------------------------------

# root_injected: the step of deploy/inject --root. Its fuse2fs is played: it writes the last of the
# root after that is unmounted, as the real one does. The programs of the root are played, too.
root_injected() {
  echo "deploy/inject --root"
  local root=$scratch/played program
  mkdir -p "$root"/{dev,proc,var/tmp,usr/sbin,etc/systemd/system} "$scratch/bin"
  for program in /bin/sh /usr/bin/env $(ldd /bin/sh /usr/bin/env | grep --only-matching '/lib[^ ]*' | sort --unique); do
    install -D "$program" "$root$program"
  done
  play "$root/usr/bin/apt-get" ': >/var/tmp/installed'
  play "$root/usr/bin/systemctl" ': >/var/tmp/enabled'
  # shellcheck disable=SC2016  # of the other shell
  play "$scratch/bin/fuse2fs" 'for mounted; do :; done' \
    'if [ "$1" != -f ]; then "$0" -f "$@" & sleep 1; exit; fi' \
    'mount --bind "$PLAYED" "$mounted" || exit' 'while mountpoint -q "$mounted"; do sleep 0.1; done' \
    'sleep 1; : >"$PLAYED/whole"'
  holds "the agent is installed into the root" inject_root "$root"
  holds "which is whole then" test -e "$root/whole"
  holds "its card is read at each start" test -e "$root/etc/systemd/system/homeward-provision.service"
  holds "a root that does not mount is refused" ends_with 69 inject_root "$scratch/none"
}

# play FILE LINE...: a program.
play() {
  printf '%s\n' '#!/bin/sh' "${@:2}" >"$1"
  chmod 755 "$1"
}

# inject_root FOLDER: which the played fuse2fs has.
inject_root() {
  # shellcheck disable=SC2031  # that of use_newer_mke2fs ends with its subshell
  PATH=$scratch/bin:$PATH PLAYED=$1 unshare --map-root-user --mount --propagation private \
    deploy/lib/inject-root.sh "$scratch/image" 0 "$scratch/any.deb" &>>"$scratch/inject.log"
}

# ---- what a board makes of a card ------------------------------------------------------------------------

# provisioned AGENT: the card's homeward.yaml, as a person fills it in, on a root of folders.
provisioned() {
  echo "homeward provision"
  if ! "$1" provision --help &>/dev/null; then
    holds "the agent has it" false
    return
  fi
  local folder=$scratch/card root=$scratch/provisioned
  mkdir -p "$folder" "$root"
  sed 's/^  country:$/& DE/; s/^    name:$/& Harbour/; s/^    password:$/& "correct # horse"/; s/^  token:$/& eyJ0.token-of-a-test/' \
    deploy/card/homeward.yaml >"$folder/homeward.yaml"
  echo 'console=tty0 root=PARTUUID=484f4d45-02 rw rootwait' >"$folder/cmdline.txt"
  holds "the card's homeward.yaml is right once it is filled in" provision "$1"
  holds "it writes the agent's configuration" test -e "$root/etc/homeward/homeward.yaml"
  holds "it writes the network" test -e "$root/etc/NetworkManager/system-connections/homeward-wifi-1.nmconnection"
  holds "its report is on the card" test -s "$folder/homeward-card.txt"
  sed 's/^  token:$/& eyJ0.token-of-a-test/' deploy/card/injected/homeward.yaml >"$folder/homeward.yaml"
  holds "that of an injected card is right once it has a token" provision "$1"
  made_writable "$1"
  printf 'evry: 5s\n' >>"$folder/homeward.yaml"
  holds "a mistake ends with 78" ends_with 78 provision "$1"
  holds "the report names what is meant" says 'did you mean "every"' cat "$folder/homeward-card.txt"
  holds "a board that is not paired is not sealed" ends_with 69 provision "$1" --seal
}

# made_writable AGENT: the way out of a sealed root. The board restarts twice with it in --writable.
made_writable() {
  local folder=$scratch/card
  echo 'console=tty0 root=PARTUUID=484f4d45-02 ro rootwait overlayroot=tmpfs:recurse=0' >"$folder/cmdline.txt"
  install -D "$folder/cmdline.txt" "$scratch/provisioned/proc/cmdline"
  install -D -t "$scratch/provisioned/etc/systemd/system" deploy/card/root/etc/systemd/system/homeward-seal.service
  holds "a board that is sealed is provisioned" provision "$1"
  holds "and stays sealed" cmp "$folder/cmdline.txt" "$scratch/provisioned/proc/cmdline"
  sed -i 's/^card:/&\n  read_only: false/' "$folder/homeward.yaml"
  holds "read_only: false is taken" provision "$1"
  holds "with it the root is writable from the next start on" \
    cmp "$folder/cmdline.txt" <(echo 'console=tty0 root=PARTUUID=484f4d45-02 rw rootwait')
  holds "the report says so" says 'Read-only root: no, from the next start on' cat "$folder/homeward-card.txt"
  sed -i '/read_only/d' "$folder/homeward.yaml"
  rm -r "$scratch/provisioned/proc"
}

provision() { "$1" provision --card "$scratch/card" --root "$scratch/provisioned" "${@:2}" &>>"$scratch/provision.log"; }
