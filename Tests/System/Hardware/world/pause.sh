# shellcheck shell=bash

# pause SECONDS: without a program.
pause() {
  [[ -n ${never-} ]] || exec {never}<> <(:) # Nothing ever comes from here.
  read -r -t "$1" -u "$never" || true
}
