# shellcheck shell=bash
# A card of another system, as Raspberry Pi OS is, with what deploy/inject adds to it. Sourced by
# Tests/System/Image/run.
# shellcheck disable=SC2154

# The name that the person wrote into Imager.
imager_name=from-imager

foreign() {
  # There an apt alone takes minutes, and a quarter of an hour beside other tests.
  # shellcheck disable=SC2034  # for machine.sh
  local start_seconds_max=1800
  ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
  # shellcheck disable=SC2034  # for machine.sh
  ssh_port=$(free_port)
  start_home
  card=$scratch/card.img
  foreign_card "$card"
  imager_user_data | card_write user-data
  printf 'dsmode: local\ninstance_id: rpi-imager-1763600000000\n' | card_write meta-data
  printf 'network:\n  version: 2\n  ethernets:\n    wired: { match: { name: "e*" }, dhcp4: true }\n' |
    card_write network-config
  foreign_configuration | sed 's/^every: 5s/every: 5 parsecs/' >"$scratch/boat.yaml"
  holds "deploy/inject takes the card" deploy/inject --package "$package" --config "$scratch/boat.yaml" "$card"
  foreign_first_start
  foreign_second_start
}

# foreign_card FILE: makes the card. Its layer is kept, as those of deploy/image are.
foreign_card() (
  # shellcheck source=deploy/lib/foreign-root.sh
  source deploy/lib/foreign-root.sh
  mirror=''
  need_packages "${foreign_packages[@]}" genimage dosfstools
  find_mirror
  SOURCE_DATE_EPOCH=$(changelog_moment)
  export SOURCE_DATE_EPOCH TZ=UTC0
  base=$(base_layer "$mirror")
  key=$({ echo "$base" && cat Tests/System/Image/foreign-root.sh; } | sha256sum)
  layer=$(cached image-foreign "$key" enter_namespace nice Tests/System/Image/foreign-root.sh "$base" "$mirror")
  use_newer_mke2fs
  enter_namespace nice deploy/lib/card.sh image "$layer" "$(realpath "$1")" >&2
)

# imager_user_data: what the person wants of the first start. Two apt at a time refuse each other.
imager_user_data() {
  cat <<EOT
#cloud-config
hostname: $imager_name
manage_etc_hosts: true
users:
- name: alice
  lock_passwd: true
write_files:
- path: /root/.ssh/authorized_keys
  permissions: "0600"
  content: |
    $(cat "$scratch/key.pub")
runcmd:
- [ sh, -c, "sleep 15; apt-get update && apt-get --yes purge nano && touch /var/lib/runcmd-is-done" ]
EOT
}

foreign_configuration() {
  sed 's/$/\r/' <<EOT
card:
  token: $token
home_assistant: { url: "http://10.0.2.2:$home_port" }
device: { name: Boat }
every: 5s
battery: off
EOT
}

package_is_installed() {
  # shellcheck disable=SC2016  # dpkg's field, for the board's shell
  says 'install ok installed' inside dpkg-query --show --showformat='\${Status}' homeward
}
installation_is_over() { [[ $(inside systemctl is-enabled homeward-install.service) == disabled ]]; }

# With a mistake in homeward.yaml, that is no reason to install again and again.
foreign_first_start() {
  echo "The first start of an injected card, with a wrong homeward.yaml"
  local begin=$SECONDS
  power_on
  held "the board is reachable, with the key in Imager's user-data" soon is_reachable || { cut_power && return 0; }
  echo "         after $((SECONDS - begin)) s"
  held "the installation is over" soon installation_is_over || { cut_power && return 0; }
  echo "         after $((SECONDS - begin)) s"
  holds "the package is installed" package_is_installed
  holds "the user of Imager's user-data is there" quietly inside id alice
  holds "its command is done, with apt for itself" inside test -e /var/lib/runcmd-is-done
  holds "the board has the name of Imager's user-data" says "$imager_name" inside hostname
  holds "cloud-init has no mistake" says 'status: done' inside cloud-init status
  inside systemctl poweroff || true
  holds "it switches off" switches_off
  holds "the report on the card has the line of the mistake" has_reported 'homeward.yaml:5:'
}

foreign_second_start() {
  echo "The second start, with a right one"
  local begin=$SECONDS
  foreign_configuration | card_write homeward.yaml
  held "the board is there" inside_first || return 0
  echo "         after $((SECONDS - begin)) s"
  holds "it registers at the home" soon journal_says '"event": *"registration"'
  holds "it delivers, and has the proof" soon is_well
  holds "its configuration is in place" inside test -s /etc/homeward/homeward.yaml
  holds "nothing is installed again" installs_nothing
  holds "the board has the name of Imager's user-data" says "$imager_name" inside hostname
  holds "no unit failed" has_no_failure
  # As at the next start.
  inside systemctl restart homeward-provision.service || true
  holds "the token is gone from the card" foreign_token_is_gone
  holds "the report on the card says that all is well" says 'is right' inside cat /boot/firmware/homeward-card.txt
  cut_power
}

foreign_token_is_gone() {
  says 'token: erased' inside cat /boot/firmware/homeward.yaml &&
    ! says "$token" inside cat /boot/firmware/homeward.yaml
}
installs_nothing() { ! says 'Installs the agent' inside journalctl --boot --no-pager; }
