#!/usr/bin/env bash
# The steps of deploy/image, each of which makes one layer of the card in the namespace of
# deploy/lib/foreign-root.sh. Called by deploy/image only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=deploy/lib/needs.sh
source "$root/deploy/lib/needs.sh"
# shellcheck source=deploy/lib/foreign-root.sh
source "$root/deploy/lib/foreign-root.sh"
card=$root/deploy/card

units=(homeward-provision.service homeward-grow.service homeward-seal.path homeward-seal.service
  systemd-resolved.service)

# What would work in memory for nothing where the root is read-only.
timers=(apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer)

# base MIRROR FILE: Debian with the packages of the card, as an archive.
base() {
  local mirror=${1%/} packages areas='main non-free-firmware'
  packages=$(sed 's/#.*//' "$card/packages" | xargs | tr ' ' ,)
  mapfile -t options < <(sed '/^#/d; s/^/--dpkgopt=/' "$card/dpkg.cfg")
  # By fstab the initramfs knows how to check the root.
  mmdebstrap --mode=root --variant=apt --architectures=arm64 --format=tar --components="$areas" \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg --include="$packages" \
    --essential-hook="copy-in $card/root/etc/fstab /etc" \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' "${options[@]}" \
    trixie "$2" "deb $mirror trixie $areas" "deb $mirror trixie-updates $areas" \
    "deb ${mirror%/*}/debian-security trixie-security $areas"
}

# filled BASE PACKAGE CONFIGURATION FILE: the base with the agent and the card's own files.
filled() {
  local folder=$scratch/root overlay
  unpack "$1" "$folder"
  cp "$2" "$folder/homeward.deb"
  in_root "$folder" dpkg --install /homeward.deb
  rm "$folder/homeward.deb"

  cp --recursive --no-preserve=mode,ownership "$card/root/." "$folder/"
  ln -sf ../run/systemd/resolve/stub-resolv.conf "$folder/etc/resolv.conf"
  # What each board has to have for itself.
  : >"$folder/etc/machine-id"
  rm -f "$folder"/etc/ssh/ssh_host_* "$folder/var/lib/dbus/machine-id"
  in_root "$folder" systemctl --quiet enable "${units[@]}"
  in_root "$folder" systemctl --quiet disable "${timers[@]}"
  # The caches of the packages are there, so that no start makes them again (systemd-update-done(8)).
  touch "$folder"/etc/.updated "$folder"/var/.updated

  # Kernel, device trees, config.txt and cmdline.txt.
  in_root "$folder" env DEB_MAINT_PARAMS=configure /etc/kernel/postinst.d/z50-raspi-firmware
  install -D -m 644 "$3" "$folder/boot/firmware/homeward.yaml"
  for overlay in "$card"/overlays/*.dts; do
    [[ -e $overlay ]] || continue
    dtc -@ -q -I dts -O dtb -o "$folder/boot/firmware/overlays/$(basename "$overlay" .dts).dtbo" "$overlay"
  done
  rm -rf "$folder"/var/lib/apt/lists/* "$folder"/var/cache/apt/*.bin "$folder"/var/log/* "$folder"/tmp/*
  pack "$folder" "$4"
}

# The device files that a root has without devtmpfs.
devices() {
  printf 'cd /dev\n'
  local name
  for name in null:3 zero:5 full:7 random:8 urandom:9; do
    printf 'mknod %s c 1 %s\nset_inode_field %s mode 020666\n' "${name%:*}" "${name#*:}" "${name%:*}"
  done
}

# boot_files FOLDER: the files of the FAT partition for genimage, always in the same order.
boot_files() {
  local file
  while IFS= read -r file; do
    printf '    file "%s" { image = "%s" }\n' "${file#"$1/"}" "$file"
  done < <(find "$1" -type f | LC_ALL=C sort)
}

# image FILLED FILE: the card.
image() {
  local folder=$scratch/root boot=$scratch/boot name
  unpack "$1" "$folder"
  mv "$folder/boot/firmware" "$boot"
  mkdir "$folder/boot/firmware"
  devices >"$scratch/devices"
  find "$folder" -newermt "@$SOURCE_DATE_EPOCH" -exec \
    touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
  sed -e "s|@DEVICES@|$scratch/devices|" -e '/@BOOT_FILES@/{r /dev/stdin' -e 'd}' "$card/genimage.cfg" \
    < <(boot_files "$boot") >"$scratch/genimage.cfg"
  mkdir "$scratch"/{temporary,input,output}
  export E2FSCK_TIME=$SOURCE_DATE_EPOCH # genimage lets e2fsck look at what it made.
  genimage --loglevel 0 --config "$scratch/genimage.cfg" --rootpath "$folder" \
    --tmppath "$scratch/temporary" --inputpath "$scratch/input" --outputpath "$scratch/output"
  cp --sparse=always "$scratch/output/card.img" "$2"
}

scratch=$(mktemp --directory)
trap 'rm -rf --one-file-system "$scratch"' EXIT
chmod 755 "$scratch"
umask 022
"$@"
