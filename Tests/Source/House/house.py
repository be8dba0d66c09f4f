"""The rules of the house, each a function that says where a tree of sources breaks it."""

import collections
import json
import os
import pathlib
import re
import subprocess
from typing import NamedTuple

from swift_source import tokens

# Its section "The house" says who may use whom.
GUIDE = "Sources/README.md"
LINES_MAX = 400
DECLARES = {"struct", "class", "enum", "protocol", "actor", "typealias"}


class Finding(NamedTuple):
  path: str
  line: int
  what: str
  why: str

  def __str__(self):
    return f"{self.path}:{self.line}: {self.what}"


class Row(NamedTuple):
  """A line of a table of "The house": a module and what it may import."""

  module: str
  layer: int | None
  imports: frozenset
  line: int

  @property
  def ships(self):
    return self.layer is not None


class Mention(NamedTuple):
  """A type of one folder named in another."""

  path: str
  line: int
  name: str


class Tree:
  """The files of a checkout, each read once."""

  def __init__(self, root):
    self.root = pathlib.Path(root)
    self._texts, self._tokens, self._package = {}, {}, None

  def files(self, *folders):
    """The paths of the sources below some folders: Swift, C, Python and scripts."""
    for folder in folders:
      for path in sorted((self.root / folder).rglob("*")):
        name = str(path.relative_to(self.root))
        if "/." in name or not path.is_file():
          continue
        if path.suffix in (".swift", ".c", ".h", ".py") or (
          not path.suffix and path.read_bytes().startswith(b"#!")
        ):
          yield name

  def text(self, path):
    if path not in self._texts:
      self._texts[path] = (self.root / path).read_text()
    return self._texts[path]

  def tokens(self, path):
    if path not in self._tokens:
      self._tokens[path] = tokens(self.text(path))
    return self._tokens[path]

  def package(self):
    """The targets of Package.swift by name: their folder, their kind, what they depend on."""
    if self._package is None:
      dump = subprocess.run(
        ["swift", "package", "--package-path", self.root, "dump-package"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
      self._package = {
        target["name"]: {
          "folder": target.get("path") or folder_of(target),
          "kind": target["type"],
          "dependencies": {
            next(iter(dependency.values()))[0] for dependency in target["dependencies"]
          },
        }
        for target in json.loads(dump)["targets"]
      }
    return self._package

  def swift(self, folder):
    return [path for path in self.files(folder) if path.endswith(".swift")]

  def section(self):
    """The lines of "The house", each with its number."""
    lines = list(enumerate(self.text(GUIDE).split("\n"), 1))
    begin = next((i for i, (_, line) in enumerate(lines) if line == "## The house"), None)
    if begin is None:
      return []
    end = next(
      (i for i in range(begin + 1, len(lines)) if re.match("#{1,2} ", lines[i][1])), len(lines))
    return lines[begin:end]

  def rows(self):
    """The rows of the tables, from the top of the house down."""
    rows = []
    for number, line in self.section():
      cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
      if not line.startswith("|") or len(cells) < 3:
        continue
      layer = int(cells.pop(0)) if cells[0].isdigit() else None
      module = re.fullmatch(r"`([\w-]+)`", cells[0])
      if module is not None and len(cells) == 3:
        rows.append(Row(module[1], layer, frozenset(re.findall(r"`(\w+)`", cells[2])), number))
    return rows


def folder_of(target):
  return ("Tests/" if target["type"] == "test" else "Sources/") + target["name"]


def imports(tree, folder):
  """What the Swift files of a folder import: (module, path, line)."""
  for path in tree.swift(folder):
    code = (token for token in tree.tokens(path) if token.kind != "comment")
    for token in code:
      if token.text == "import":
        name = next(code)
        # `import struct Module.Type` has the kind first.
        if name.text in DECLARES | {"func", "let", "var"}:
          name = next(code)
        yield name.text, path, name.line


# ---- the import table ------------------------------------------------------------------------

SHIPS_WHY = (
  "what ships is Embedded Swift, which has no Foundation, no Dispatch and no libc of Swift's own; "
  "C comes through the shims, where nullability and versions of libraries end")
TABLE_WHY = (
  "\"The house\" is the one place that says who may use whom; a change of it is a "
  "decision about the architecture, which a reader sees there")


def tables_are_there(tree):
  """Each module has one row, and each row is a module."""
  rows, package = tree.rows(), tree.package()
  if not any(row.ships for row in rows):
    yield Finding(GUIDE, 1, "\"The house\" has no table of modules", TABLE_WHY)
  named = collections.Counter(row.module for row in rows)
  for row in rows:
    if row.module not in package:
      yield Finding(GUIDE, row.line, f"there is no module {row.module}", TABLE_WHY)
    if named[row.module] > 1:
      yield Finding(GUIDE, row.line, f"{row.module} has more than one row", TABLE_WHY)
  for name, target in package.items():
    if target["folder"].startswith("Sources/") and name not in named and not is_shim(package, name):
      yield Finding(
        "Package.swift", 1, f"{name} has no row in \"The house\"", TABLE_WHY)


def is_shim(package, name):
  """Whether a target is C: a library's header, or code of our own below Swift."""
  return package[name]["kind"] == "system" or re.fullmatch("C[A-Z].*", name) is not None


def table_is_kept(tree):
  """A module imports what its row lists and nothing else; so do its dependencies in the package."""
  package = tree.package()
  for row in tree.rows():
    if row.module not in package:
      continue
    target = package[row.module]
    seen = set()
    for name, path, line in imports(tree, target["folder"]):
      seen.add(name)
      if name not in row.imports:
        yield Finding(
          path, line, f"{row.module} imports {name}, which its row does not list",
          TABLE_WHY)
    for name in sorted(row.imports - seen):
      yield Finding(
        GUIDE, row.line, f"{row.module} lists {name} and does not import it", TABLE_WHY)
    ours = {name for name in row.imports if name in package}
    for name in sorted(target["dependencies"] ^ ours):
      has = "depends on" if name in target["dependencies"] else "does not depend on"
      yield Finding(
        "Package.swift", 1, f"{row.module} {has} {name}, other than its row says",
        "a module that it does not name is found all the same while another one builds it, and "
        "fails alone")


def table_points_down(tree):
  """A row lists modules of rows below, so there is no cycle; what ships lists nothing foreign."""
  rows, package = tree.rows(), tree.package()
  place = {row.module: index for index, row in enumerate(rows)}
  uses = collections.defaultdict(list)
  for index, row in enumerate(rows):
    above = [other for other in rows[:index] if other.ships and row.ships]
    if above and above[-1].layer < row.layer:
      yield Finding(
        GUIDE, row.line, f"{row.module} has a higher layer than the row above it",
        "the table is the house from its roof to the ground")
    for name in sorted(row.imports):
      line = f"{row.module} lists {name}"
      if name in place and place[name] <= index and (row.ships or not rows[place[name]].ships):
        yield Finding(
          GUIDE, row.line, f"{line}, which does not stand below it",
          "dependencies point down only: a cycle of modules can be understood and tested only "
          "as one")
      elif row.ships and name in place and not rows[place[name]].ships:
        yield Finding(GUIDE, row.line, f"{line}, which does not ship", SHIPS_WHY)
      elif row.ships and name not in place and not (name in package and is_shim(package, name)):
        yield Finding(GUIDE, row.line, f"{line}, which may not ship", SHIPS_WHY)
      if row.ships and name in package and package[name]["kind"] == "system":
        uses[name].append(row)
  for name, users in uses.items():
    for row in users[1:]:
      yield Finding(
        GUIDE, row.line, f"{row.module} lists {name}, and so does {users[0].module}",
        "a library stands behind one module, so that it can be replaced and tested there")


# ---- the words of the section ----------------------------------------------------------------


def section_names_what_is_there(tree):
  """Types, members, files and links of "The house" exist."""
  why = "a guide that names what is gone leads the newcomer astray"
  types, members = set(), set()
  for row in tree.rows():
    if row.module not in tree.package():
      continue
    for path in tree.swift(tree.package()[row.module]["folder"]):
      code = [token.text for token in tree.tokens(path) if token.kind == "word"]
      for before, name in zip(code, code[1:]):
        if before in DECLARES:
          types.add(name)
        elif before in ("func", "var", "let", "case"):
          members.add(name)
  known = types | set(tree.package()) | {row for r in tree.rows() for row in r.imports}
  for number, line in tree.section():
    if line.startswith("|"):
      continue
    for name, member in re.findall(r"`([A-Z]\w*)(?:\.(\w+)(?:\([\w:]*\))?)?`", line):
      if member == "swift":
        if not (tree.root / f"{name}.swift").exists():
          yield Finding(GUIDE, number, f"there is no {name}.swift", why)
      elif name not in known:
        yield Finding(GUIDE, number, f"there is no {name}", why)
      elif member and member not in members | types:
        yield Finding(GUIDE, number, f"there is no {name}.{member}", why)
    links = [tree.root / GUIDE / ".." / link for link in re.findall(r"\]\(([^)#:]+)\)", line)]
    paths = [tree.root / path for path in re.findall(r"`((?:\w+/)+[\w.]*)`", line)]
    for path in map(os.path.normpath, links + paths):
      if not os.path.exists(path):
        yield Finding(GUIDE, number, f"there is no {os.path.relpath(path, tree.root)}", why)


# ---- folders ---------------------------------------------------------------------------------


def folder_cycles(tree):
  """A folder mentions only types of folders below it."""
  for row in tree.rows():
    if row.module in tree.package():
      mentions = folder_mentions(tree, tree.package()[row.module]["folder"])
      for cycle in cycles(mentions):
        inside = sorted(
          (len(mentions[a, b]), a, b) for a in cycle for b in cycle if (a, b) in mentions)
        path, line, _ = mentions[inside[0][1:]][0]
        ways = "; ".join(
          f"{short(a)} mentions {', '.join(sorted({m.name for m in mentions[a, b]})[:3])} "
          f"of {short(b)}" for _, a, b in inside[:3])
        yield Finding(
          path, line,
          f"a cycle of folders: {', '.join(map(short, sorted(cycle)))}. The thinnest ways: {ways}",
          "folders in a cycle cannot be read, understood or moved one at a time")


def short(folder):
  return folder.removeprefix("Sources/").removeprefix("Tests/")


def folder_mentions(tree, module):
  """The mentions of types across the folders of a module: (from, to) to [Mention]."""
  paths = tree.swift(module)
  homes = collections.defaultdict(set)
  nested = collections.defaultdict(set)
  for path in paths:
    depth = 0
    code = [token for token in tree.tokens(path) if token.kind in ("word", "mark")]
    for token, after in zip(code, code[1:]):
      depth += (token.text == "{") - (token.text == "}")
      if token.text in DECLARES and after.kind == "word" and not token.inside:
        if depth == 0:
          homes[after.text].add(path)
        else:
          nested[path].add(after.text)
  result = collections.defaultdict(list)
  for path in paths:
    before = ["", ""]
    for token in tree.tokens(path):
      if token.kind == "comment":
        continue
      home = homes.get(token.text, ()) if token.kind == "word" else ()
      # `Other.Name` is another one's, `Module.Name` is ours.
      ours = before[-1] != "." or before[-2] == pathlib.Path(module).name
      if len(home) == 1 and ours and token.text not in nested[path]:
        to, here = str(pathlib.Path(next(iter(home))).parent), str(pathlib.Path(path).parent)
        if to != here:
          result[here, to].append(Mention(path, token.line, token.text))
      before = [before[-1], token.text]
  return result


def cycles(edges):
  """The sets of nodes that reach each other."""
  reach = collections.defaultdict(set)
  for a, b in edges:
    reach[a].add(b)
  grows = True
  while grows:
    grows = False
    for node in list(reach):
      more = set().union(*(reach.get(other, set()) for other in reach[node])) - reach[node]
      grows = grows or bool(more)
      reach[node] |= more
  found = {
    frozenset(other for other in reach[node] if node in reach.get(other, ()))
    for node in reach if node in reach[node]
  }
  return sorted(found, key=sorted)


# ---- files -----------------------------------------------------------------------------------


def long_files(tree):
  """No file is longer than 400 lines."""
  for path in tree.files("Sources", "Tests"):
    lines = tree.text(path).count("\n")
    if lines > LINES_MAX:
      yield Finding(
        path, lines, f"{lines} lines, and {LINES_MAX} are allowed",
        "a file that is longer has more than one thing to say")
