"""The rules of the house for comments."""

import io
import re
import tokenize

from house import Finding

COLUMNS_MAX = 100
VAGUE = re.compile(r"\b(nobody|somebody|whoever|someone|anybody)\b", re.IGNORECASE)
CLAUSE = re.compile(
  r"///\s*(?:What|Who|Whom|Whose|Which|How|Where|When|That|Those|They|It|One|None|The same|So)\b")
OLD_WORDS = re.compile(
  r"(?<!there )\b(?:is|are) none\b"
  r"|\b(?:anew|any more|so (?:many|often)|all the same|by itself|ever more)\b")
# How many of them Sources has. Each may only fall: lower it when you have mended some.
CLAUSES_MAX, OLD_WORDS_MAX = 0, 2


def wide_comments(tree):
  for path, line, text, comment in comments(tree):
    if len(text) > COLUMNS_MAX:
      yield Finding(
        path, line, f"a comment that reaches column {len(text)}; {COLUMNS_MAX} are allowed",
        "the formatter breaks code there and leaves comments alone")


def vague_comments(tree):
  for path, line, text, comment in comments(tree):
    if (word := VAGUE.search(comment)) is not None:
      yield Finding(
        path, line, f"a comment that says \"{word[0]}\"",
        "who acts decides what is right: name the peer, the kernel, the caller, the person")


def dialect(tree, clauses_max=CLAUSES_MAX, old_words_max=OLD_WORDS_MAX):
  """Doc comments begin with a noun, a verb or "Whether"; comments have the words of the field."""
  clauses = old_words = 0
  for path in tree.swift("Sources"):
    before = ""
    for line in map(str.strip, tree.text(path).split("\n")):
      clauses += not before.startswith("///") and CLAUSE.match(line) is not None
      old_words += line.startswith("//") and OLD_WORDS.search(line) is not None
      before = line
  counts = (
    (clauses, clauses_max, "doc comments begin with a clause"),
    (old_words, old_words_max, "lines of comment have words of older English"))
  for count, count_max, what in counts:
    if count > count_max:
      yield Finding(
        "Sources", 1, f"{count} {what}, and {count_max} are allowed",
        "a comment that makes sense alone is read once, also by who learned English late")


def comments(tree):
  """The lines with comments, each as (path, line, the whole line, what of it is comment)."""
  for path in tree.files("Sources", "Tests"):
    text = tree.text(path)
    lines = text.split("\n")
    if not VAGUE.search(text) and max(map(len, lines)) <= COLUMNS_MAX:
      continue
    if path.endswith(".swift"):
      found = [(token.line, token.text) for token in tree.tokens(path) if token.kind == "comment"]
    elif path.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
      found = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT]
    else:
      mark = r"//.*|/\*.*|^ +\*.*" if path.endswith((".c", ".h")) else r"(?:^|\s)#.*"
      found = [
        (number, match[0]) for number, line in enumerate(lines, 1)
        if (match := re.search(mark, line)) is not None]
    for first, comment in found:
      for offset, part in enumerate(comment.split("\n")):
        yield path, first + offset, lines[first + offset - 1], part
