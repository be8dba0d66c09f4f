"""Finds the decisions of Swift sources and picks some of them by a seed."""

import random
from typing import NamedTuple

from structure import CONTROL, Span

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
               "===": "!==", "!==": "==="}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
EXTREMES = {"min": "max", "max": "min"}
EFFECTS = ("try", "unsafe", "await")
BINDINGS = ("let", "var", "case", "inout", "#available", "#unavailable")
DECLARATIONS = {
  "let", "var", "func", "init", "deinit", "subscript", "struct", "class", "enum", "extension",
  "protocol", "actor", "typealias", "associatedtype", "import", "case", "static", "public",
  "internal", "private", "fileprivate", "package", "mutating", "nonmutating", "override", "final",
  "lazy", "weak", "unowned", "indirect", "infix", "prefix", "postfix", "precedencegroup",
  "consuming", "borrowing", "nonisolated", "convenience", "required", "open", "operator"}
LEAVES = {"return", "throw", "break", "continue", "fallthrough", "yield", "discard"}
# What holds when the program is right: without it the program is as right.
CHECKS = {"precondition", "assert", "preconditionFailure", "assertionFailure", "fatalError"}
INTEGERS = {f"{sign}Int{bits}" for sign in ("", "U") for bits in ("", "8", "16", "32", "64")}


class Decision(NamedTuple):
  """A place where a program could have been written otherwise.

  `weave` is how both stand in one source: an operator in the place of the one from `start` to
  `end`, a call in the place of a name, or a call around what stands there.
  """

  path: str
  start: int
  end: int
  kind: str
  weave: str
  before: str
  after: str
  line: int
  source_line: str

  @property
  def module(self):
    return self.path.split("/")[1]

  @property
  def change(self):
    """What changes, in few words."""
    if self.kind == "statement":
      return f"dropped: {one_line(self.before)}"
    return f"{one_line(self.before)} → {one_line(self.after)}"


def one_line(text, longest=60):
  line = " ".join(text.split())
  return line if len(line) <= longest else line[:longest - 1] + "…"


def decisions(source):
  """All of a source, in its order."""
  found = _Finder(source)
  found.operators()
  found.literals()
  found.conditions()
  found.statements()
  return sorted(found.decisions, key=lambda one: (one.start, -one.end, one.kind, one.after))


def pick(all_decisions, count, seed):
  """Some of them, from each module and each kind as evenly as there are enough."""
  dice = random.Random(seed)
  groups = {}
  for one in all_decisions:
    groups.setdefault((one.module, one.kind), []).append(one)
  order = sorted(groups)
  dice.shuffle(order)
  for key in order:
    dice.shuffle(groups[key])
  picked = []
  while len(picked) < count and any(groups.values()):
    for key in order:
      if groups[key] and len(picked) < count:
        picked.append(groups[key].pop())
  return sorted(picked, key=lambda one: (one.path, one.start, -one.end, one.kind, one.after))


