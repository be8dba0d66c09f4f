# Makes a section of a manual page of what a `--help` prints: a line at the margin that ends with a
# colon is a heading, one at the margin is prose, and what is indented stays as it is, from the second
# column on, so that 80 columns hold it. Of the exit codes of a command the numbers are named;
# `-v part=codes` makes a section of nothing but those that all commands have.

function literal(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  if (text ~ /^\./) text = "\\&" text
  return text
}

function set(mode) {
  if (mode == now) return
  if (now == "block") print ".fi\n.in"
  if (mode == "block") print ".nf\n.in 2n"
  now = mode
}

/^Exit codes/ { isInCodes = 1; next }
isInCodes && part != "codes" {
  if (/^  0 /) success = substr($0, 7)
  else if (/^  [0-9]+ /) others = others ", " $1
  next
}
part == "codes" && !isInCodes { next }
/^$/ { isEmpty = 1; next }
isEmpty {
  if (now == "block" && /^ /) print ""
  if (now == "prose" && !/^ /) print ".PP"
  isEmpty = 0
}
/^ / { set("block"); print literal(substr($0, 3)); next }
/^[A-Z][A-Za-z ()]*:$/ { set("heading"); print ".PP\n.B " literal($0) "\n.br"; next }
{ set("prose"); print literal($0) }
END {
  set("")
  if (part != "codes" && others != "" && success !~ /^done;/) {
    print ".PP\n.B Exit codes:\n.br"
    print literal("0: " success "; and those below EXIT STATUS: " substr(others, 3) ".")
  }
}
