# Makes the completions of a shell of what `homeward --help` and then `homeward COMMAND --help` of each
# command print: commands, their options, and the first words of which a person chooses one.
#
#   -v shell=bash|zsh|fish

# What a person sees beside a word, in single quotes; zsh takes a colon for the end of it.
function quoted(text) {
  gsub(/'/, "'\\''", text)
  return "'" text "'"
}

function keep_word(word) {
  gsub(/[\[\]]/, "", word)
  if (word !~ /^[a-z_]+$/ || seen[command, word]++) return
  words[command] = words[command] (words[command] == "" ? "" : " ") word
}

# Whether the value of an option is a path.
function is_path(value) { return value ~ /^\[?(FILE|DIR)/ }

/^Homeward / { command = ""; next }
/^homeward [a-z]+: / {
  command = substr($2, 1, length($2) - 1)
  section = "prose"
  next
}
/^[A-Z].*:$/ { section = $0; next }

command == "" && section == "Usage:" && /^  homeward / {
  commands[++count] = $2
  names = names (names == "" ? "" : " ") $2
  summary = $0
  sub(/^ +homeward [a-z]+ +/, "", summary)
  summaries[$2] = summary
  next
}
section == "Usage:" && /^  homeward / { keep_word($3) }
# Options that stand in the usage only.
command != "" && section == "Usage:" {
  line = $0
  while (match(line, /--[a-z][a-z-]*/)) {
    used[command] = used[command] " " substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
  }
}
section == "Types:" && /^  [a-z]/ { keep_word($1) }
command != "" && section == "Options:" && /^  --/ {
  line = $0
  sub(/^ +--[a-z-]+/, "", line)
  value = line ~ /^ \[?[A-Z]/ ? $2 : ""
  options[command] = options[command] (options[command] == "" ? "" : " ") $1
  values[command, $1] = value
  sub(/^ \[?[A-Z|]+\]?/, "", line)
  sub(/^ +/, "", line)
  meanings[command, $1] = line
  last = $1
  next
}
# The meaning goes on below the option.
command != "" && section == "Options:" && /^   / {
  sub(/^ +/, "")
  meanings[command, last] = meanings[command, last] (meanings[command, last] == "" ? "" : " ") $0
}

# The first sentence of a meaning.
function meaning(command, option,   text) {
  text = meanings[command, option]
  sub(/([.] |[;(]).*/, "", text)
  sub(/[ ,.]+$/, "", text)
  return text
}

function print_bash(   i, name, size, j, list, paths, others, value) {
  print "# Completion of homeward for bash, made of its help."
  print "_homeward() {"
  print "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=''"
  print "  if [[ $COMP_CWORD -eq 1 ]]; then"
  print "    mapfile -t COMPREPLY < <(compgen -W '" names " --help --version' -- \"$current\")"
  print "    return"
  print "  fi"
  print "  case ${COMP_WORDS[1]} in"
  for (i = 1; i <= count; i++) {
    name = commands[i]
    print "    " name ") words='" options[name] (words[name] == "" ? "" : " " words[name]) "' ;;"
  }
  print "  esac"
  for (i = 1; i <= count; i++) {
    size = split(options[commands[i]], list, " ")
    for (j = 1; j <= size; j++) {
      value = values[commands[i], list[j]]
      if (value == "" || known[list[j]]++) continue
      if (is_path(value)) paths = paths (paths == "" ? "" : " | ") list[j]
      else others = others (others == "" ? "" : " | ") list[j]
    }
  }
  print "  case $before in"
  print "    " paths ")"
  print "      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
  print "      compopt -o filenames 2>/dev/null"
  print "      return"
  print "      ;;"
  print "    " others ") return ;;"
  print "  esac"
  print "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")"
  print "}"
  print "complete -F _homeward homeward"
}

function print_zsh(   i, name, size, j, list, text, value) {
  print "#compdef homeward"
  print "# Completion of homeward for zsh, made of its help."
  print "local -a commands"
  print "commands=("
  for (i = 1; i <= count; i++) print "  " quoted(commands[i] ":" summaries[commands[i]])
  print ")"
  print "if (( CURRENT == 2 )); then"
  print "  _describe command commands"
  print "  return"
  print "fi"
  print "case $words[2] in"
  for (i = 1; i <= count; i++) {
    name = commands[i]
    print "  " name ")"
    print "    (( CURRENT-- )); shift words"
    print "    _arguments \\"
    size = split(options[name], list, " ")
    for (j = 1; j <= size; j++) {
      text = meaning(name, list[j])
      gsub(/: /, ", ", text)
      gsub(/[\[\]:]/, "", text)
      text = list[j] (text == "" ? "" : "[" text "]")
      value = values[name, list[j]]
      if (value != "") {
        text = text (value ~ /^\[/ ? "::" : ":")
        gsub(/[\[\]]/, "", value)
        text = text value ":" (is_path(value) ? "_files" : "")
      }
      print "      " quoted(text) " \\"
    }
    print "      " (words[name] == "" ? "'*: :'" : quoted("1:word:(" words[name] ")") " '*: :'")
    print "    ;;"
  }
  print "esac"
}

function print_fish(   i, name, size, j, list, text) {
  print "# Completion of homeward for fish, made of its help."
  print "complete -c homeward -f"
  for (i = 1; i <= count; i++) {
    name = commands[i]
    print "complete -c homeward -n __fish_use_subcommand -a " name " -d " quoted(summaries[name])
    text = "complete -c homeward -n '__fish_seen_subcommand_from " name "'"
    if (words[name] != "") print text " -a '" words[name] "'"
    size = split(options[name], list, " ")
    for (j = 1; j <= size; j++) {
      print text " -l " substr(list[j], 3) (values[name, list[j]] == "" ? "" : values[name, list[j]] ~ /^\[/ ? " -a '(__fish_complete_path)'" : is_path(values[name, list[j]]) ? " -r -F" : " -x") (meaning(name, list[j]) == "" ? "" : " -d " quoted(meaning(name, list[j])))
    }
  }
}

END {
  for (i = 1; i <= count; i++) {
    size = split(used[commands[i]], list, " ")
    for (j = 1; j <= size; j++) {
      if (index(" " options[commands[i]] " ", " " list[j] " ") == 0) options[commands[i]] = options[commands[i]] " " list[j]
    }
  }
  words["help"] = names
  if (shell == "bash") print_bash()
  if (shell == "zsh") print_zsh()
  if (shell == "fish") print_fish()
}
