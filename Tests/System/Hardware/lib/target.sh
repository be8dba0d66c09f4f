# shellcheck shell=bash
# What differs from processor to processor. Sourced by Tests/System/Hardware/run, with `arch` set.

# set_target: sets what the builder and the machine need to know of the board's processor.
set_target() {
  own_arch=$(dpkg --print-architecture)
  foreign='' root=/ kernel_make=() strip=strip apt_options=(-o APT::Sandbox::User=root)
  case $arch in
    amd64) target_packages=(qemu-system-x86) ;;
    arm64) target_packages=(qemu-system-arm) ;;
    *) fail 64 "--arch must be amd64 or arm64, not '$arch'" ;;
  esac
  [[ $arch != "$own_arch" ]] || return 0
  [[ $arch == arm64 ]] || missing "a virtual board with $arch needs a machine with $arch"
  foreign=yes
  kernel_make=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
  strip=aarch64-linux-gnu-strip
  target_packages+=(gcc-12-aarch64-linux-gnu)
}

# What checks and players need, in a root for another processor; and what the agent is linked with.
foreign_packages=(
  base-files bash coreutils curl dash dosfstools findutils gpiod gpsd grep hostapd i2c-tools iproute2 iw kmod
  libc-bin libcurl4 libgps28 libsodium23 libyaml-0-2 mawk mount netbase openssl
  procps python3-distutils python3-serial sed socat strace util-linux wpasupplicant)
# Without what they depend on, which is a desktop.
foreign_packages_alone=(gpsd-clients gpsd-tools python3-gps)

# use_foreign_lists: fetches apt's lists for the other processor, from where this machine's apt
# fetches its own, without changing those.
use_foreign_lists() {
  local apt=$work/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  apt_options+=(
    -o APT::Architecture="$arch" -o APT::Architectures="$arch"
    -o Dir::State="$apt" -o Dir::State::Lists="$apt/lists" -o Dir::State::status=/dev/null
    -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1)
  apt-get --quiet --quiet "${apt_options[@]}" update >&2
}

# make_root FOLDER: a Debian for the other processor. Its packages are unpacked, and none is set up.
make_root() {
  local folder=$1 package name
  apt-get --quiet --quiet --yes "${apt_options[@]}" --no-install-recommends --download-only \
    install "${foreign_packages[@]}" >&2
  mkdir "$work/alone"
  (cd "$work/alone" &&
    apt-get --quiet --quiet "${apt_options[@]}" download "${foreign_packages_alone[@]}" >&2)
  for name in bin sbin lib; do
    mkdir -p "$folder/usr/$name"
    ln -s "usr/$name" "$folder/$name"
  done
  mkdir "$folder"/{proc,sys,dev,run,tmp,root}
  for package in "$work"/apt/cache/archives/*.deb "$work"/alone/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
      tar --extract --directory "$folder" --keep-directory-symlink
  done
  ln -sf mawk "$folder/usr/bin/awk"
  printf '%s\n' root:x:0:0:root:/root:/bin/bash nobody:x:65534:65534::/:/bin/false \
    >"$folder/etc/passwd"
  printf '%s\n' root:x:0: dialout:x:20: nogroup:x:65534: >"$folder/etc/group"
  echo 127.0.0.1 localhost >"$folder/etc/hosts"
}
