# shellcheck shell=bash
# Wi-Fi: the access points are on wlan0 and wlan2, the board is on wlan1.

# What the kernel says that the board is joined to; nothing where it is not.
name() { iw dev wlan1 link | first_group $'SSID: ([^\n]*)'; }
point() { iw dev wlan1 link | first_group '^Connected to ([0-9a-f:]*)'; }

address() { cat "/sys/class/net/$1/address"; }

# Each check begins without networks.
quiet() {
  play-station leave
  play-access-point wlan0 off
  play-access-point wlan2 off
  soon '' name
}

joins_with_a_password() {
  quiet
  play-access-point wlan0 Harbour 1 'under the keel'
  play-station join 'Harbour:under the keel'
  soon Harbour name
  is "$(address wlan0)" "$(point)"
}

wrong_password_does_not_join() {
  quiet
  play-access-point wlan0 Harbour 1 'under the keel'
  play-station join 'Harbour:above the keel'
  soon yes whether grep 'pre-shared key may be incorrect' station.log
  is '' "$(name)"
}

joins_an_open_one() {
  quiet
  play-access-point wlan0 Marina 6
  play-station join Marina
  soon Marina name
}

moves_to_another_name() {
  quiet
  play-access-point wlan0 Harbour 1
  play-station join Harbour Marina
  soon Harbour name
  play-access-point wlan2 Marina 6
  play-access-point wlan0 off
  soon Marina name
}

# Who asks for the name of an interface has to look among the results of the search.
name_is_not_the_interface() {
  quiet
  play-access-point wlan0 Harbour 1
  play-station join Harbour
  soon Harbour name
  is 0 "$(iw dev wlan1 info | grep --count ssid)"
  is 1 "$(iw dev wlan0 info | grep --count ssid)"
}

moves_between_points_of_one_name() {
  quiet
  play-access-point wlan0 Harbour 1
  play-station join Harbour
  soon "$(address wlan0)" point
  play-access-point wlan2 Harbour 6
  play-access-point wlan0 off
  soon "$(address wlan2)" point
  is Harbour "$(name)"
}

loses_and_finds_it() {
  quiet
  play-access-point wlan0 Harbour 1
  play-station join Harbour
  soon Harbour name
  play-access-point wlan0 off
  soon '' name
  play-access-point wlan0 Harbour 1
  soon Harbour name
}

leaves() {
  quiet
  play-access-point wlan0 Harbour 1
  play-station join Harbour
  soon Harbour name
  play-station leave
  soon '' name
}

kernel_tells() {
  quiet
  stdbuf --output=L iw event >told &
  # It listens: a socket of generic netlink (protocol 16), of a process, in a group.
  soon yes whether grep --extended-regexp ' 16 +[1-9][0-9]* +0*[1-9a-f]' /proc/net/netlink
  play-access-point wlan0 Harbour 1
  play-station join Harbour
  soon yes whether grep 'wlan1.*: connected to' told
  play-access-point wlan0 off
  soon yes whether grep 'wlan1.*: disconnected' told
}

check "the board joins with a password" joins_with_a_password
check "a wrong password does not join" wrong_password_does_not_join
check "the board joins an open network" joins_an_open_one
check "the board moves to a network of another name" moves_to_another_name
check "the interface of a station has no name of a network" name_is_not_the_interface
check "the board moves between two access points of one name" moves_between_points_of_one_name
check "the board loses its network, and finds it again" loses_and_finds_it
check "the board leaves" leaves
check "the kernel tells that the board joined and lost" kernel_tells
quiet
