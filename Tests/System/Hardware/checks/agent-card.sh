# shellcheck shell=bash
# The card of a board that a person sets up on a PC: what the agent as it ships writes to it.
# shellcheck disable=SC2154  # agent, which guest/start exports

# A person who sees no device in Home Assistant pulls the plug, and reads on the PC what is wrong.
files_of_the_card() {
  local status=0
  play-card in before
  mkdir root
  "$agent" provision --card before --root root >provision.log 2>&1 || status=$?
  is 78 "$status"
  play-card cut after
  is 1 "$(counted '5 parsecs' after/homeward-card.txt)"
  is 1 "$(counted 'console=tty0 .* cfg80211.ieee80211_regdom=DE' after/cmdline.txt)"
}

check "what is written to the card is there when its board loses power at once" files_of_the_card
