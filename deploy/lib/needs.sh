# shellcheck shell=bash
# What a script of this repository needs from the machine. Sourced, with `set -euo pipefail`.
# Everything here speaks on stderr, so the caller's stdout stays its own.

# The Debian packages that the agent is built with. libgpiod-dev is that of version 2.
# shellcheck disable=SC2034  # for the caller
agent_packages=(libcurl4-openssl-dev libsodium-dev libgps-dev libgpiod-dev libyaml-dev)
# Those that the push relay is built with, besides libsodium-dev.
# shellcheck disable=SC2034  # for the caller
relay_packages=(libmicrohttpd-dev libsqlite3-dev libhiredis-dev)
# That of the program of a server, which the relay's tests start: Debian has it in the package of the
# tools, too, and that one starts no service.
# shellcheck disable=SC2034  # for the caller
relay_server=$(
  . /etc/os-release
  if [[ ${VERSION_CODENAME-} == bookworm ]]; then echo redis-tools; else echo valkey-tools; fi
)

# fail CODE MESSAGE...: ends the script with a code of sysexits.h: 64 usage, 69 unavailable.
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$code"
}

# changelog_version: prints the version that the changelog begins with.
changelog_version() { sed -n '1s/^homeward (\(.*\)) .*/\1/p' "${needs_file%/lib/needs.sh}/debian/changelog"; }

# changelog_moment: prints when its newest entry was written, in seconds since 1970.
changelog_moment() {
  date --date "$(sed -n '/^ -- /{s/.*>  //p;q}' "${needs_file%/lib/needs.sh}/debian/changelog")" +%s
}

# What partitions and file systems are made with is not on the PATH of a person.
PATH+=:/usr/sbin:/sbin

needs_file=$(realpath "${BASH_SOURCE[0]}")
# What Debian 12 needs of libgpiod lies here.
libgpiod=${needs_file%/deploy/lib/needs.sh}/libgpiod

# apt_get WHY ARGUMENT...: apt-get as root, one at a time, for not every lock of apt is waited for;
# without root and sudo ends with WHY.
apt_get() {
  local why=$1
  shift
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get --quiet -o DPkg::Lock::Timeout=600)
  if [[ $EUID -ne 0 ]]; then
    if [[ -t 0 ]] && command -v sudo >/dev/null; then
      apt=(sudo "${apt[@]}")
    elif sudo --non-interactive true 2>/dev/null; then
      apt=(sudo --non-interactive "${apt[@]}")
    else
      fail 69 "$why, and there is neither root nor sudo here. Run: apt-get $*"
    fi
  fi
  # Closed: a daemon that the package starts would keep the lock.
  flock --close "$needs_file" "${apt[@]}" --yes "$@" >&2
}

# install_packages NAME...: installs or upgrades Debian packages.
install_packages() {
  local missing="not installed: $*"
  local install=(apt_get "$missing" install --no-install-recommends "$@")
  printf 'Installing %s\n' "$*" >&2
  # The lists may be older than the packages they name: one update, then a second and last try.
  "${install[@]}" || { apt_get "$missing" update && "${install[@]}"; } ||
    fail 69 "apt-get could not install: $*"
}

