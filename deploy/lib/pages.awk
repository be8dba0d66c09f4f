# Makes sections of a manual page of a page in Markdown: headings, prose, tables, lists and blocks of
# code. A row of a table is an item: its first cell is the tag, its last the default where the heading
# of the table says so.
#
#   -v title=TEXT   the heading of the page, in place of its own

function inline(text,   parts, count, index_, isCode, out) {
  while (match(text, /!?\[[^]]*\]\([^)]*\)/)) {
    link = substr(text, RSTART, RLENGTH)
    words = link
    sub(/^!?\[/, "", words)
    sub(/\]\([^)]*\)$/, "", words)
    text = substr(text, 1, RSTART - 1) words substr(text, RSTART + RLENGTH)
  }
  gsub(/\*\*/, "", text)
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  count = split(text, parts, "`")
  out = parts[1]
  for (index_ = 2; index_ <= count; index_++) {
    isCode = index_ % 2 == 0
    out = out (isCode ? "\\fB" : "\\fR") parts[index_]
  }
  if (out ~ /^\./) out = "\\&" out
  return out
}

function literal(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  if (text ~ /^\./) text = "\\&" text
  return text
}

# A line of code that is too long for 80 columns goes on in the next one, after a comma or a pipe.
function code(text,   indent, cut) {
  indent = text
  sub(/[^ ].*/, "", indent)
  while (length(text) > 76) {
    cut = 76
    while (cut > 20 && substr(text, cut, 2) != ", " && substr(text, cut - 1, 3) != " | ") cut--
    if (cut <= 20) break
    print literal(substr(text, 1, cut))
    text = indent "    " substr(text, cut + 2)
  }
  print literal(text)
}

function trimmed(text) {
  gsub(/^ +| +$/, "", text)
  return text
}

function standard(text) { return text == "required" ? "Required" : "Default: " text }

function row(line,   cells, count, body, index_) {
  gsub(/\\\|/, "\001", line)
  sub(/^\|/, "", line)
  sub(/\| *$/, "", line)
  count = split(line, cells, "|")
  for (index_ = 1; index_ <= count; index_++) gsub("\001", "|", cells[index_])
  if (!isInTable) {
    hasDefault = trimmed(cells[count]) == "default"
    isInTable = 1
    return
  }
  if (line ~ /^[-| :]+$/) return
  print ".TP\n" inline(trimmed(cells[1]))
  body = ""
  for (index_ = 2; index_ <= count; index_++) {
    if (trimmed(cells[index_]) == "") continue
    if (hasDefault && index_ == count) body = body (body == "" ? "" : ". ") standard(trimmed(cells[index_]))
    else body = body (body == "" ? "" : "; ") trimmed(cells[index_])
  }
  print inline(body == "" ? "\\&" : body ".")
}

/^```/ {
  isCode = !isCode
  print isCode ? ".PP\n.nf\n.in 4n" : ".fi\n.in\n.PP"
  next
}
isCode { code($0); next }
/^\|/ { row($0); next }
isInTable { isInTable = 0; print ".PP" }
/^# / { print ".SH " toupper(title != "" ? title : substr($0, 3)); next }
/^##+ / { sub(/^#+ /, ""); print ".SS " inline($0); next }
/^    / { if (!isBlock) print ".PP\n.nf\n.in 4n"; isBlock = 1; code(substr($0, 5)); next }
isBlock { isBlock = 0; print ".fi\n.in\n.PP" }
/^- / { print ".IP \\(bu 2\n" inline(substr($0, 3)); next }
/^[0-9]+\. / { print ".IP " $1 " 3\n" inline(substr($0, length($1) + 2)); next }
/^$/ { if (!isEmpty) print ".PP"; isEmpty = 1; next }
{ sub(/^ +/, ""); print inline($0) }
{ isEmpty = 0 }
END {
  if (isCode || isBlock) print ".fi\n.in"
}
