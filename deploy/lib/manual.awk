# Makes the sections of a manual page of what a `--help` prints: a line at the margin that ends with
# a colon is a heading, and what is indented below it stays as it is, from the second column on, so
# that 80 columns hold it. Prose at the margin is the description, after the usage.

function literal(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  if (text ~ /^\./) text = "\\&" text
  return text
}

# The sections as man-pages(7) calls them.
function named(heading) {
  if (heading == "Usage") return "SYNOPSIS"
  if (heading ~ /^Exit codes/) return "EXIT STATUS"
  return toupper(heading)
}

function close_code() {
  if (isInCode) prose = prose ".in\n.fi\n"
  isInCode = 0
}

function print_block(name) {
  print ".SH " name
  print ".nf\n.in 2n"
  printf "%s", block[name]
  print ".fi\n.in"
}

/^$/ { isEmpty = 1; next }
/^[A-Z][A-Za-z ()]*:$/ || /^Exit codes/ {
  close_code()
  isInProse = 0
  heading = $0
  sub(/:$/, "", heading)
  name = named(heading)
  names[++count] = name
  isEmpty = 0
  next
}
# An example in the prose.
/^ / && isInProse {
  prose = prose (isInCode ? isEmpty ? "\n" : "" : ".PP\n.nf\n.in +2n\n") literal(substr($0, 3)) "\n"
  isInCode = 1
  isEmpty = 0
  next
}
/^ / {
  if (isEmpty && block[name] != "") block[name] = block[name] "\n"
  block[name] = block[name] literal(substr($0, 3)) "\n"
  isEmpty = 0
  next
}
{
  close_code()
  isInProse = 1
  if (isEmpty && prose != "") prose = prose ".PP\n"
  prose = prose literal($0) "\n"
  isEmpty = 0
}
END {
  print_block("SYNOPSIS")
  print ".SH DESCRIPTION"
  printf "%s", prose
  for (i = 1; i <= count; i++) if (names[i] != "SYNOPSIS") print_block(names[i])
}