class _Finder:
  def __init__(self, source):
    self.source = source
    self.tokens = source.tokens
    self.decisions = []
    self.skipped = set()
    for index in range(len(self.tokens)):
      # Attributes, checks, enumerations' raw values and functions that other modules compile.
      if (
        self.tokens[index].text.startswith(("@", "#")) or self.tokens[index].text in CHECKS
      ) and self.source.word(index + 1) == "(":
        self.skipped.update(range(index, self.source.match.get(index + 1, index) + 1))
    for scope, span in source.statements:
      if scope.kind == "enum" and source.word(span.first) in ("case", "indirect"):
        self.skipped.update(range(*span))
      elif any(source.word(index) in ("@inlinable", "@_transparent") for index in range(*span)):
        self.skipped.update(range(*span))
      elif source.word(span.first) in ("infix", "prefix", "postfix", "precedencegroup", "import"):
        self.skipped.update(range(*span))

  def add(self, span, kind, weave, after):
    if span.first in self.skipped:
      return
    start, end = self.source.offsets(span)
    line = self.tokens[span.first].line
    self.decisions.append(Decision(
      self.source.path, start, end, kind, weave, self.source.text[start:end], after, line,
      self.source.lines[line - 1].strip()))

  # Operators and literals

  def operators(self):
    for index, token in enumerate(self.tokens):
      before, after = self.source.word(index - 1), self.source.word(index + 1)
      span = Span(index, index + 1)
      if token.kind == "operator" and self.source.is_spaced(index) and before != "func":
        if token.text in COMPARISONS and not (before[:1].isupper() and after[:1].isupper()):
          self.add(span, "comparison", "operator", COMPARISONS[token.text])
        elif token.text in LOGIC:
          self.add(span, "logic", "operator", LOGIC[token.text])
        elif token.text in ARITHMETIC:
          self.add(span, "arithmetic", "operator", ARITHMETIC[token.text])
      elif token.text in EXTREMES and after == "(" and before not in (".", "func"):
        self.add(span, "extreme", "callee", EXTREMES[token.text])

  def literals(self):
    for index, token in enumerate(self.tokens):
      before, after = self.source.word(index - 1), self.source.word(index + 1)
      span = Span(index, index + 1)
      if token.text in ("true", "false"):
        self.add(span, "boolean", "flip", "false" if token.text == "true" else "true")
      elif token.kind == "number" and self.is_value(token, before, after):
        value = int(token.text.replace("_", ""), 0) if token.text != "0" else 0
        self.add(span, "constant", "more", f"{value + 1}")
        if value > 0:
          self.add(span, "constant", "less", f"{value - 1}")

  def is_value(self, token, before, after):
    """Whether a number is a whole one, and not the name of a member or a part of a type."""
    text = token.text.replace("_", "")
    try:
      int(text, 0)
    except ValueError:
      return False
    is_type = self.source.text[token.start - 1:token.start] == "<" or after == "of"
    return before not in (".", "@") and not is_type

  # Conditions

  def conditions(self):
    for index, token in enumerate(self.tokens):
      before, after = self.source.word(index - 1), self.source.word(index + 1)
      if token.kind != "word" or before == "." or after == ":":
        continue
      if token.text in ("if", "guard", "while"):
        if token.text != "while" or not self.ends_a_repeat(index):
          for span in self.elements(index):
            self.condition(token.text, span)
      elif token.text == "where":
        span = self.clause(index)
        if span is not None:
          self.condition("where", span)

  def ends_a_repeat(self, index):
    opening = self.source.match.get(index - 1)
    return self.source.word(index - 1) == "}" and self.source.word(opening - 1) == "repeat"

  def elements(self, index):
    """The conditions between a word and its body, each a span."""
    end_word = "else" if self.source.word(index) == "guard" else "{"
    first = index + 1
    for here in self.source.outer(index + 1, len(self.tokens)):
      text = self.source.word(here)
      if text in (",", end_word) and first < here:
        if self.source.word(first) not in BINDINGS:
          yield Span(first, here)
        first = here + 1
      if text in (end_word, "{", "}"):
        return

  def clause(self, index):
    """The condition of a `for … where`, a span; nothing for those of declarations and cases."""
    begins = (
      self.source.word(span.first) for scope, span in self.source.statements
      if scope.kind not in ("type", "enum") and index in range(*span))
    if "for" in begins:
      for here in self.source.outer(index + 1, len(self.tokens)):
        if self.source.word(here) == "{":
          return Span(index + 1, here)
    return None

  def condition(self, word, span):
    span = self.without_effects(span)
    text = self.source.text[slice(*self.source.offsets(span))]
    self.add(span, "condition", "flip", f"!({text})")
    if word == "guard":
      self.add(span, "guard", "always", "true")
    elif word != "while":
      self.add(span, "condition", "always", "true")
      self.add(span, "condition", "never", "false")

  def without_effects(self, span):
    first = span.first
    while self.source.word(first) in EFFECTS and self.source.word(first + 1) not in ("?", "!"):
      first += 1
    return Span(first, span.end)

  # Statements and what functions return

  def statements(self):
    bodies = {}
    for scope, span in self.source.statements:
      bodies.setdefault(scope.span, []).append(span)
    for scope, span in self.source.statements:
      if scope.kind in ("type", "enum", "accessors"):
        continue
      is_only = len(bodies[scope.span]) == 1
      word = self.source.word(span.first)
      if word == "return" and span.end > span.first + 1:
        if scope.kind != "closure":
          self.returned(scope.returns, Span(span.first + 1, span.end))
      elif word in CONTROL | DECLARATIONS | LEAVES or word.startswith(("@", "#")):
        continue
      elif scope.kind == "body" and is_only and scope.returns != "Void":
        self.returned(scope.returns, span)
      elif not (scope.kind == "closure" and is_only) and self.is_effect(span):
        self.add(span, "statement", "drop", "")

  def returned(self, returns, span):
    span = self.without_effects(span)
    text = self.source.text[slice(*self.source.offsets(span))]
    if returns is None or text in ("nil", "true", "false"):
      return
    if returns == "Bool":
      self.add(span, "return", "flip", f"!({text})")
    elif returns.endswith("?"):
      self.add(span, "return", "nothing", "nil")
    elif returns in INTEGERS and not (span.end == span.first + 1 and text[:1].isdigit()):
      self.add(span, "return", "more", f"{text} + 1")

  def is_effect(self, span):
    """Whether a statement is there for what it does: an assignment or a call."""
    outer = list(self.source.outer(*span))
    words = [self.source.word(index) for index in outer]
    if any(word in CHECKS for word in words[:2]) or words[:3] in (
      ["self", ".", "init"], ["super", ".", "init"]
    ):
      return False
    operators = [
      self.source.word(index) for index in outer
      if self.tokens[index].kind == "operator" and self.source.is_spaced(index)]
    assignments = [text for text in operators if text.endswith("=") and text not in COMPARISONS]
    if assignments:
      return True
    return not operators and self.source.word(span.end - 1) in (")", "}")
