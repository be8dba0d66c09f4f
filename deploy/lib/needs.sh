# shellcheck shell=bash
# What a script of this repository needs from the machine. Sourced, with `set -euo pipefail`.
# Everything here speaks on stderr, so the caller's stdout stays its own.

# The Debian packages that the agent is built with.
# shellcheck disable=SC2034  # for the caller
agent_packages=(libcurl4-openssl-dev libsodium-dev libgps-dev libyaml-dev)

# fail CODE MESSAGE...: ends the script with a code of sysexits.h: 64 usage, 69 unavailable.
fail() {
  local code=$1
  shift
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$code"
}

needs_file=$(realpath "${BASH_SOURCE[0]}")

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
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] ||
      missing+=("$name")
  done
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

# The mirror of Debian that this machine's apt uses; empty when its lists were never fetched.
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
