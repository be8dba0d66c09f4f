# shellcheck shell=bash
# Roots of Debian in which the package of Homeward is installed, for a guest with a systemd of its own.
# Sourced by Tests/System/Hardware/run, after deploy/lib/needs.sh and Tests/System/Package/roots.sh.
# shellcheck disable=SC2154  # repository and root, of others

# What the checks, the players of the world and the devices need there; and gpsd, which the agent asks.
service_packages=(
  systemd systemd-sysv udev dbus kmod procps ca-certificates
  curl gpsd hostapd i2c-tools iproute2 iw openssl socat util-linux-extra wpasupplicant)

# service_root_archive RELEASE: sets `root_archive`, see roots.sh.
service_root_archive() {
  root_of "${suites[$1]}" "${service_packages[*]} ${agent_libraries[$1]}"
}

# make_service_root RELEASE: sets `root` to the folder of a Debian of this release, in which apt has
# installed the package of Homeward.
make_service_root() {
  local package
  package=$("$repository/deploy/package" --debian "$1")
  service_root_archive "$1"
  unpack "debian$1"
  cp "$package" "$root/homeward.deb"
  in_root apt-get --quiet --quiet --yes --no-install-recommends -o Dpkg::Use-Pty=0 install /homeward.deb >&2
}

# resolve_crash RELEASE: prints a line of results, whether the addresses in the line of the crash, which
# the guest has kept, are functions of the agent, by the file for debuggers of its build.
resolve_crash() {
  local what='the addresses of the crash are functions of the agent, with their lines' said
  local line=$scratch/exchange/last-words-$1 program=$repository/.build-embedded/debian$1-$arch
  said=$(resolved "$line" "$program/homeward.debug") || true
  if [[ $said == *RunLoop.swift:[1-9]* ]]; then
    printf 'ok\tservice-%s\t%s\t\n' "$1" "$what"
  else
    printf 'wrong\tservice-%s\t%s\t%s\n' "$1" "$what" "${said//$'\n'/ }"
  fi
}

# resolved LINE PROGRAM: the functions of the addresses in a file, and where they stand.
resolved() {
  grep --only-matching '0x[0-9a-f]*' "$1" |
    "$swift_tools/llvm-symbolizer" --obj="$2" --inlines --basenames
}
