# shellcheck shell=bash
# Signatures of a release, the same in each run. Sourced, after needs.sh, with `moment` set, that of the
# changelog.
# shellcheck disable=SC2154

# find_key NAME: sets `fingerprint` of the secret key that gpg knows by the name, and `made`, when that was made.
find_key() {
  need_packages gnupg
  read -r made fingerprint < <(gpg --batch --with-colons --list-secret-keys "$1" 2>/dev/null |
    awk -F: '$1 == "sec" { made = $6 } $1 == "fpr" && !found { print made, $10; found = 1 }') || true
  [[ -n ${fingerprint-} ]] || fail 77 "gpg has no secret key for '$1'. Make one, as --help shows"
}

# sign OPTION FILE SIGNATURE: at the moment of the changelog; or that of the key if it is younger, for
# apt trusts no signature that is older than its key.
sign() {
  gpg --batch --quiet --yes --local-user "$fingerprint" --digest-algo SHA512 --armor \
    --faked-system-time "$((made > moment ? made : moment))!" --output "$3" "$1" "$2" \
    2> >(grep --invert-match 'faked system time' >&2 || true)
}
