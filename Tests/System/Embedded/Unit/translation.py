"""Makes tests of Swift Testing into Swift that Embedded Swift compiles, line by line.

Embedded Swift has no macros of the testing library, no untyped errors and no key paths. So `#expect`
becomes a call of Testing.swift, a `try` of an untyped error a `try!`, which ends the test, and a key
path a closure. A list of calls takes the place of `@Test`. Lines stay where they are.
"""

import re


class Source:
  """One file of tests, with a mask: the same text, in which literals and comments are blank."""

  def __init__(self, path):
    self.text = path.read_text()
    self.mask = blank_literals(self.text)
    # Two folders may have a file of the same name; a module may not.
    self.name = f"{path.parent.name}-{path.name}"
    self.edits = []
    self.blocks = find_blocks(self.mask)
    self.tests = self.find_tests()

  def find_tests(self):
    return [Test(self, match) for match in re.finditer(r"@Test\b", self.mask)]

  def replace(self, start, end, text):
    """Replaces a range, and keeps the number of its lines."""
    self.edits.append((start, end, text + "\n" * self.text.count("\n", start, end)))

  def translated(self, left_out):
    """The source without these tests, and with a function for each type that calls its others."""
    for test in self.tests:
      if test.name in left_out:
        self.replace(test.start, test.end, "")
      else:
        self.replace(test.start, test.attribute_end, "")
    self.translate_macros()
    self.translate_errors()
    self.translate_key_paths()
    calls = self.calls(left_out)
    text = self.text
    for start, end, new in outermost(self.edits):
      text = text[:start] + new + text[end:]
    return text + calls

  def translate_macros(self):
    for match in re.finditer(r"@Suite\b", self.mask):
      self.replace(match.start(), match.end(), "")
    for match in re.finditer(r"#(expect|require)\b", self.mask):
      self.replace(match.start(), match.end(), "Testing." + match[1])
    for match in re.finditer(r"#_sourceLocation\b", self.mask):
      self.replace(match.start(), match.end(), "SourceLocation()")
    for match in re.finditer(r"^import Testing$", self.mask, re.MULTILINE):
      self.replace(match.start(), match.end(), "")
    # Without weak references: what a test made stays until the program ends.
    for match in re.finditer(r"\bweak (?=var\b)", self.mask):
      self.replace(match.start(), match.end(), "")
    for match in re.finditer(r"\bunowned\b(?!\()", self.mask):
      self.replace(match.start(), match.end(), "unowned(unsafe)")
    for match in re.finditer(r"^import (Foundation|Glibc)$", self.mask, re.MULTILINE):
      self.replace(match.start(), match.end(), "import Libc")

  def translate_errors(self):
    for match in re.finditer(r"\bthrows\b(?!\s*[(:])\s*", self.mask):
      self.replace(match.start(), match.end(), "")
    for start, body in self.throwing_closures():
      kind = re.match(
        r"\s*throws:\s*(?:\w+ as )?((?:[A-Z]\w*\.)*[A-Z]\w*)(?:\.|\)|,)", self.text[start:])
      if kind and not re.match(r"\{\s*(\(|\w+ throws)", self.mask[body:]):
        self.edits.append((body + 1, body + 1, f" () throws({kind[1]}) in"))
    regions = self.regions()
    for pattern, ending in [(r"\btry\b(?![?!])", "try!"), (r"\bthrow\b", "Testing.stop(); _ =")]:
      for match in re.finditer(pattern, self.mask):
        around = [region for region in regions if region[0] < match.start() < region[1]]
        if not around or not min(around, key=lambda region: region[1] - region[0])[2]:
          self.replace(match.start(), match.end(), ending)

  def regions(self):
    """Blocks that decide how a `try` in them fails, and whether its error has a type."""
    regions = []
    for match in re.finditer(r"\b(func|init)\b", self.mask):
      body = body_start(self.mask, match.end())
      if body is not None:
        is_typed = re.search(r"\bthrows\s*\(", self.mask[match.end():body]) is not None
        regions.append((body, self.blocks[body], is_typed))
    for match in re.finditer(r"\bdo\b(?:\s*throws\s*\([^)]*\))?\s*\{", self.mask):
      body = match.end() - 1
      if re.match(r"\s*catch\b", self.mask[self.blocks[body] + 1:]):
        regions.append((body, self.blocks[body], True))
    regions += [(body, self.blocks[body], True) for _, body in self.throwing_closures()]
    for match in re.finditer(r"\{[^{}]*?\bthrows\s*\([^)]*\)[^{}]*?\bin\b", self.mask):
      regions.append((match.start(), self.blocks[match.start()], True))
    return regions

  def throwing_closures(self):
    """Where the arguments of each `#expect(throws:)` begin, and its closure. A function of a test
    that is called so may have a closure, too."""
    for match in re.finditer(r"\bexpect\(", self.mask):
      if body := re.compile(r"\s*\{").match(self.mask, closing(self.mask, match.end() - 1)):
        yield match.end(), body.end() - 1

  def translate_key_paths(self):
    for match in re.finditer(r"(?<=[(\s])\\((?:\.\w+)+)", self.mask):
      self.replace(match.start(), match.end(), "{ $0" + match[1] + " }")

  def calls(self, left_out):
    """For each type with tests in this file a function that runs them."""
    groups = {}
    for test in self.tests:
      if test.name not in left_out:
        groups.setdefault(test.type, []).append(test)
    text = ""
    for type_name, tests in groups.items():
      text += f"\nextension {type_name} {{\n  static func {self.function}() {{\n"
      text += "".join(test.call() for test in tests) + "  }\n}\n"
    self.entries = [f"{type_name}.{self.function}()" for type_name in groups]
    return text

  @property
  def function(self):
    return "testsOf" + re.sub(r"\W", "_", self.name)


