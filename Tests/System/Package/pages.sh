# shellcheck shell=bash
# What a person reads of the package, in the root or inside the booted systemd of
# Tests/System/Package/run. Sourced by it, which has `in_root` and `inside`.

manual_is_right() {
  # shellcheck disable=SC2016  # the inner shell's
  in_root sh -c 'for page in /usr/share/man/man?/homeward*; do
    zcat "$page" | preconv -e utf8 | groff -man -Tutf8 -ww -Wbreak -z 2>&1
  done' | (! grep .)
}

# One path is wider than that.
manual_is_narrow() {
  # shellcheck disable=SC2016  # the inner shell's
  in_root sh -c 'for page in /usr/share/man/man?/homeward*; do
    MANWIDTH=80 LC_ALL=C.UTF-8 man --no-justification "$page" | col -b
  done' | grep -v /dev/serial/by-id | (! LC_ALL=C.UTF-8 grep -E '.{81}')
}

# The pictures are left out, and so is what only developers read.
links_are_there() {
  local link
  while IFS= read -r link; do
    case $link in *://* | '#'* | *.png) continue ;; esac
    in_root test -e "/usr/share/doc/homeward/$link" || { echo "$link" && return 1; }
  done < <(sed '/^## For developers/,$d' README.md | grep -o '](\([^)]*\))' |
    sed 's/^](//; s/)$//')
}

# What the README writes for gpsd, as systemd hands it on.
gpsd_variables() {
  local line
  line=$(sed -n 's/^ *\(printf .*sudo tee .etc.default.gpsd\)$/\1/p' README.md)
  inside sh -c "mkdir -p /etc/default; sudo() { \"\$@\"; }; $line" >/dev/null
  # shellcheck disable=SC2016  # the inner shell's
  inside systemd-run --quiet --wait --pipe --property EnvironmentFile=/etc/default/gpsd \
    sh -c 'echo "[$DEVICES][$GPSD_OPTIONS][$USBAUTO]"'
}
