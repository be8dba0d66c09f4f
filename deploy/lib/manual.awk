# Makes a section of a manual page of what a `--help` prints: a line at the margin that ends with a
# colon is a heading, one at the margin is prose, and what is indented stays as it is.

function literal(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  if (text ~ /^\./) text = "\\&" text
  return text
}

function set(mode) {
  if (mode == now) return
  if (now == "block") print ".fi\n.RE"
  if (mode == "block") print ".RS 2\n.nf"
  now = mode
}

/^$/ { isEmpty = 1; next }
isEmpty {
  if (now == "block" && /^ /) print ""
  if (now == "prose" && !/^ /) print ".PP"
  isEmpty = 0
}
/^ / { set("block"); print literal(substr($0, 3)); next }
/^[A-Z][A-Za-z ()]*:$/ { set("heading"); print ".PP\n.B " literal($0) "\n.br"; next }
{ set("prose"); print literal($0) }
END { set("") }
