#!/usr/bin/env bash
# The step of deploy/inject --root, in the namespace of deploy/lib/foreign-root.sh: installs the package
# into the root of an image. Called by deploy/inject only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=deploy/lib/foreign-root.sh
source "$root/deploy/lib/foreign-root.sh"
image=$1 offset=$2 package=$3
units=$root/deploy/card/root/etc/systemd/system

# A journal that has to be replayed takes a while.
mount_seconds_max=120

mounted=$(mktemp --directory)
fuse2fs -f -o "rw,offset=$offset" "$image" "$mounted" &
writer=$!
finish() {
  local status=$?
  if mountpoint --quiet "$mounted"; then
    rm -f "$mounted/var/tmp/homeward.deb" "$mounted/usr/sbin/policy-rc.d"
    # What in_root bound devices to, where the root has none.
    find "$mounted/dev" -maxdepth 1 -type f -delete
    # It writes the last of it after umount has ended: before its own end, the image is not whole.
    { umount "$mounted" && wait "$writer"; } || status=69
  fi
  rmdir "$mounted" || true
  exit "$status"
}
trap finish EXIT

until mountpoint --quiet "$mounted"; do
  if ! kill -0 "$writer" 2>/dev/null || [[ $SECONDS -ge $mount_seconds_max ]]; then
    kill "$writer" 2>/dev/null || true
    echo "fuse2fs does not mount $image" >&2
    exit 69
  fi
  sleep 0.1
done

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
