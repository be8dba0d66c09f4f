# shellcheck shell=bash
# The report of a board that is switched off in between, as a service: its unit and its script as they are,
# with a program behind.
# shellcheck disable=SC2154  # repository and door, which others set

report=homeward-report.service

# prepare_report: as its page says. The guest stays on.
prepare_report() {
  touch /run/online
  install -D "$repository/deploy/switched-off/homeward-report" /usr/local/sbin/homeward-report
  cp "$repository/deploy/switched-off/$report" /etc/systemd/system/
  mkdir -p "/run/systemd/system/$report.d"
  printf '%s\n' '[Service]' ExecStart= \
    'ExecStart=/usr/local/sbin/homeward-report /usr/bin/touch /run/arrived' \
    >"/run/systemd/system/$report.d/program.conf"
  touch /etc/homeward/stay-on
  systemctl daemon-reload
  configure 1h <<EOT
sensors: [$door]
EOT
}

# report_once: by systemd, with no alarm before.
report_once() {
  rm -f /run/arrived
  echo 0 >/sys/class/rtc/rtc0/wakealarm
  systemctl start "$report"
  is success "$(systemctl show --value --property Result "$report")"
  is yes "$(whether has_alarm)"
}

# has_alarm: the clock of the board has one, for a moment in the next hour.
has_alarm() {
  local ahead
  ahead=$(($(</sys/class/rtc/rtc0/wakealarm) - $(</sys/class/rtc/rtc0/since_epoch)))
  [[ $ahead -ge 60 && $ahead -le 3800 ]]
}

report_starts_the_program() {
  prepare_report
  report_once
  is yes "$(whether test -e /run/arrived)"
}

report_that_does_not_arrive_starts_none() {
  sed -i 's|^  url: .*|  url: "http://10.0.2.2:1"|' /etc/homeward/homeward.yaml
  report_once
  is no "$(whether test -e /run/arrived)"
}
