# shellcheck shell=bash
# The steps of a test script, and what their last lines say. Sourced, with `set -euo pipefail`.

# The files with what the last lines say is wrong, and was not run. A script that another one runs
# adds to that one's. So it is with the durations: seconds, the part, the step.
export complaints=${complaints-/dev/null} omissions=${omissions-/dev/null}
export durations=${durations-/dev/null} step_part=${step_part-}

# step TITLE COMMAND...: runs one command between its title and its duration. These go to stderr:
# a command's stdout is its own. The last lines name a step that failed.
step() {
  local title=$1 begin=$SECONDS status=0
  shift
  echo "-- $title" >&2
  "$@" || status=$?
  echo "   $title took $((SECONDS - begin)) s" >&2
  printf '%s\t%s\t%s\n' "$((SECONDS - begin))" "$step_part" "$title" >>"$durations"
  [[ $status -eq 0 ]] || echo "FAILED: $title" >>"$complaints"
  return $status
}

# keeping PATTERN COMMAND...: what it says is wrong, and what it did not run, stands in the last
# lines: some who read them do not see those before.
keeping() {
  local pattern=$1 log status=0
  log=$(mktemp)
  "${@:2}" 2>&1 | tee "$log" || status=$?
  grep --text "$pattern" "$log" | awk '!seen[$0]++' | head --lines 20 >>"$complaints" || true
  grep --text '^NOT RUN' "$log" >>"$omissions" || true
  rm -f "$log"
  return $status
}

# noted TITLE COMMAND...: a step that says itself what is wrong and what was not run.
noted() { step "$1" keeping '^WRONG' "${@:2}"; }

# wrong MESSAGE...: ends the part.
wrong() {
  printf 'wrong: %s\n' "$*" >&2
  exit 1
}

# What tests and a compiler say is wrong; a compiler says the same of every file that imports the
# cause.
told_wrong='^✘\|^error: \|: error: '

# tests_pass OPTION...: the tests as they were built before. Without `swift test`, which keeps the
# build folder for itself while tests run: other parts would wait for its end.
tests_pass() {
  NO_COLOR=1 keeping "$told_wrong" .build/debug/homewardPackageTests.xctest \
    --testing-library swift-testing "$@"
}
