# shellcheck shell=bash
# Builds what the virtual machine boots: Debian 12's kernel, the simulators, and an initramfs.
# Sourced by Tests/System/Hardware/run, after deploy/lib/needs.sh and target.sh, with `arch` and
# `hardware` (the folder Tests/System/Hardware) set.

series=6.1 # of Debian 12's kernel

# Without these the guest does not reach its root.
first_modules=(virtio_pci virtio_console 9pnet_virtio 9p overlay)

# The devices, and what the kernel asks for by itself when Wi-Fi is encrypted.
device_modules=(
  virtio_net bridge veth gpio-sim test_power
  i2c-stub i2c-dev lm75 bmp280-i2c
  industrialio-configfs iio_dummy
  one_wire_bench w1_therm
  mac80211_hwsim ccm ctr cmac
  xhci-pci ftdi_sio rtc-test
  loop vfat nls_cp437 nls_ascii)

# What is built here from Debian's source of the kernel.
source_files=(
  drivers/gpio/gpio-sim.c drivers/gpio/gpiolib.h kernel/irq/irq_sim.c
  drivers/power/supply/test_power.c
  drivers/iio/industrialio-sw-device.c drivers/iio/industrialio-configfs.c
  drivers/i2c/i2c-stub.c drivers/iio/dummy/iio_simple_dummy.c drivers/iio/dummy/iio_simple_dummy.h
  drivers/rtc/rtc-test.c)

# missing MESSAGE...: ends with 69; the last line of the run repeats why.
missing() {
  reason=$*
  fail 69 "$@"
}

