# shellcheck shell=bash
# What apt makes of the repository of the release, in a root whose systemd runs, over loopback HTTP.
# Sourced by Tests/System/Package/run, which has `scratch`, `root`, `release`, `version`, `own`, `inside` and
# `holds`.
# shellcheck disable=SC2154

repository_url=http://127.0.0.1:18124

# publish_again: replaces `published`, which a person may name with a slash.
publish_again() {
  deploy/apt-repository "$published/" --url "$repository_url" --key release@homeward.invalid \
    "$release/packages/homeward_$version+deb13_$own.deb" >"$scratch/publish.log" 2>&1
}

# lies_alone: what is published, with nothing left over beside it.
lies_alone() { [[ -e $published/homeward.asc && $(echo "$scratch"/published*) == "$published" ]]; }

# replaces_a_repository: boards may ask it at any time.
replaces_a_repository() {
  local published=$scratch/published
  held "a repository is published in a folder with a slash behind its name" publish_again || return 0
  touch "$published/former"
  holds "it is replaced" publish_again
  holds "by the new one" test ! -e "$published/former"
  holds "which lies alone there" lies_alone
  touch "$published/former"
  holds "where it cannot be replaced, that is an error" not_replaced
  holds "and the former one is back" test -e "$published/former"
  holds "which lies alone then, too" lies_alone
}

# not_replaced: the new one does not get its name.
not_replaced() {
  mkdir "$scratch/no-name"
  # shellcheck disable=SC2016  # of the other shell
  printf '#!/bin/sh\n[ "$2" = "%s" ] && [ "${1%%.former}" = "$1" ] && exit 1\nexec /usr/bin/mv "$@"\n' "$published" \
    >"$scratch/no-name/mv"
  chmod 755 "$scratch/no-name/mv"
  ! PATH=$scratch/no-name:$PATH publish_again
}

# serve FOLDER: hands out the folder in the network of the root.
serve() {
  [[ -z $web ]] || kill "$web" 2>/dev/null || true
  nsenter --target "$init" --net python3 -m http.server 18124 --bind 127.0.0.1 --directory "$1" \
    >"$scratch/web.log" 2>&1 &
  web=$!
  soon inside curl --silent --fail --output /dev/null "$repository_url/homeward.asc"
}

# readme_lines: the two lines of the README that install from a repository, for this one.
readme_lines() {
  sed -n '/^    \. \/etc\/os-release; sudo curl/,/^    sudo apt update/s/^    //p' README.md |
    sed "s,https://ADDRESS,$repository_url,g; s/apt install/apt-get --yes install/; s/apt update/apt-get update/"
}

# types LINES: a person who may use sudo, as root.
types() {
  printf 'sudo() { "$@"; }\nset -e\nexport DEBIAN_FRONTEND=noninteractive\n%s\n' "$1" >"$root/root/lines"
  inside bash /root/lines >"$scratch/apt.log" 2>&1
}

has_package() { inside dpkg-query --show homeward | grep --quiet --fixed-strings "$1"; }

# installs_from_repository RELEASE
installs_from_repository() {
  local lines newest=$scratch/newest
  lines=$(readme_lines)
  holds "the README has two lines for the repository" [ "$(grep --count . <<<"$lines")" = 2 ]
  serve "$release/repository"
  [[ $1 == 12 ]] || is_for_raspberry_pi_os
  held "with them apt installs the package" types "$lines" || { tail -n 5 "$scratch/apt.log" && return 0; }
  holds "which runs" inside homeward --version
  [[ -z $relay_package ]] || relay_from_repository
  deploy/apt-repository "$newest" --url "$repository_url" --key release@homeward.invalid "$scratch/newer.deb" \
    >/dev/null
  serve "$newest"
  holds "apt upgrade brings the next version" \
    types $'sudo apt-get update\nsudo apt-get --yes upgrade'
  holds "which is there then" has_package "$version.1+deb"
  is_refused_if_changed "$newest"
}

# relay_from_repository: with the first line of its README.
relay_from_repository() {
  local line
  line=$(relay_readme Installing | sed 's/apt install/apt-get --yes install/; q')
  holds "and the push relay, with the line of its README" types "$line"
  holds "which answers" soon relay_answers
}

# is_refused_if_changed REPOSITORY: a package that is changed on the way does not get onto a board, nor does
# a changed list of packages.
is_refused_if_changed() {
  local package
  inside apt-get --quiet --yes purge homeward >"$scratch/apt.log" 2>&1 || true
  inside find /var/cache/apt/archives -name 'homeward_*' -delete
  package=$(find "$1/pool" -name '*.deb')
  printf x | dd of="$package" bs=1 seek=1000 conv=notrunc status=none
  holds "a package that was changed on the way is refused" \
    fails "Hash Sum mismatch" 'apt-get --yes install homeward'
  sed -i 's/^Version: .*/Version: 9.9+deb/' "$1"/dists/*/main/binary-*/Packages
  rm -f "$1"/dists/*/main/binary-*/Packages.gz
  inside find /var/lib/apt/lists -name '127.0.0.1*' -delete
  types 'apt-get update' || true
  holds "and so is a list" [ -z "$(inside apt-cache policy homeward | grep 9.9)" ]
}

# fails WORDS LINE: the line of a shell ends with a failure, and says so.
fails() { ! types "$2" && grep --quiet "$1" "$scratch/apt.log"; }

# is_for_raspberry_pi_os: what a Raspberry Pi with 32 bits takes, with the README's lines. Its programs do
# not run here, so apt judges the package and fetches it, as if the root had that architecture.
is_for_raspberry_pi_os() {
  local package=homeward_$version+rpi13_armhf.deb
  local as_there='-o APT::Architecture=armhf -o APT::Architectures=armhf -o APT::Get::List-Cleanup=false'
  cp Tests/System/Package/raspbian-release "$root/root/os-release"
  inside touch /empty
  inside mount --bind /root/os-release /etc/os-release
  holds "on Raspberry Pi OS with 32 bits they find its own repository" types "$(readme_lines | sed "
    s,apt-get update,apt-get $as_there update,
    s,apt-get --yes install,apt-get $as_there -o Dir::State::status=/empty --simulate install,")"
  holds "which has the package for ARMv6" grep --quiet "^Inst homeward ($version+rpi13 " "$scratch/apt.log"
  holds "apt fetches it" types "cd /root && apt-get $as_there download homeward"
  holds "which is that of the release" cmp "$root/root/$package" "$release/packages/$package"
  inside umount /etc/os-release
  rm -f "$root/etc/apt/sources.list.d/homeward.sources" "$root/etc/apt/keyrings/homeward.asc"
}
