# shellcheck shell=bash
# The card of a board that a person sets up on a PC: what the agent as it ships writes to it.
# shellcheck disable=SC2154  # agent, which guest/start exports

# provision [COMMAND...]: of the card with a wrong homeward.yaml.
provision() {
  mkdir -p root
  local status=0
  "$@" "$agent" provision --card before --root root >provision.log 2>&1 || status=$?
  is 78 "$status"
}

# A board without these arguments never starts again.
arguments='console=tty0 .*root=PARTUUID=484f4d45-02 rw.*'

# Each fsync takes its time, so that the power goes between any two of them.
power_goes_at_any_moment() {
  local writer moments=0 found=before
  play-card in before
  provision strace --quiet=all --output=/dev/null --trace=fsync --inject=fsync:delay_enter=1500000 &
  writer=$!
  while kill -0 "$writer" 2>/dev/null; do
    play-card cut after
    [[ $(<after/cmdline.txt) =~ ^$arguments$ ]] || found="'$(<after/cmdline.txt)' at $moments"
    moments=$((moments + 1))
  done
  wait "$writer"
  is before "$found"
  is yes "$(whether test "$moments" -ge 5)"
}

# A person who sees no device in Home Assistant pulls the plug, and reads on the PC what is wrong.
power_goes_at_once() {
  play-card cut after
  is 1 "$(counted '5 parsecs' after/homeward-card.txt)"
  is 1 "$(counted "$arguments cfg80211.ieee80211_regdom=DE" after/cmdline.txt)"
}

check "the arguments of the kernel are whole at each moment of their change" power_goes_at_any_moment
check "what is written to the card is there when its board loses power at once" power_goes_at_once
