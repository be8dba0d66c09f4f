# shellcheck shell=bash
# A battery and the mains. The units of the kernel's test_power are not those of the kernel's
# documentation, so these checks say nothing about units.

battery=/sys/class/power_supply/test_battery
mains=/sys/class/power_supply/test_ac

shows() { cat "$battery/$1"; }

charge_follows() {
  play-battery capacity=17
  is 17 "$(shows capacity)"
  play-battery capacity=83
  is 83 "$(shows capacity)"
}

status_follows() {
  local status
  for status in Charging Discharging Full; do
    play-battery "status=${status,,}"
    is "$status" "$(shows status)"
  done
}

measurements_follow() {
  play-battery voltage=3712 current=850
  is '3712 850' "$(shows voltage_now) $(shows current_now)"
  play-battery voltage=4100 current=0
  is '4100 0' "$(shows voltage_now) $(shows current_now)"
}

health_follows() {
  play-battery health=overheat
  is Overheat "$(shows health)"
  play-battery health=good
  is Good "$(shows health)"
}

presence_follows() {
  play-battery present=false
  is 0 "$(shows present)"
  play-battery present=true
  is 1 "$(shows present)"
}

mains_follow() {
  play-battery mains=off
  is 0 "$(<$mains/online)"
  play-battery mains=on
  is 1 "$(<$mains/online)"
}

# listen FILE: writes which supplies the kernel says have changed, in the background.
listen() {
  # shellcheck disable=SC2016  # the inner shell's
  busybox uevent sh -c 'echo "$ACTION $SUBSYSTEM $POWER_SUPPLY_NAME" >>"$0"' "$1" &
  # It has its netlink socket: protocol 15, of a process.
  soon 1 counted ' 15 +[1-9]' /proc/net/netlink
  : >"$1"
}

change_is_told() {
  listen changes
  play-battery capacity=40
  soon yes whether grep '^change power_supply test_battery$' changes
}

mains_change_is_told() {
  listen changes
  play-battery mains=off
  soon yes whether grep '^change power_supply test_ac$' changes
  play-battery mains=on
}

# A fault of test_power, which an agent has to bear: it names the wrong supply.
presence_is_told_for_the_mains() {
  listen changes
  play-battery present=false
  soon yes whether grep '^change power_supply test_ac$' changes
  is 0 "$(counted test_battery changes)"
  play-battery present=true
}

# Of a new supply this kernel tells no "add" in time, but that it changed.
supplies_are_gone_and_back() {
  listen changes
  play-battery gone
  is no "$(whether test -e "$battery")"
  soon yes whether grep '^remove power_supply' changes
  sleep 0.5
  : >changes
  play-battery back
  is yes "$(whether test -e "$battery")"
  soon yes whether grep '^change power_supply test_battery$' changes
}

check "the charge follows" charge_follows
check "the status follows" status_follows
check "voltage and current follow" measurements_follow
check "the health follows" health_follows
check "a battery that is taken out is not present" presence_follows
check "the mains go off and on" mains_follow
check "the kernel tells that the battery changed" change_is_told
check "the kernel tells that the mains changed" mains_change_is_told
check "a change of presence is told for another supply" presence_is_told_for_the_mains
check "the supplies are unplugged, and back" supplies_are_gone_and_back
