"""Swift source as tokens: what the tools for tests of the source read it with.

Not a compiler: it knows where comments, strings, numbers, words and operators begin and end, which
is enough to tell code from text. What a string interpolates is code again, marked as inside.
"""

import re
from typing import NamedTuple


class Token(NamedTuple):
  """`kind` is word, number, operator, mark (a bracket …), string, comment or directive."""

  kind: str
  text: str
  start: int
  line: int
  inside: bool = False

  @property
  def end(self):
    return self.start + len(self.text)


class Unreadable(Exception):
  """A source that does not end where its strings and comments demand it."""


NEXT = re.compile(
  r"""(?P<space>\s+)
  |(?P<comment>//[^\n]*)
  |(?P<directive>\#(?:if|elseif|else|endif)\b[^\n]*)
  |(?P<string>\#*(?:\"\"\"(?=[ \t]*\n)|\"))
  |(?P<word>[A-Za-z_]\w*|`\w+`|\$\w+|@\w+(?:\.\w+)*|\#[a-z]\w*)
  |(?P<number>0x[0-9A-Fa-f_]+(?:\.[0-9A-Fa-f_]+)?(?:p[+-]?\d+)?|0b[01_]+|0o[0-7_]+
    |\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)
  |(?P<operator>\.{2,}[-+*/%<>=!&|^~?]*|[-+*%<>=!&|^~?]+|/(?!\*)[-+*%<>=!&|^~?]*)
  |(?P<block>/\*)
  |(?P<mark>.)""", re.VERBOSE)


def tokens(text):
  """The tokens of a source, in order."""
  return list(_Lexer(text).read(0, False))


class _Lexer:
  def __init__(self, text):
    self.text, self.position, self.line = text, 0, 1

  def take(self, kind, end, inside):
    token = Token(kind, self.text[self.position:end], self.position, self.line, inside)
    self.line += token.text.count("\n")
    self.position = end
    return token

  def read(self, position, inside):
    """The tokens from there to the end, or, inside a string, to the closing bracket."""
    self.position = position
    depth = 0
    while (found := NEXT.match(self.text, self.position)) is not None:
      kind, end = found.lastgroup, found.end()
      if kind == "space":
        self.line += found[0].count("\n")
        self.position = end
      elif kind == "string":
        yield from self.string(found[0], inside)
      elif kind == "block":
        yield self.take("comment", self.end_of_comment(), inside)
      else:
        if inside and found[0] == ")" and depth == 0:
          return
        depth += (found[0] == "(") - (found[0] == ")")
        yield self.take(kind, end, inside)

  def end_of_comment(self):
    depth, position = 0, self.position
    for found in re.compile(r"/\*|\*/").finditer(self.text, position):
      depth += 1 if found[0] == "/*" else -1
      if depth == 0:
        return found.end()
    raise Unreadable(f"line {self.line}: a comment without an end")

  def string(self, quote, inside):
    """Its pieces, and between them what it interpolates."""
    mark = quote.lstrip("#")
    hashes = quote[:-len(mark)]
    close, escape = mark + hashes, "\\" + hashes
    begin, position = self.position, self.position + len(quote)
    while position < len(self.text):
      if self.text.startswith(close, position):
        yield self.take("string", position + len(close), inside)
        return
      if self.text.startswith(escape + "(", position):
        yield self.take("string", position + len(escape) + 1, inside)
        yield from self.read(self.position, True)
        position = self.position
      elif self.text.startswith(escape, position):
        position += len(escape) + 1
      elif self.text[position] == "\n" and mark == '"':
        break
      else:
        position += 1
    raise Unreadable(f"line {self.text.count(chr(10), 0, begin) + 1}: a string without an end")