class Test:
  """A function with `@Test`."""

  def __init__(self, source, match):
    mask, text = source.mask, source.text
    self.start, self.attribute_end, self.collections = match.start(), match.end(), []
    if mask[match.end()] == "(":
      end = closing(mask, match.end())
      self.attribute_end = end
      arguments = match.end() + 1 + re.match(r"\s*arguments:", mask[match.end() + 1:]).end()
      self.collections = [
        re.sub(r"\btry\b(?![?!])", "try!", text[a:b].strip())
        for a, b in split(mask, arguments, end - 1)]
    function = re.compile(r"\s*((?:\w+\s+)*)func\s+(\w+)\s*\(").match(mask, self.attribute_end)
    close = closing(mask, function.end() - 1)
    self.parameters = [text[a:b] for a, b in split(mask, function.end(), close - 1)]
    self.end = source.blocks[body_start(mask, function.end() - 1)] + 1
    self.is_static = "static" in function[1]
    self.type = enclosing_type(source, match.start())
    self.function, self.name = function[2], f"{self.type}.{function[2]}"

  def call(self):
    lines = [f'    Testing.run("{self.name}") {{']
    types = [parameter.split(":", 1)[1].strip() for parameter in self.parameters]
    if len(self.collections) > 1:
      names = [f"argument{place}" for place in range(len(types))]
      for name, collection, kind in zip(names, self.collections, types):
        lines.append(f"      for {name}: {kind} in {collection} {{")
    elif self.collections:
      kind = types[0] if len(types) == 1 else f"({', '.join(types)})"
      lines.append(f"      for argument: {kind} in {self.collections[0]} {{")
      names = ["argument"] if len(types) == 1 else [
        f"argument.{place}" for place in range(len(types))]
    else:
      names = []
    given = ", ".join(label(p) + name for p, name in zip(self.parameters, names))
    lines.append(f"        var suite = {self.type}()")
    lines.append(f"        suite.{self.function}({given})")
    lines += ["      }"] * len(self.collections) + ["    }"]
    return "\n".join(lines) + "\n"


def outermost(edits):
  """The edits that lie in no other, from the last to the first."""
  kept = []
  for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
    if not kept or edit[0] >= kept[-1][1]:
      kept.append(edit)
  return reversed(kept)


def label(parameter):
  """The argument's label in a call."""
  first = parameter.split(":", 1)[0].split()[0]
  return "" if first == "_" else f"{first}: "


def enclosing_type(source, position):
  names = []
  for match in re.finditer(r"\b(?:struct|class|enum|extension)\s+([\w.]+)[^{]*\{", source.mask):
    if match.end() - 1 < position < source.blocks[match.end() - 1]:
      names.append(match[1])
  return ".".join(names)


def find_blocks(mask):
  """The position of the closing brace of each opening one."""
  blocks, open_ones = {}, []
  for match in re.finditer(r"[{}]", mask):
    if match[0] == "{":
      open_ones.append(match.start())
    else:
      blocks[open_ones.pop()] = match.start()
  assert not open_ones
  return blocks


def closing(mask, position):
  """The position after the bracket that closes the one at this position."""
  depth = 0
  for match in re.compile(r"[][(){}]").finditer(mask, position):
    depth += 1 if match[0] in "[({" else -1
    if depth == 0:
      return match.end()
  raise ValueError("a bracket is not closed")


def split(mask, start, end):
  """The ranges between the commas of a list; a comma after the last one ends it."""
  ranges, depth, begin = [], 0, start
  for match in re.compile(r"[][(){},]").finditer(mask, start, end):
    if match[0] == ",":
      if depth == 0:
        ranges.append((begin, match.start()))
        begin = match.end()
    else:
      depth += 1 if match[0] in "[({" else -1
  if mask[begin:end].strip() or not mask[begin:end].isspace() and begin < end:
    ranges.append((begin, end))
  return ranges


def body_start(mask, position):
  """The brace that opens the body of a function, whose name or list of parameters is next."""
  depth = 0
  for match in re.compile(r"[][(){}]|\n\s*\n").finditer(mask, position):
    if match[0] == "{" and depth == 0:
      return match.start()
    if match[0] in "[(":
      depth += 1
    elif match[0] in "])":
      depth -= 1
      if depth < 0:
        return None
    elif depth == 0:
      return None
  return None


LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)("""(?=\n)|")', re.DOTALL)


def blank_literals(text):
  """The text with spaces in place of comments and of what is in quotation marks."""
  mask, position = [], 0
  while match := LITERAL.search(text, position):
    end = match.end()
    if match[2]:
      end = literal_end(text, end, match[1], match[2])
    mask.append(text[position:match.start()])
    blank = re.sub(r"[^\n]", " ", text[match.start():end])
    # What is left of a literal shows that something is there.
    mask.append("_" + blank[1:] if match[2] else blank)
    position = end
  return "".join(mask) + text[position:]


def literal_end(text, position, hashes, quotes):
  """The position after the literal that began before this one."""
  close, escape = quotes + hashes, "\\" + hashes
  while not text.startswith(close, position):
    if text.startswith(escape + "(", position):
      position = interpolation_end(text, position + len(escape))
    elif text.startswith(escape, position):
      position += len(escape) + 1
    else:
      position += 1
  return position + len(close)


def interpolation_end(text, position):
  """The position after the bracket that closes an interpolation."""
  depth = 0
  while True:
    match = LITERAL.match(text, position)
    if match and match[2]:
      position = literal_end(text, match.end(), match[1], match[2])
      continue
    depth += {"(": 1, ")": -1}.get(text[position], 0)
    position += 1
    if depth == 0:
      return position