# find_bench: sets `bench` to the folder of the bench, made when there is none. Its name holds a
# hash of all that goes into it; it gets that name only when it is whole.
find_bench() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/homeward key
  find_kernel
  key=$({
    echo "$arch $release $version"
    cat "$hardware"/lib/{bench,target}.sh "$hardware"/modules/* "$hardware/guest/init"
  } | sha256sum)
  bench=$cache/bench-debian12-$arch-${key:0:12}
  [[ ! -d $bench ]] || return 0

  mkdir -p "$cache"
  local lock unfinished
  exec {lock}>"$bench.lock"
  flock "$lock" # Two runs at once make it once.
  if [[ ! -d $bench ]]; then
    unfinished=$(mktemp --directory "$cache/unfinished-XXXXXX")
    echo "Building the bench: $release ($version)" >&2
    # In a shell of its own, which the failure of any command ends.
    local status=0
    set +e
    (set -e; trap 'rm -rf "$unfinished"' EXIT; make_bench; trap - EXIT)
    status=$?
    set -e
    [[ $status -eq 0 ]] || missing "the bench could not be built, see above"
    mv --no-target-directory "$unfinished" "$bench"
  fi
  exec {lock}>&-
}

# find_kernel: sets `own_release` (6.1.0-56-amd64), `release` (the same for the board's processor)
# and `version` (of their packages).
find_kernel() {
  own_release=$(newest_kernel)
  [[ -n $own_release ]] ||
    { apt_get "apt has no package lists" update && own_release=$(newest_kernel); }
  [[ -n $own_release ]] ||
    missing "this machine's apt has no kernel of Debian 12 (linux-image-$own_arch, $series)"
  version=$(apt-cache show --no-all-versions "linux-image-$own_release" |
    sed -n 's/^Version: //p')
  release=${own_release%-*}-$arch
}

newest_kernel() {
  apt-cache depends "linux-image-$own_arch" 2>/dev/null |
    sed -n "s/.*Depends: linux-image-\($series.*\)/\1/p"
}

# make_bench: fills `unfinished`.
make_bench() {
  local work=$unfinished/work
  headers=/usr/src/linux-headers-$release
  mkdir "$work"
  need_packages "linux-headers-$own_release"
  if [[ -n $foreign ]]; then
    use_foreign_lists
    fetch "linux-headers-$release=$version"
    dpkg-deb --extract "$work/linux-headers-$release"_*.deb "$work/headers"
    # The rest of them has programs, and is of this machine's processor.
    headers=$work/headers$headers
    mkdir -p "$work/headers/usr/lib"
    ln -s "/usr/lib/linux-kbuild-$series" "$work/headers/usr/lib"
    make_root "$unfinished/root"
  fi
  fetch "linux-image-$release=$version" "linux-source-$series=$version" busybox-static
  dpkg-deb --extract "$work"/linux-image-*.deb "$work/image"
  dpkg-deb --extract "$work"/busybox-static_*.deb "$work/busybox"
  cp "$work/busybox/bin/busybox" "$unfinished/busybox"

  unpack_kernel "$work/image/boot/vmlinuz-$release" >"$unfinished/kernel"
  build_modules "$work/modules"
  keep_modules "$work/image"
  pack_initramfs "$work/initramfs" >"$unfinished/initramfs"
  rm -rf "$work"
}

# fetch PACKAGE...: downloads packages into `work`, and installs none.
fetch() {
  local get=(apt-get --quiet --quiet "${apt_options[@]}" download "$@")
  # The lists may name a version that was replaced since.
  (cd "$work" && "${get[@]}") ||
    { apt_get "apt-get download" update && (cd "$work" && "${get[@]}"); } ||
    fail 69 "apt-get could not download: $*"
}

# unpack_kernel IMAGE: the kernel itself: for amd64 without what unpacks it at each start, which
# emulation makes slow. Where it lies says the image's header (Documentation/x86/boot.rst of the
# kernel).
unpack_kernel() {
  local sectors start length
  [[ $arch == amd64 ]] || { cat "$1" && return; }
  sectors=$(header_field "$1" 0x1f1 1)
  ((sectors != 0)) || sectors=4
  start=$(((sectors + 1) * 512 + $(header_field "$1" 0x248 4)))
  length=$(header_field "$1" 0x24c 4)
  # The size of the whole, which follows what is compressed, is not for xz.
  dd if="$1" iflag=skip_bytes,count_bytes skip="$start" count="$length" status=none |
    xz --decompress --stdout --single-stream
}

# header_field FILE OFFSET BYTES: the number that stands there.
header_field() { od --address-radix=n --skip-bytes="$2" --read-bytes="$3" --format="u$3" "$1"; }

# build_modules FOLDER
build_modules() {
  local folder=$1
  mkdir "$folder"
  # The tar in the package holds another one, with the tree of the kernel.
  dpkg-deb --fsys-tarfile "$work"/linux-source-*.deb |
    tar --extract --to-stdout "./usr/src/linux-source-$series.tar.xz" |
    xz --decompress --stdout --threads=0 |
    tar --extract --directory "$folder" --transform 's,.*/,,' \
      "${source_files[@]/#/linux-source-$series/}"
  cp "$hardware"/modules/* "$folder"
  mv "$folder/gpio-sim.c" "$folder/gpio-sim-chip.c"
  # The kernel exports no irq_to_desc; this function looks the descriptor up by itself.
  sed --in-place 's/handle_simple_irq(irq_to_desc(\(.*\)));/generic_handle_irq(\1);/' \
    "$folder/irq_sim.c"
  make --silent --directory "$headers" "${kernel_make[@]}" M="$folder" modules >&2
  "$strip" --strip-debug "$folder"/*.ko
}

# module_files IMAGE MODULE...: the files of the modules and of those they need, in the order in
# which they are loaded.
module_files() {
  local image=$1 name
  shift
  for name in "$@"; do
    /sbin/modprobe --config /dev/null --dirname "$image" --set-version "$release" --show-depends "$name"
  done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# keep_modules IMAGE: copies what is needed of the thousands of modules.
keep_modules() {
  local image=$1 tree=lib/modules/$release file
  mkdir -p "$unfinished/$tree"
  # Debian's own module, where there is one.
  mkdir "$image/$tree/extra"
  for file in "$work"/modules/*.ko; do
    find "$image/$tree/kernel" -name "${file##*/}" | grep --quiet . ||
      cp "$file" "$image/$tree/extra"
  done
  /sbin/depmod --basedir "$image" "$release"
  module_files "$image" "${first_modules[@]}" "${device_modules[@]}" >"$work/needed"
  while read -r file; do
    install -D --mode 644 --target-directory "$unfinished/$tree/kernel" "$file"
  done <"$work/needed"
  cp "$image/$tree"/modules.{order,builtin,builtin.modinfo} "$unfinished/$tree"
  /sbin/depmod --basedir "$unfinished" "$release"
}

# pack_initramfs FOLDER
pack_initramfs() {
  local folder=$1 file
  mkdir -p "$folder/bin" "$folder/modules"
  cp "$unfinished/busybox" "$folder/bin/busybox"
  install "$hardware/guest/init" "$folder/init"
  module_files "$unfinished" "${first_modules[@]}" >"$work/first"
  while read -r file; do
    cp "$file" "$folder/modules"
    echo "${file##*/}"
  done <"$work/first" >"$folder/modules/order"
  (cd "$folder" && find . | cpio --quiet --create --format=newc) | gzip -1
}
