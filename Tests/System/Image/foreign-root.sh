#!/usr/bin/env bash
# The step of Tests/System/Image/run --foreign, in the namespace of deploy/lib/foreign-root.sh: makes of the
# card's Debian one that is as Raspberry Pi OS, with cloud-init and without what the agent's package brings
# along. Called by foreign.sh only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=deploy/lib/foreign-root.sh
source "$root/deploy/lib/foreign-root.sh"
base=$1 mirror=${2%/} out=$3

# What Raspberry Pi OS Lite does not have, so that the board has to fetch what the package needs.
absent=(gpsd gpsd-tools libgps30t64 chrony overlayroot systemd-resolved libnss-resolve)

scratch=$(mktemp --directory)
trap 'rm -rf --one-file-system "$scratch"' EXIT
chmod 755 "$scratch"
umask 022
folder=$scratch/root
unpack "$base" "$folder"

# Nothing is started here.
printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
chmod 755 "$folder/usr/sbin/policy-rc.d"
rm -f "$folder/etc/resolv.conf"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
printf 'deb %s trixie main non-free-firmware\n' "$mirror" >"$folder/etc/apt/sources.list"
# That of the base does, and takes long to make.
sed -i 's/^update_initramfs=.*/update_initramfs=no/' "$folder/etc/initramfs-tools/update-initramfs.conf"
apt=(apt-get --quiet --yes -o "APT::Sandbox::User=root")
in_root "$folder" "${apt[@]}" update
in_root "$folder" "${apt[@]}" --no-install-recommends install cloud-init netplan.io systemd-timesyncd
in_root "$folder" "${apt[@]}" purge "${absent[@]}"

# As the package rpi-cloud-init-mods has it: the seed lies on the FAT partition, and NetworkManager has the
# network. https://github.com/RPi-Distro/pi-gen, stage2/04-cloud-init
mkdir -p "$folder/etc/cloud/cloud.cfg.d" "$folder/lib/netplan"
cat >"$folder/etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg" <<'EOF'
datasource_list: [ NoCloud, None ]
datasource:
  NoCloud:
    seedfrom: file:///boot/firmware
ssh_deletekeys: false
ssh_genkeytypes: []
EOF
printf 'network:\n  version: 2\n  renderer: NetworkManager\n' >"$folder/lib/netplan/00-network-manager-all.yaml"
chmod 600 "$folder/lib/netplan/00-network-manager-all.yaml"
# The seed is there before cloud-init looks for it.
mkdir -p "$folder/etc/systemd/system/cloud-init-local.service.d" "$folder/etc/systemd/system/cloud-init-main.service.d"
for unit in local main; do
  printf '[Unit]\nRequiresMountsFor=/boot/firmware\n' >"$folder/etc/systemd/system/cloud-init-$unit.service.d/seed.conf"
done

printf 'PARTUUID=484f4d45-02 / ext4 defaults,noatime 0 1\nPARTUUID=484f4d45-01 /boot/firmware vfat defaults 0 2\n' \
  >"$folder/etc/fstab"
printf 'ROOTPART=PARTUUID=484f4d45-02\nCMA=0\nCONSOLES=tty0\n' >"$folder/etc/default/raspi-firmware"
printf 'raspberrypi\n' >"$folder/etc/hostname"
printf '127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n' >"$folder/etc/hosts"
: >"$folder/etc/machine-id"
mkdir -p "$folder/boot/firmware" "$folder/var/lib/homeward"
in_root "$folder" env DEB_MAINT_PARAMS=configure /etc/kernel/postinst.d/z50-raspi-firmware
rm -rf "$folder/usr/sbin/policy-rc.d" "$folder"/etc/resolv.conf "$folder"/var/lib/apt/lists/* \
  "$folder"/var/cache/apt/*.bin "$folder"/tmp/*
pack "$folder" "$out"
