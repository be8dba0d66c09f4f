# shellcheck shell=bash
# The way to a server on the host, where the practice home listens.
# shellcheck disable=SC2154  # port, of the settings

server_is_reached() {
  is hello "$(curl --silent --show-error --max-time 10 "http://10.0.2.2:$port/word")"
}

check "a server on the host's loopback is reached at 10.0.2.2" server_is_reached
