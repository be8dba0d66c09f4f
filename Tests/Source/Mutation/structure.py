"""The structure of a Swift source: scopes, statements, conditions and what functions return.

Found by words and brackets, as the formatter leaves them. What it takes for something else than it
is, the compiler refuses later, and the mutant is counted as not compiled.
"""

from typing import NamedTuple

CONTROL = {"if", "guard", "while", "for", "switch", "do", "repeat", "defer", "else", "catch"}
TYPES = {"struct", "class", "enum", "extension", "protocol", "actor"}
ACCESSORS = {"get", "set", "willSet", "didSet", "mutating", "nonmutating", "_read", "_modify"}
CONTINUES = {"else", "catch", "where", "throws", "async", "in"}


class Span(NamedTuple):
  """Tokens from `first` to before `end`."""

  first: int
  end: int


class Scope(NamedTuple):
  """What braces hold: kind is type, enum, accessors, body (of a function), code, switch or closure.

  `returns` is the type that a `return` in it has, as text.
  """

  kind: str
  span: Span
  returns: str | None


class Source:
  def __init__(self, path, text, all_tokens):
    self.path, self.text = path, text
    self.tokens = [
      token for token in outside_directives(all_tokens)
      if token.kind != "comment" and not token.inside]
    self.match = self._brackets()
    self._opens = self._marks()
    self.lines = text.split("\n")
    # Each with the scope that it stands in.
    self.statements = []
    self._read(Scope("type", Span(0, len(self.tokens)), None))

  def word(self, index):
    return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

  def is_spaced(self, index):
    """Whether white space stands on both sides of a token, as around a binary operator."""
    token = self.tokens[index]
    return self.text[token.start - 1:token.start].isspace() and self.text[token.end:][:1].isspace()

  def offsets(self, span):
    return self.tokens[span.first].start, self.tokens[span.end - 1].end

  def _brackets(self):
    """The index of the other bracket, for each."""
    match, open_ones = {}, []
    for index, token in enumerate(self.tokens):
      if token.text in ("(", "[", "{"):
        open_ones.append(index)
      elif token.text in (")", "]", "}") and open_ones:
        other = open_ones.pop()
        match[index], match[other] = other, index
    return match

  def outer(self, first, end):
    """The indices from `first` on, without what stands in brackets (but with these)."""
    index = first
    while index < end:
      yield index
      index = self.match.get(index, index) if self.word(index) in ("(", "[", "{") else index
      index += 1

  # Which word each opening brace belongs to

  def _marks(self):
    marks = {}
    for index, token in enumerate(self.tokens):
      before, after = self.word(index - 1), self.word(index + 1)
      if token.kind != "word" or before == "." or after == ":":
        continue
      if token.text in CONTROL:
        self._mark(marks, index, ("switch" if token.text == "switch" else "code", None))
      elif token.text in TYPES and after not in ("func", "var", "let", "subscript"):
        self._mark(marks, index, ("enum" if token.text == "enum" else "type", None))
      elif token.text in ("func", "init", "deinit", "subscript"):
        self._mark(marks, index, ("body", self._returned(index)))
      elif token.text == "var":
        self._mark(marks, index, ("accessors", self._type_of(index)))
    return marks

  def _mark(self, marks, index, what):
    brace = self._brace_after(index)
    if brace is not None:
      marks.setdefault(brace, what)

  def _brace_after(self, index):
    """The brace that opens the body of what begins with this word."""
    for here in self.outer(index + 1, len(self.tokens)):
      text = self.word(here)
      if text == "{":
        return here
      if text in ("}", ")", "]") or (text == "=" and self.word(index) in ("var", "func")):
        return None
      if here > index + 1 and self.begins(here) and self.word(index) not in CONTROL | TYPES:
        return None
    return None

  def _returned(self, index):
    """The type after the arrow of a function, as text."""
    for here in self.outer(index, len(self.tokens)):
      if self.word(here) == "->":
        return self._type_text(here + 1)
      if self.word(here) in ("{", "}"):
        return "Void"
    return None

  def _type_of(self, index):
    """The type after the colon of a variable, as text."""
    return self._type_text(index + 3) if self.word(index + 2) == ":" else None

  def _type_text(self, first):
    parts = []
    for here in self.outer(first, len(self.tokens)):
      if self.word(here) in ("{", "=", "where", "}", ",") or (parts and self.begins(here)):
        break
      end = self.match.get(here, here) if self.word(here) in ("(", "[") else here
      parts += [self.word(part) for part in range(here, end + 1)]
    return "".join(parts)

  # Statements

  def begins(self, index):
    """Whether a token begins a statement, as far as the line break before it tells."""
    token, before = self.tokens[index], self.tokens[index - 1]
    if token.line == before.line:
      return before.text == ";"
    if token.text in CONTINUES or token.text in (".", ")", "]", "}", "{", ",", ":", "?"):
      return False
    if token.kind == "operator" and self.is_spaced(index):
      return False
    if before.text in (",", "(", "[", "=", "."):
      return False
    return not (before.kind == "operator" and self.is_spaced(index - 1))

  def _read(self, scope):
    """Reads the statements of a scope, and the scopes in them."""
    first, labelled = scope.span.first, False
    for index in self.outer(scope.span.first, scope.span.end):
      text = self.word(index)
      if index > first and self.begins(index):
        self._close(scope, first, index)
        first, labelled = index, False
      if text == ":" and scope.kind == "switch" and not labelled:
        if self.word(first) in ("case", "default", "@unknown"):
          first, labelled = index + 1, True
      elif text == "in" and scope.kind == "closure" and first == scope.span.first:
        first = index + 1
      if text in ("(", "[", "{"):
        self._enter(index, scope)
    self._close(scope, first, scope.span.end)

  def _close(self, scope, first, end):
    if first < end:
      self.statements.append((scope, Span(first, end)))

  def _enter(self, index, scope):
    """Reads the scopes inside a bracket."""
    end = self.match.get(index, index)
    if self.word(index) != "{":
      for here in self.outer(index + 1, end):
        if self.word(here) in ("(", "[", "{"):
          self._enter(here, scope)
      return
    kind, returns = self._opens.get(index, ("closure", None))
    if kind == "accessors" and self.word(index + 1) not in ACCESSORS:
      kind = "body"
    elif scope.kind == "accessors":
      kind, returns = "body", scope.returns if "get" in self._accessor(index, scope) else "Void"
    elif kind in ("code", "switch"):
      returns = scope.returns
    self._read(Scope(kind, Span(index + 1, end), returns))

  def _accessor(self, brace, scope):
    """The words before the brace of an accessor."""
    words = []
    for here in range(brace - 1, scope.span.first - 1, -1):
      if self.word(here) in ("}", "{"):
        break
      words.append(self.word(here))
    return words


def outside_directives(all_tokens):
  """The tokens that no `#if` makes conditional."""
  depth = 0
  for token in all_tokens:
    if token.kind == "directive":
      depth += token.text.startswith("#if") - token.text.startswith("#endif")
    elif depth == 0:
      yield token
