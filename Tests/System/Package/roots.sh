# shellcheck shell=bash
# Roots of Debian, for what tests packages in them. Sourced, after deploy/lib/needs.sh, with `scratch`
# (a folder for what is unpacked) set. They are kept in ~/.cache/homeward (or under $XDG_CACHE_HOME).
# shellcheck disable=SC2154

# What the agent is linked with, which is called otherwise in each release.
# shellcheck disable=SC2034  # for the caller
declare -A agent_libraries=(
  [12]='libcurl4 libsodium23 libgps28 libyaml-0-2'
  [13]='libcurl4t64 libsodium23 libgps30t64 libyaml-0-2')
# And the push relay, with the program that its README makes a backup with.
# shellcheck disable=SC2034  # for the caller
declare -A relay_libraries=(
  [12]='libmicrohttpd12 libsqlite3-0 libhiredis0.14 sqlite3'
  [13]='libmicrohttpd12t64 libsqlite3-0 libhiredis1.1.0 sqlite3')
# shellcheck disable=SC2034  # for the caller
declare -A suites=([12]=bookworm [13]=trixie)

# root_of SUITE PACKAGES HOOKS...: sets `root_archive` to an archive of a Debian (bookworm, trixie) with
# these packages, divided by spaces, and with apt's lists. Hooks are mmdebstrap's.
root_of() {
  local suite=$1 packages=$2 cache=${XDG_CACHE_HOME:-$HOME/.cache}/homeward key lock unfinished
  local options=(--variant=apt)
  shift 2
  [[ -z $packages ]] || options=(--variant=minbase "--include=${packages// /,}")
  key=$(echo "$suite $* ${options[*]}" | sha256sum)
  root_archive=$cache/root-$suite-${key:0:12}.tar
  [[ ! -e $root_archive ]] || return 0
  mkdir -p "$cache"
  exec {lock}>"$root_archive.lock"
  flock "$lock"
  if [[ ! -e $root_archive ]]; then
    echo "Making a root of Debian ($suite)" >&2
    unfinished=$(mktemp "$cache/unfinished-XXXXXX")
    # Lists and downloads stay, so that nothing is fetched later.
    mmdebstrap --quiet "${options[@]}" --skip=cleanup/apt --format=tar \
      --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$@" "$suite" - >"$unfinished" ||
      { rm -f "$unfinished"; fail 69 "mmdebstrap could not make a root of Debian ($suite)"; }
    mv "$unfinished" "$root_archive"
  fi
  exec {lock}>&-
}

# unpack NAME: the archive as a folder of that name, which `root` is then.
unpack() {
  root=$scratch/$1
  mkdir -p "$root"
  tar --extract --file "$root_archive" --directory "$root" --numeric-owner
}

# in_root COMMAND...: without a systemd that runs, and without a network.
in_root() {
  # shellcheck disable=SC2016  # the inner shell's
  unshare --mount --net --pid --fork --kill-child bash -c '
    set -e
    root=$1; shift
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive "$@"' in_root "$root" "$@"
}
