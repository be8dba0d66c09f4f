# shellcheck shell=bash
# Roots of Debian for another processor, without root and without loop devices. Sourced, after needs.sh.
#
# Programs of arm64 run by qemu-user, which is registered in a user namespace of its own (Linux 6.7 and
# newer), so the machine itself stays as it is. If root of this machine calls, the users there are the
# users here; else they come from /etc/subuid.

# The Debian packages that this needs; mmdebstrap asks arch-test whether arm64 runs.
# shellcheck disable=SC2034  # for the caller
foreign_packages=(qemu-user-static mmdebstrap arch-test debian-archive-keyring uidmap)

foreign_repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

# enter_namespace COMMAND...: runs a command as root of a new user namespace, in which arm64 runs.
enter_namespace() {
  local child status=0 map
  # shellcheck disable=SC2016  # the inner shell's
  local inner=(bash -c '
    until read -r _ </proc/self/uid_map && read -r _ </proc/self/gid_map; do sleep 0.05; done
    if [[ $(uname -m) != aarch64 ]] && { ! mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc ||
      ! cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register; }; then
      echo "the kernel has no binfmt_misc for namespaces; Linux 6.7 and newer have it" >&2
      exit 69
    fi
    exec "$@"' namespace "$@")
  if [[ $EUID -ne 0 ]]; then
    unshare --user --map-auto --map-root-user --mount --propagation private -- "${inner[@]}"
    return
  fi
  unshare --user --mount --propagation private -- "${inner[@]}" <&0 &
  child=$!
  for map in uid_map gid_map; do
    # The child is in its namespace a moment after its start.
    until echo 0 0 65536 >"/proc/$child/$map"; do
      kill -0 "$child" || break
      sleep 0.05
    done 2>/dev/null
  done
  wait "$child" || status=$?
  return "$status"
}

# in_root ROOT COMMAND...: runs a command in a root, inside of the namespace. The mounts end with it, so
# no tree is ever removed or copied with something mounted in it.
in_root() {
  # shellcheck disable=SC2016  # the inner shell's
  unshare --mount --propagation private bash -c '
    set -e
    root=$1; shift
    for name in null zero random urandom; do
      [ -e "$root/dev/$name" ] || : >"$root/dev/$name"
      mount --bind "/dev/$name" "$root/dev/$name"
    done
    mount --rbind /proc "$root/proc"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH-}" "$@"' in_root "$@"
}

# pack ROOT FILE: the root as an archive. What was bound into /dev stays out.
pack() {
  tar --directory "$1" --numeric-owner --one-file-system --sort=name --exclude './dev/*' \
    --create --file "$2" .
}

# unpack FILE ROOT
unpack() {
  mkdir -p "$2"
  tar --directory "$2" --numeric-owner --extract --file "$1" --exclude './dev/*'
}

# cached NAME KEY COMMAND...: prints the file of a layer. If there is none for this key, the command
# makes it, with the file's name as its last argument.
cached() {
  local file=${XDG_CACHE_HOME:-$HOME/.cache}/homeward/$1-${2:0:12} lock unfinished status=0
  if [[ ! -e $file ]]; then
    mkdir -p "${file%/*}"
    exec {lock}>"$file.lock"
    flock "$lock" # Two runs at once make it once.
  fi
  if [[ ! -e $file ]]; then
    unfinished=$(mktemp "${file%/*}/unfinished-XXXXXX")
    "${@:3}" "$unfinished" >&2 || status=$?
    if [[ $status -ne 0 ]]; then
      rm -f "$unfinished"
      fail 69 "$1 could not be made ($status), see above"
    fi
    mv "$unfinished" "$file"
  fi
  echo "$file"
}

# hash_of FILE...: of their names in the repository and what they hold.
hash_of() { (cd "$foreign_repository" && sha256sum "$@") | sha256sum; }

# base_layer MIRROR: prints the file of Debian 13 with the card's packages.
base_layer() {
  local key
  key=$(hash_of deploy/card/packages deploy/card/dpkg.cfg deploy/card/root/etc/fstab)
  [[ -e ${XDG_CACHE_HOME:-$HOME/.cache}/homeward/image-base-${key:0:12} ]] ||
    echo "Making Debian 13 for arm64; this takes long" >&2
  cached image-base "$key" enter_namespace nice "$foreign_repository/deploy/lib/card.sh" base "$1"
}

# use_newer_mke2fs: puts a mke2fs first on PATH that takes all times from SOURCE_DATE_EPOCH (1.47.1 or newer), by
# which two builds are the same. Debian 12 has it in its backports only.
use_newer_mke2fs() {
  local version tools folder name cache=${XDG_CACHE_HOME:-$HOME/.cache}/homeward
  version=$(mke2fs -V 2>&1 | sed -n '1s/mke2fs \([^ ]*\).*/\1/p')
  dpkg --compare-versions "$version" lt 1.47.1 || return 0
  tools=$cache/e2fsprogs-backport
  if [[ ! -d $tools ]]; then
    find_mirror
    mkdir -p "$cache"
    folder=$(mktemp --directory "$cache/unfinished-XXXXXX")
    for name in e2fsprogs libext2fs2; do fetch_backport "$folder" "$name"; done
    for name in "$folder"/*.deb; do dpkg-deb --extract "$name" "$folder/root"; done
    mv --no-target-directory "$folder/root" "$tools" || true
    rm -rf "$folder"
  fi
  export PATH=$tools/sbin:$tools/usr/sbin:$PATH
  LD_LIBRARY_PATH=$(find "$tools" -name 'libext2fs.so.2' -printf %h)
  export LD_LIBRARY_PATH
}
