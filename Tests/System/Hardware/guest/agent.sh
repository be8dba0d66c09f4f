# shellcheck shell=bash
# What the checks of the agent have in common: it reports to the practice home on the host.
# shellcheck disable=SC2154  # agent, home and still, of the settings

home_url=http://10.0.2.2:$home

# Where Home Assistant is, in the words of the configuration.
home_assistant="url: \"$home_url\""

# command_board BOARD MESSAGE [DATA]: has Home Assistant send it to the board; fails where the board does
# not listen.
command_board() {
  curl --silent --fail --output /dev/null --max-time 10 --header 'Authorization: Bearer practice' \
    --header 'Content-Type: application/json' --data "{\"message\":\"$2\",\"data\":${3:-{\}}}" \
    "$home_url/api/services/notify/mobile_app_$1"
}

# configure_agent: writes its configuration, with cycles of 5 s where $every says no other; standard
# input says what is particular.
configure_agent() {
  (umask 077 && echo practice >token)
  local particular
  particular=$(cat)
  cat >homeward.yaml <<EOF
every: ${every:-5s}
state_directory: $PWD/state
home_assistant: { $home_assistant, token_file: $PWD/token }
device: { name: Bench }
system: off
$particular
EOF
}

# start_agent: it outlives the check that starts it.
start_agent() {
  ("$agent" run --config "$PWD/homeward.yaml" >>agent.log 2>&1 & echo $! >agent.pid)
}

# stop_agent: fails where it does not run.
stop_agent() {
  kill "$(<agent.pid)"
  soon no whether kill -0 "$(<agent.pid)"
}

# ask ENTITY: sets `answer` to all that Home Assistant shows of it, one line of JSON. Without a program,
# for the reason that `first_group` has.
ask() {
  local connection lines
  exec {connection}<>"/dev/tcp/10.0.2.2/$home"
  printf '%s\r\n' "GET /api/states/$1 HTTP/1.0" 'Authorization: Bearer practice' '' >&"$connection"
  mapfile -t -u "$connection" lines
  exec {connection}>&-
  answer=${lines[-1]}
}

# told ENTITY: all that Home Assistant shows of it.
told() { ask "$1" && echo "$answer"; }

# state ENTITY: what Home Assistant shows.
state() {
  local pattern='"state":"([^"]*)"'
  ask "$1" && [[ $answer =~ $pattern ]] && echo "${BASH_REMATCH[1]}"
}

# What the agent says of itself, as one line of JSON.
agent_status() { "$agent" status --json --config "$PWD/homeward.yaml"; }

# happened PATTERN: how often it did, by the lines that the practice home writes.
happened() { grep --count --extended-regexp -- "$1" /run/exchange/home.log || true; }

# arrives STATE ENTITY: it does so within some cycles.
# shellcheck disable=SC2034  # of the words for checks
arrives() {
  soon "$1" state "$2"
}
