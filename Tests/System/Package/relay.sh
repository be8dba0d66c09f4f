# shellcheck shell=bash
# What systemd makes of the push relay's package, in a root whose systemd runs. Sourced by
# Tests/System/Package/run, which has `scratch`, `root`, `version`, `inside` and `holds`.
# shellcheck disable=SC2154

relay() { inside setpriv --reuid homeward-relay --regid homeward-relay --clear-groups homeward-relay "$@"; }
relay_is() { [[ $(inside systemctl is-active homeward-relay.service) == "$1" ]]; }
relay_answers() { relay_answers_at 8426; }
relay_answers_at() { inside curl --silent --fail --output /dev/null "http://127.0.0.1:$1/healthz"; }
has_board() { relay token list | grep --quiet '^boat '; }
relay_pid() { inside systemctl show --property MainPID --value homeward-relay.service; }

# is_started TIMES, without a pause.
is_started() {
  local time
  for ((time = 0; time < $1; time++)); do inside systemctl restart homeward-relay.service || return 1; done
}

# relay_readme HEADING: the lines of deploy/relay/README.md below a heading that a person types.
relay_readme() { sed -n "/^## $1/,/^## /s/^    //p" deploy/relay/README.md; }

# types_as_user LINES: a person who may use sudo, also as another user.
types_as_user() {
  # shellcheck disable=SC2016  # the inner shell's
  types 'sudo() {
    if [ "$1" != -u ]; then command "$@"; return; fi
    setpriv --reuid "$2" --regid "$2" --clear-groups "${@:3}"
  }'$'\n'"$1"
}

# keeps_backup: what the README says of backup and restore, as it says it, with a board that was added
# after the backup.
keeps_backup() {
  local lines
  lines=$(relay_readme Backup)
  holds "its README has five lines for backup and restore" [ "$(grep --count . <<<"$lines")" = 5 ]
  holds "the first makes a backup while it runs" types_as_user "${lines%%$'\n'*}"
  relay token add late --url https://relay.example >/dev/null
  holds "the others restore it" types_as_user "${lines#*$'\n'}"
  holds "with its boards as they were" has_board
  holds "and without those of later" [ -z "$(relay token list | grep '^late ')" ]
  holds "the restored one serves" soon relay status
}

# relay_by_systemd PACKAGE RELEASE
relay_by_systemd() {
  local pid
  cp "$1" "$root/relay.deb"
  newer "$1" "$2" newer-relay.deb
  cp "$scratch/newer-relay.deb" "$root/newer-relay.deb"
  held "apt installs the push relay" apt_inside install /relay.deb || return 0
  holds "it is ready, as a service, and answers" relay_answers
  holds "only its user can read what it keeps" \
    [ "$(inside stat --format '%U %a' /var/lib/homeward-relay)" = "homeward-relay 700" ]
  holds "the service is confined" confined "$(relay_pid)"
  holds "and exposes little" exposes_at_most 1.3 \
    inside systemd-analyze security --no-pager homeward-relay.service
  holds "a board is added, and status asked, with the lines of its README" \
    types_as_user "$(relay_readme Installing | grep --invert-match 'apt install')"
  printf 'HOMEWARD_RELAY_OPTIONS="--listen 127.0.0.1:8427 --waiting 5"\n' |
    inside tee /etc/default/homeward-relay >/dev/null
  inside systemctl restart homeward-relay.service
  holds "it takes the options of /etc/default" relay_answers_at 8427
  : | inside tee /etc/default/homeward-relay >/dev/null
  inside systemctl restart homeward-relay.service
  holds "apt installs what makes a backup" apt_inside install sqlite3
  keeps_backup
  pid=$(relay_pid)
  holds "apt upgrades it while it runs" \
    apt_inside -o DPkg::Options::=--force-confold install /newer-relay.deb
  holds "the new one is started" [ "$(relay_pid)" != "$pid" ]
  holds "and answers" soon relay_answers
  holds "with its boards" has_board
  holds "it can be started as often as a person likes" is_started 6
  holds "apt removes it while it runs" apt_inside remove homeward-relay
  holds "the service ends" relay_is inactive
  holds "what it kept stays" inside test -s /var/lib/homeward-relay/relay.sqlite
  holds "apt installs it again" apt_inside -o DPkg::Options::=--force-confold install /relay.deb
  holds "it answers then, too" soon relay_answers
  holds "with its boards, too" has_board
  holds "apt purges it while it runs" apt_inside purge homeward-relay
  holds "the relay is gone" relay_is inactive
  holds "and what it kept" inside test ! -e /var/lib/homeward-relay
}
