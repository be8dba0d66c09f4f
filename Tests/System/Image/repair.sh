# shellcheck shell=bash
# What is repaired on a card whose root is sealed: by a person, or by the watchdog. Sourced by
# Tests/System/Image/run.
# shellcheck disable=SC2154

# ---- an upgrade, and the way back in ------------------------------------------------------------------

# newer PACKAGE: the same package with a version after it.
newer() {
  dpkg-deb --raw-extract "$1" "$scratch/newer"
  sed -i 's/^Version: .*/&+test1/' "$scratch/newer/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip --build "$scratch/newer" "$scratch/newer.deb" >/dev/null
}

# shellcheck disable=SC2016  # dpkg's field, for the board's shell
version_is() { [[ $(inside dpkg-query --show --showformat '\${Version}' homeward) == *"$1" ]]; }

upgrade() {
  echo "An upgrade of the sealed root, as README has it"
  newer "$package"
  held "the board is there" inside_first || return 0
  scp -q -i "$scratch/key" -P "$ssh_port" -o "UserKnownHostsFile=$scratch/known_hosts" \
    "$scratch/newer.deb" root@127.0.0.1:/run/homeward.deb
  holds "the package is installed below the layer" inside overlayroot-chroot dpkg --install /run/homeward.deb
  holds "its device files are devices still" inside test -c /media/root-ro/dev/null
  inside systemctl reboot || true
  holds "it restarts" switches_off
  held "the board is there after it" inside_first || return 0
  holds "it has the new version" version_is +test1
  holds "it delivers" soon is_well
  holds "its root is sealed" says overlay inside findmnt --noheadings --output FSTYPE /
  holds "what lies below is read-only again" says ro, \
    inside findmnt --noheadings --output OPTIONS /media/root-ro
  inside systemctl poweroff || true
  holds "it switches off" switches_off
  # Files that were replaced while they were in use go at this start, by the journal.
  # shellcheck disable=SC2034  # for has_sum
  root_sum=$(sum_of 2)
  holds "the file system of the root is whole" root_is_whole
}

root_is_whole() {
  local begin
  begin=$(partition 2 | cut -d ' ' -f 1)
  e2fsck -fn "$card?offset=$((begin * 512))" >"$scratch/fsck.log" 2>&1
}

# ---- the kernel hangs -------------------------------------------------------------------------------

# A kernel that panics does nothing more, so only the watchdog can start the board again.
hang() {
  echo "The kernel hangs"
  # shellcheck disable=SC2034  # for machine.sh
  watchdog=reset
  held "the board is there" inside_first || return 0
  inside 'echo c >/proc/sysrq-trigger' &
  holds "it hangs" soon console_says 'Kernel panic'
  holds "the watchdog starts it again" switches_off
  holds "the root has the checksum of after the upgrade" has_sum
}

# ---- the way out of the sealed root --------------------------------------------------------------------

writable() {
  begin_life
  first_start
  way_out
}

way_out() {
  echo "The root is writable for a while, as README has it"
  # shellcheck disable=SC2034  # for machine.sh
  watchdog=none
  card_read homeward.yaml | sed 's/^card:/card:\r\n  read_only: false/' >"$scratch/writable.yaml"
  card_write homeward.yaml <"$scratch/writable.yaml"
  held "the board is there" inside_first || return 0
  holds "the first start is as before" says overlay inside findmnt --noheadings --output FSTYPE /
  restarted || return 0
  holds "the second one has a writable root" says ext4 inside findmnt --noheadings --output FSTYPE /
  holds "it delivers" soon is_well
  inside touch /etc/kept || true
  restarted || return 0
  holds "what was written to the root stays" inside test -e /etc/kept
  holds "the report says that the root stays writable" says 'Read-only root: no' \
    inside cat /boot/firmware/homeward-card.txt
  inside "sed -i /read_only/d /boot/firmware/homeward.yaml; systemctl reboot" || true
  holds "without the line it restarts" switches_off
  power_on
  holds "and seals its root, and starts again by itself" switches_off
  held "the board is there" inside_first || return 0
  holds "its root is sealed" says overlay inside findmnt --noheadings --output FSTYPE /
  holds "it has what was written before" inside test -e /etc/kept
  holds "it delivers" soon is_well
  cut_power
}

# restarted: the board restarts, and is there again.
restarted() {
  inside systemctl reboot || true
  holds "it restarts" switches_off
  held "the board is there" inside_first
}