# need_packages NAME...: makes sure that Debian packages are there.
need_packages() {
  local name missing=()
  for name in "$@"; do
    if is_installed "$name"; then
      continue
    elif [[ $name == libgpiod-dev ]] && (. /etc/os-release && [[ ${VERSION_CODENAME-} == bookworm ]]); then
      unpack_libgpiod
    else
      missing+=("$name")
    fi
  done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

# is_installed NAME: whether a Debian package is there, and of libgpiod-dev version 2.
is_installed() {
  # shellcheck disable=SC2016  # dpkg's fields, not the shell's
  local found='${db:Status-Status} ${Version}'
  found=$(dpkg-query --show --showformat="$found" "$1" 2>/dev/null) || return 1
  [[ $found == installed\ * && ($1 != libgpiod-dev || $found == *\ 2.*) ]]
}

# unpack_libgpiod: fills the folder `libgpiod` with the header and the static library of version 2,
# if they are not there. Debian 12 has that version in bookworm-backports, but to install it is to
# remove version 1 and the programs that need it. apt verifies what it fetches.
unpack_libgpiod() {
  [[ ! -e $libgpiod/libgpiod.a ]] || return 0
  local mirror='' folder lock
  find_mirror
  exec {lock}<"$needs_file"
  flock "$lock"
  if [[ ! -e $libgpiod/libgpiod.a ]]; then
    printf 'Unpacking libgpiod-dev of bookworm-backports\n' >&2
    folder=$(mktemp --directory)
    fetch_backport "$folder" libgpiod-dev
    dpkg-deb --extract "$folder"/libgpiod-dev_*.deb "$folder/root"
    mkdir -p "$libgpiod"
    cp "$folder"/root/usr/{include/gpiod.h,share/doc/libgpiod-dev/changelog.Debian.gz} "$libgpiod"
    # The last one, by which the folder is known to be whole.
    cp "$folder"/root/usr/lib/*/libgpiod.a "$libgpiod/unfinished"
    mv "$libgpiod/unfinished" "$libgpiod/libgpiod.a"
    rm -rf "$folder"
  fi
  exec {lock}<&-
}

# fetch_backport FOLDER NAME: downloads a package of bookworm-backports from `mirror`. The machine's
# own apt keeps its sources and lists.
fetch_backport() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg folder=$1 apt
  mkdir -p "$folder"/{lists,cache/archives}/partial
  echo "deb [signed-by=$keyring] $mirror bookworm-backports main" >"$folder/sources.list"
  apt=(
    apt-get --quiet --quiet -o APT::Sandbox::User=root
    -o Acquire::Languages=none -o Acquire::Retries=3 -o Debug::NoLocking=1
    -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State="$folder" -o Dir::State::Lists="$folder/lists" -o Dir::State::status=/dev/null
    -o Dir::Cache="$folder/cache")
  { "${apt[@]}" update && (cd "$folder" && "${apt[@]}" download "$2"); } >&2 ||
    fail 69 "apt-get could not fetch $2 of bookworm-backports"
}

# find_mirror: sets `mirror`, if it is empty, to the mirror of Debian that this machine's apt uses.
find_mirror() {
  [[ -n $mirror ]] || mirror=$(own_mirror)
  [[ -n $mirror ]] || { apt_get "apt has no package lists" update && mirror=$(own_mirror); }
  [[ -n $mirror ]] || fail 69 "this machine's apt has no Debian mirror"
}

# own_mirror: prints the mirror of this machine's apt; nothing when its lists were never fetched.
own_mirror() {
  # shellcheck disable=SC2016  # apt's fields, not the shell's
  apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(COMPONENT) $(REPO_URI)' \
    'Identifier: Packages' |
    awk '$1 == "Debian" && $2 !~ /-/ && $3 == "main" && !found { print $4; found = 1 }'
}

# need_swift: makes sure of Swift 6.3 or newer, and sets `swift_version` (the toolchain's full
# name), `swift_resources` (the folder of its libraries) and `swift_tools` (of its LLVM tools).
need_swift() {
  local how="Install Swift 6.3 or newer (https://www.swift.org/install/linux) and put it on PATH."
  command -v swift >/dev/null || fail 69 "there is no swift on PATH. $how"
  local target
  target=$(swiftc -print-target-info) || fail 69 "swiftc does not run on this machine. $how"
  swift_version=$(sed -n 's/.*"compilerVersion": "\(.*\)",*/\1/p' <<<"$target")
  swift_resources=$(sed -n 's/.*"runtimeResourcePath": "\(.*\)",*/\1/p' <<<"$target")
  # shellcheck disable=SC2034  # for the caller
  swift_tools=${swift_resources%/lib/swift}/bin
  [[ $swift_version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] ||
    fail 69 "this swift does not tell its version: $swift_version"
  ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 603)) || fail 69 "$swift_version is too old. $how"
  # Regular Swift, and so every Package.swift, is linked with these.
  { command -v ld && find /usr/lib/gcc -name libstdc++.so | grep .; } &>/dev/null ||
    need_packages g++
}
