# shellcheck shell=bash
# What apt makes of the package, in a root without a systemd that runs. Sourced by
# Tests/System/Package/run, which has `scratch`, `root`, `version`, `holds` and `in_root`.
# shellcheck disable=SC2154

apt() { in_root apt-get --quiet --yes --no-install-recommends "$@" >"$scratch/apt.log" 2>&1; }

mode_is() { [[ $(in_root stat --format '%U:%G %a' "$2") == "$1" ]]; }
is_gone() { in_root test ! -e "$1"; }
says() { in_root "${@:2}" | grep --quiet --fixed-strings -- "$1"; }

# completes WORD PROGRAM WORD...: what bash makes of the line so far when a person presses Tab.
completes() {
  # shellcheck disable=SC2016  # the inner shell's
  in_root bash -c 'source /usr/share/bash-completion/completions/homeward
    want=$1; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _homeward; [[ ${COMPREPLY[*]} == "$want" ]]' completes "$@"
}

# exposes_at_most MAX COMMAND...: what systemd-analyze, run by the command, says of a unit.
exposes_at_most() {
  local level
  level=$("${@:2}" 2>/dev/null | sed -n 's/.*exposure level for [^ ]*: \([0-9.]*\).*/\1/p')
  echo "         exposure ${level:-unknown}, at most $1"
  [[ -n $level ]] && awk "BEGIN { exit !($level <= $1) }"
}

# verifies UNIT. systemd-analyze is the first process there, and would write to the kernel's log.
verifies() {
  local words
  # It ends with 1 also for units of others.
  words=$(in_root env SYSTEMD_LOG_TARGET=console systemd-analyze verify --man=no "$1" 2>&1) || [[ $? == 1 ]] || return 1
  words=$(grep homeward <<<"$words") || return 0
  echo "$words"
  return 1
}

# as_if_empty ARCH PACKAGE: whether apt would install it on a board of another architecture, on which
# nothing is.
as_if_empty() {
  in_root touch /empty
  apt -o Dir::State::status=/empty -o "APT::Architecture=$1" -o "APT::Architectures=$1" --simulate install "$2"
}

# newer PACKAGE RELEASE [FILE]: the same package with a version after it, as newer.deb or that file.
newer() {
  local file=${3-newer.deb}
  local folder=$scratch/${file%.deb}-$2
  dpkg-deb --raw-extract "$1" "$folder"
  sed -i "s/^Version: .*/Version: $version.1+deb$2/" "$folder/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$folder" "$scratch/$file" >/dev/null
}

# previous PACKAGE RELEASE: a package of before debhelper, with the scripts that it had: they made the
# user, and started the service.
previous() {
  local folder=$scratch/previous-$2
  dpkg-deb --raw-extract "$1" "$folder"
  rm -rf "$folder"/usr/lib/{sysusers.d,tmpfiles.d} "$folder"/usr/share/{bash-completion,zsh,fish} \
    "$folder"/DEBIAN/{preinst,md5sums}
  mkdir -p "$folder/etc/homeward"
  cp Tests/System/Package/previous/homeward.service "$folder/usr/lib/systemd/system/"
  if [[ $2 == 12 ]]; then mv "$folder/usr/lib" "$folder/lib"; fi
  cp Tests/System/Package/previous/{postinst,prerm,postrm} "$folder/DEBIAN/"
  chmod 755 "$folder"/DEBIAN/{postinst,prerm,postrm}
  sed -i "s/^Version: .*/Version: 0.0.9+deb$2/; s/^Depends: /&adduser, /" "$folder/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$folder" "$scratch/previous.deb" >/dev/null
}

# Writes what an agent that is paired keeps, and a person's configuration.
write_state() {
  in_root sh -c 'echo "home_assistant: { url: http://127.0.0.1:1 }" >/etc/homeward/homeward.yaml
    mkdir /var/lib/homeward/spool
    echo kept >/var/lib/homeward/registration.json
    echo kept >/var/lib/homeward/spool/1
    chown -R homeward:homeward /var/lib/homeward'
}

keeps_state() {
  says 127.0.0.1 cat /etc/homeward/homeward.yaml && says kept cat /var/lib/homeward/registration.json &&
    says kept cat /var/lib/homeward/spool/1 && mode_is "homeward:homeward 700" /var/lib/homeward
}

is_version() { says "$1" dpkg-query --show homeward; }

