# shellcheck shell=bash
# The board's own part in a network, which on a real one is that of a DHCP client.

# lease DEVICE ADDRESS ROUTER
lease() {
  [[ $1 != wlan1 ]] || soon COMPLETED wireless_state
  give_back "$1"
  ip address add "$2/24" dev "$1"
  ip route replace default via "$3" dev "$1"
}
give_back() { ip address flush dev "$1"; }

control_station() { wpa_cli -p /run/wpa_supplicant -i wlan1 "$@"; }
wireless_state() { control_station status | sed -n 's/^wpa_state=//p'; }

# came DOOR ADDRESS: whether the board came to this door with this address of its own.
came() { grep --quiet "accepting connection from AF=2 $2:" "$1.log"; }

# way: the one that the agent takes.
way() { agent_status | first_group '"route":"([a-z_]*)"[^{}]*"state":"taken"'; }
