# shellcheck shell=bash
# The agent as it ships, on a board that moves: at home it takes the direct way, in plain HTTP, and
# abroad only the one with TLS. Which one a message took is said by who came to which door of the
# practice home (see play-network), and by the agent itself.
# shellcheck disable=SC2154  # repository and still, which guest/start exports
# shellcheck source=Tests/System/Hardware/guest/agent.sh
source "$repository/Tests/System/Hardware/guest/agent.sh"
# shellcheck source=Tests/System/Hardware/guest/network.sh
source "$repository/Tests/System/Hardware/guest/network.sh"

password='under the keel'

# address RADIO: that of an access point, in the world.
address() { ip -netns world -brief link show "$1" | awk '{ print $3 }'; }

# configure NETWORKS: which are home, in the words of the configuration.
configure() {
  home_assistant="url: \"https://203.0.113.5\", tls: { ca_file: $PWD/tls.pem },
    home_network: { url: \"http://192.168.1.5:8123\", $1 }"
  configure_agent <<'EOF'
battery: off
sensors:
  - { gpio: Door, name: Door, device_class: door, urgent: true }
EOF
}

# access_point: the one that the board is joined to.
access_point() { iw dev wlan1 link | first_group '^Connected to ([0-9a-f:]*)'; }

# network_kind: what the agent says that the board is connected to.
network_kind() { agent_status | first_group '"network":\{[^}]*"kind":"([a-z]*)"'; }

# came_count DOOR ADDRESS: how often.
came_count() { counted "accepting connection from AF=2 $2:" "$1.log" || true; }

# door_changes_to STATE: that of the board.
door_changes_to() { if [[ $1 == on ]]; then play-line Door high; else play-line Door low; fi; }

# door_arrives STATE: what the world does with the door of the board is in Home Assistant.
door_arrives() {
  door_changes_to "$1"
  arrives "$1" binary_sensor.bench_door
}

# The board may have gone the other way in the moment before it knew that it was at home.
home_is_joined() {
  local before
  play-access-point wlan0 Harbour 1 "$password"
  play-station join "Harbour:$password"
  lease wlan1 192.168.1.50 192.168.1.1
  soon home way
  before=$(came_count tls 192.168.1.50)
  door_arrives on
  door_arrives off
  is yes "$(whether came plain 192.168.1.50)"
  is "$before" "$(came_count tls 192.168.1.50)"
}

# away_count: how often the agent said that it is not at home.
away_count() { counted 'not at home' agent.log || true; }

board_roams() {
  local before
  before=$(away_count)
  play-access-point wlan2 Harbour 6 "$password"
  soon OK station_roams "$(address wlan2)"
  soon "$(address wlan2)" access_point
  door_arrives on
  door_arrives off
  is home "$(way)"
  is "$before" "$(away_count)"
}

# station_roams ADDRESS: to an access point that was seen; else it looks again.
station_roams() { control_station roam "$1" | grep OK || control_station scan >/dev/null; }

cable_is_home() {
  play-station leave
  give_back wlan1
  play-network plug Harbour
  lease cable 192.168.1.51 192.168.1.1
  soon home way
  door_arrives on
  door_arrives off
  is yes "$(whether came plain 192.168.1.51)"
}

cable_is_not_home() {
  play-network plug Marina
  lease cable 192.168.43.51 192.168.43.1
  soon instance way
  door_arrives on
  is yes "$(whether came tls 192.168.43.51)"
  is no "$(whether came plain 192.168.43.51)"
  play-network plug out
  give_back cable
}

# In a foreign network the home's address may be that of an attacker; here it is the same door.
foreign_network_is_joined() {
  play-access-point wlan0 off
  play-access-point wlan2 off
  play-access-point wlan2 Marina 6
  play-station join Marina
  lease wlan1 192.168.43.50 192.168.43.1
  soon instance way
  door_arrives off
  door_arrives on
  is yes "$(whether came tls 192.168.43.50)"
  is no "$(whether came plain 192.168.43.50)"
}

# It would be waited for until its timeout of 30 s. The answer has no way back, also where the door is
# opened again.
message_is_sent_anew() {
  local before
  before=$(ended_count)
  play-network hold tls
  door_changes_to off
  soon yes whether holds_a_message
  play-station leave
  give_back wlan1
  play-network open tls
  play-network plug Marina
  lease cable 192.168.43.53 192.168.43.1
  soon yes whether has_ended_more "$before"
  arrives off binary_sensor.bench_door
  is yes "$(whether came tls 192.168.43.53)"
  door_arrives on
  play-network plug out
  give_back cable
}
holds_a_message() { [[ $(play-network held tls) -gt 0 ]]; }
# ended_count: how often the agent ended a message because of that.
ended_count() { counted 'the network changed' agent.log || true; }
has_ended_more() { [[ $(ended_count) -gt $1 ]]; }

entries() { agent_status | first_group '"history":\{[^}]*"entries":([0-9]*)'; }

outage_is_kept() {
  local before
  before=$(happened '"event_type": *"homeward_history"')
  play-station leave
  give_back wlan1
  soon none network_kind
  play-line Door low
  play-line Door high
  play-line Door low
  soon yes whether kept
  play-access-point wlan0 Harbour 1 "$password"
  play-station join "Harbour:$password"
  lease wlan1 192.168.1.52 192.168.1.1
  arrives off binary_sensor.bench_door
  soon 0 entries
  is no "$(whether is "$before" "$(happened '"event_type": *"homeward_history"')")"
  is yes "$(whether came plain 192.168.1.52)"
}
kept() { [[ $(entries) -gt 0 ]]; }

# There is a network of this name at every coast.
name_is_not_enough() {
  configure "ssids: [Harbour], bssids: [\"$(address wlan0)\"]"
  kill -HUP "$(<agent.pid)"
  soon home way
  play-access-point wlan0 off
  play-access-point wlan2 Harbour 6 "$password"
  soon "$(address wlan2)" access_point
  soon instance way
  door_arrives on
  is yes "$(whether came tls 192.168.1.52)"
}

play-network on
configure 'ssids: [Harbour], gateways: ["02:00:00:00:aa:01"]'
start_agent
check "at home on Wi-Fi, messages go the direct way" home_is_joined
check "between two access points of one name the board stays at home" board_roams
check "at home on a cable, messages go the direct way" cable_is_home
check "on a foreign cable nothing goes in plain" cable_is_not_home
check "on a foreign Wi-Fi nothing goes in plain" foreign_network_is_joined
check "a message without an answer is sent anew as soon as the network is another one" message_is_sent_anew
check "what happens without a network is kept, and arrives" outage_is_kept
check "where access points are listed, the name is not enough" name_is_not_enough
# Also in a world that stands still.
[[ -n $still ]] || check "the agent works to the end" stop_agent
cat agent.log >>/run/exchange/agent.log
play-station leave
play-access-point wlan0 off
play-access-point wlan2 off
play-network plug out
give_back wlan1
give_back cable
play-network off
