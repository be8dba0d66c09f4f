# shellcheck shell=bash
# The checks of a test script, each with its own line. Sourced, with `checked` set to what they are of;
# `wrongs` counts those that do not hold.
# shellcheck disable=SC2154

wrongs=0

# holds WHAT COMMAND...: says whether it does. `held` fails if it does not, for a caller that cannot
# go on.
holds() { held "$@" || true; }

held() {
  local what=$1
  shift
  if "$@"; then
    echo "  ok     $what"
  else
    echo "WRONG: $checked: $what"
    wrongs=$((wrongs + 1))
    return 1
  fi
}
