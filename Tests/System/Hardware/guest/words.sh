# shellcheck shell=bash
# The words that checks are written with.
# shellcheck disable=SC2154  # repository and still, which guest/start exports, and kind
# shellcheck source=Tests/System/Hardware/world/pause.sh
source "$repository/Tests/System/Hardware/world/pause.sh"

# How long the world may take until a device shows it. A world that stands still never does.
soon_seconds=90
[[ -z $still ]] || soon_seconds=2

# check WHAT COMMAND...: runs a command, most often a function, and says how it went. It runs in a
# shell of its own, which ends at the first command that fails, and its background jobs with it.
check() {
  local what=$1 begin=${EPOCHREALTIME/./} status=0 result=ok took
  shift
  (
    trap 'end_check $? "$BASH_COMMAND"' EXIT
    set -e
    "$@"
  ) >said 2>&1
  status=$?
  [[ $status -eq 0 ]] || result=wrong
  printf -v took '%d.%02d' $(((${EPOCHREALTIME/./} - begin) / 1000000)) \
    $(((${EPOCHREALTIME/./} - begin) % 1000000 / 10000))
  printf '  %-5s %6s s  %s\n' "$result" "$took" "$what"
  [[ $status -eq 0 ]] || sed 's/^/                    /' said
  printf '%s\t%s\t%s\t%s\n' "$result" "$kind" "$what" "$(tail -n 1 said)" >>/run/exchange/results
}

# end_check STATUS COMMAND: names a command that failed without a word, and ends what still runs.
end_check() {
  [[ $1 -eq 0 || -s said ]] || echo "failed: $2"
  jobs -p | xargs --no-run-if-empty kill 2>/dev/null || true
  # The next check may start the same program, which finds its port and its device free.
  wait
}

# is WANTED FOUND: fails, and says both, where they differ.
is() {
  [[ $1 != "$2" ]] || return 0
  echo "'$2' instead of '$1'"
  return 1
}

# soon WANTED COMMAND...: the output of a command is, or becomes in some seconds, what is wanted.
soon() {
  local wanted=$1 end=$((SECONDS + soon_seconds)) found
  shift
  while found=$("$@" 2>/dev/null); [[ $found != "$wanted" ]]; do
    ((SECONDS < end)) || { is "$wanted" "$found"; return; }
    pause 0.25
  done
}

# first_group PATTERN: what the first group of the pattern matches in standard input. Like `pause`
# without a program: what is asked again and again would do little else than start it, for in an emulated
# machine that takes a fifth of a second.
first_group() {
  local text
  IFS= read -r -d '' text || true
  [[ ! $text =~ $1 ]] || echo "${BASH_REMATCH[1]}"
}

# whether COMMAND...: "yes" where it succeeds, else "no".
whether() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }

# counted PATTERN FILE: how many of its lines hold the pattern.
counted() { grep --count --extended-regexp -- "$1" "$2"; }

# device_named NAME FOLDER...: the folder whose file `name` says so, such as those of hwmon.
device_named() {
  local name=$1 folder
  shift
  for folder in "$@"; do
    if [[ -e $folder/name && $(<"$folder/name") == "$name" ]]; then echo "$folder"; return; fi
  done
  echo "there is no device called $name" >&2
  return 1
}
