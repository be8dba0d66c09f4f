#!/usr/bin/env bash
# The step of deploy/inject --root, in the namespace of deploy/lib/foreign-root.sh: installs the package
# into the root of an image. Called by deploy/inject only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=deploy/lib/foreign-root.sh
source "$root/deploy/lib/foreign-root.sh"
image=$1 offset=$2 package=$3
units=$root/deploy/card/root/etc/systemd/system

mounted=$(mktemp --directory)
fuse2fs -o "rw,offset=$offset" "$image" "$mounted"
finish() {
  rm -f "$mounted/var/tmp/homeward.deb" "$mounted/usr/sbin/policy-rc.d"
  # What in_root bound devices to, where the root has none.
  find "$mounted/dev" -maxdepth 1 -type f -delete
  umount "$mounted" && rmdir "$mounted"
}
trap finish EXIT

cp "$package" "$mounted/var/tmp/homeward.deb"
# Nothing is started here.
printf '#!/bin/sh\nexit 101\n' >"$mounted/usr/sbin/policy-rc.d"
chmod 755 "$mounted/usr/sbin/policy-rc.d"
# What the package depends on comes from the system's own sources, if the system does not have it.
install=(apt-get --quiet --yes --no-install-recommends install /var/tmp/homeward.deb)
in_root "$mounted" "${install[@]}" ||
  { in_root "$mounted" apt-get --quiet update && in_root "$mounted" "${install[@]}"; }

install -m 644 -t "$mounted/etc/systemd/system" "$units/homeward-provision.service"
install -D -m 644 -t "$mounted/etc/systemd/system/homeward.service.d" "$units/homeward.service.d/card.conf"
in_root "$mounted" systemctl --quiet enable homeward-provision.service
