# shellcheck shell=bash
# A board with all that belongs to it: a real Home Assistant with what deploy/home-assistant has, a
# real gpsd that plays the recorded drive, and the agent, with a battery, a processor and GPIO lines
# that are made up. Sourced after deploy/lib/needs.sh, with `set -euo pipefail`.

# The Debian packages that it takes.
# shellcheck disable=SC2034,SC2154  # for the caller, who has the others from deploy/lib/needs.sh
boat_packages=("${agent_packages[@]}" gpsd python3 python3-venv)

boat_pids=()

# start_boat FOLDER AGENT: starts all in a folder that is there, and returns when Home Assistant has
# registered the board. In the folder are then `home`, that of deploy/lab/home-assistant, and
# `events` and `log`, what the agent says.
start_boat() {
  local folder=$1 agent=$2 line='' events
  make_sys "$folder/sys"
  make_lines "$folder"
  deploy/lab/home-assistant start "$folder/home" --add deploy/home-assistant
  # Behind the tunnel.
  exec {events}< <(exec deploy/lab/play-drive --port 0 --start 250 --json)
  boat_pids+=($!)
  read -r -t 60 line <&"$events" || true
  local port
  port=$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' <<<"$line")
  [[ -n $port ]] || fail 70 "play-drive does not say where gpsd listens, but: '$line'"
  write_configuration "$folder" "$port" >"$folder/homeward.yaml"
  : >"$folder/events"
  LD_PRELOAD=$folder/lines.so "$agent" run --json --config "$folder/homeward.yaml" \
    >"$folder/events" 2>"$folder/log" &
  boat_pids+=($!)
  local waits
  for waits in {1..300}; do
    ! grep --quiet '"event":"registered"' "$folder/events" || return 0
    kill -0 "${boat_pids[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  cat "$folder/log" >&2
  fail 70 "the agent did not register itself in $((waits / 10)) s"
}

# stop_boat FOLDER: ends all.
stop_boat() {
  [[ ${#boat_pids[@]} -eq 0 ]] || kill "${boat_pids[@]}" 2>/dev/null || true
  [[ ! -d $1/home ]] || deploy/lab/home-assistant stop "$1/home" || true
}

# make_sys FOLDER: what the kernel would say of a house battery and a processor.
make_sys() {
  local battery=$1/class/power_supply/house zone=$1/class/thermal/thermal_zone0
  local serial=$1/firmware/devicetree/base
  mkdir -p "$battery" "$zone" "$serial"
  write() { printf '%s\n' "$2" >"$1"; }
  write "$battery/type" Battery
  write "$battery/scope" System
  write "$battery/present" 1
  write "$battery/capacity" 81
  write "$battery/status" Discharging
  write "$battery/voltage_now" 12840000
  write "$battery/current_now" -1250000
  write "$zone/type" cpu-thermal
  write "$zone/temp" 47200
  printf boat >"$serial/serial-number"
}

# make_lines FOLDER: chips of one line each, of which the one of the hatch is high.
make_lines() {
  cat >"$1/lines.c" <<'EOT'
#include "fakegpio.h"
__attribute__((constructor)) static void plug_in(void) {
  fakegpio_add("/dev/gpiochip0", "board", "GPIO17", 0);
  fakegpio_set_level(fakegpio_add("/dev/gpiochip1", "other", "GPIO27", 0), 1);
  fakegpio_add("/dev/gpiochip2", "relays", "GPIO22", 0);
}
EOT
  # shellcheck disable=SC2154  # from need_swift
  "$swift_tools/clang" -shared -fPIC -O1 -I Tests/Support/FakeGPIO/include -o "$1/lines.so" \
    "$1/lines.c" Tests/Support/FakeGPIO/fakegpio.c
}

# write_configuration FOLDER PORT: that of a board with the names of dashboards/homeward.yaml; gpsd
# listens on the port.
write_configuration() {
  cat <<EOF
every: 5s
state_directory: $1/state
home_assistant: { url: "$(<"$1/home/url")", token_file: $1/home/token }
device: { name: Boat }
location: { source: gpsd, port: $2, anchor: { radius: 40m } }
host: { sys: $1/sys }
commands: [request_location_update, command_update_sensors, command_gpio, command_anchor]
sensors:
  - { gpio: GPIO17, name: Bilge, device_class: moisture, urgent: true }
  - { gpio: GPIO27, name: Hatch, device_class: opening }
outputs:
  - { gpio: GPIO22, name: Pump, device_class: running }
EOF
}