# comes_after_previous RELEASE: an upgrade from the package of before debhelper.
comes_after_previous() {
  cp "$scratch/previous.deb" "$root/previous.deb"
  cp "$release/packages/homeward_$version+deb${1}_$own.deb" "$root/homeward.deb"
  held "apt installs the previous package" apt install /previous.deb || return 0
  write_state
  holds "apt upgrades from it" apt install /homeward.deb
  holds "which brings this version" is_version "$version+deb$1"
  holds "and keeps configuration, registration and history" keeps_state
  holds "the service still comes with every start" says enabled systemctl is-enabled homeward.service
  holds "the files are those of the package" in_root dpkg --verify homeward
  holds "apt downgrades to it" apt --allow-downgrades install /previous.deb
  holds "which keeps them, too" keeps_state
  holds "apt removes it" apt remove homeward
  holds "apt installs this one after it" apt install /homeward.deb
  holds "with what was kept" keeps_state
  holds "the reboot can be permitted" in_root systemctl enable homeward-reboot.path
  holds "apt purges it" apt purge homeward
}

# install_by_apt RELEASE PACKAGE
install_by_apt() {
  local package=$2
  cp "$package" "$root/homeward.deb"
  cp "$scratch/newer.deb" "$root/newer.deb"

  holds "apt installs it with what it depends on" apt install /homeward.deb
  holds "it runs, and is version $version" says "homeward $version" homeward --version
  holds "its version is the package's" is_version "$version+deb$1"
  holds "it names the source of the library that is linked in" \
    grep --quiet '^libgpiod (= 2[.][^)]*)$' <(dpkg-deb --field "$package" Built-Using)
  holds "it has a user without a login" says :/usr/sbin/nologin getent passwd homeward
  holds "the user may use GPIO lines" says gpio id -nG homeward
  holds "only the user can read its state" mode_is "homeward:homeward 700" /var/lib/homeward
  holds "the program is root's" mode_is "root:root 755" /usr/bin/homeward
  holds "the place of the configuration is root's" mode_is "root:root 755" /etc/homeward
  holds "the service comes with every start" \
    says enabled systemctl is-enabled homeward.service
  holds "the unit has no mistake" verifies homeward.service
  install -D deploy/switched-off/homeward-report "$root/usr/local/sbin/homeward-report"
  cp deploy/switched-off/homeward-report.service "$root/etc/systemd/system/"
  holds "that of a board that is switched off has none" verifies homeward-report.service
  holds "the unit exposes little" exposes_at_most 1.5 \
    in_root systemd-analyze security --offline=true --no-pager homeward.service
  holds "the manual page is there" \
    says "homeward-pair(1)" env MANWIDTH=80 man --no-justification homeward
  holds "each command has one, by two words, too" \
    says "--print-next-wake" env MANWIDTH=80 man --no-justification homeward run
  holds "that of the configuration is there, with keys and recipes" \
    says "history.disk_megabytes" env MANWIDTH=80 man --no-justification homeward.yaml
  holds "the manual pages have no mistake" manual_is_right
  holds "they fit into 80 columns" manual_is_narrow
  holds "the README is there, and all that it links to" links_are_there
  holds "bash completes commands" completes status homeward stat
  holds "their options" completes --print-next-wake homeward run --pr
  holds "and their words" completes export homeward spool ex
  holds "a recipe is there" says "name: Bilge" cat /usr/share/doc/homeward/examples/boat.yaml
  holds "the files are those of the package" in_root dpkg --verify homeward
  holds "it knows boards" says "GPIO17  11 | 12  GPIO18" homeward pins --board raspberry-pi-4
  holds "there is a changelog" says "homeward ($version" \
    zcat /usr/share/doc/homeward/changelog.gz

  write_state
  holds "apt upgrades it" apt install /newer.deb
  holds "which brings the newer one" is_version "$version.1+deb$1"
  holds "and keeps configuration, registration and history" keeps_state
  holds "apt downgrades it" apt --allow-downgrades install /homeward.deb
  holds "which brings the older one" is_version "$version+deb$1"
  holds "and keeps them, too" keeps_state
  holds "apt removes it" apt remove homeward
  holds "the program is gone" is_gone /usr/bin/homeward
  holds "what a person wrote and what was kept stays" keeps_state
  holds "apt installs it again" apt install /homeward.deb
  holds "with what was kept" keeps_state
  holds "apt purges it" apt purge homeward
  holds "its state is gone" is_gone /var/lib/homeward
  holds "its configuration is gone" is_gone /etc/homeward
}
