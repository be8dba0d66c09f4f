"""A copy of the tree in which the mutants are compiled, all of them together."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import weaver
from typechecker import TypeChecker

ROUNDS_MAX = 40
# So often only the innermost mutant around an error is taken out.
ROUNDS_NARROW = 3
ERROR = re.compile(r"^(/\S+?\.swift):(\d+):(\d+): error: (.*)$", re.MULTILINE)
MANIFEST = """

let mutated: Set<String> = %s
var kept: Set<String> = %s
// Tests start these where they are built of the same.
let programs = package.products.compactMap { $0 as? Product.Executable }.flatMap(\.targets)
var grows = true
while grows {
  grows = false
  for target in package.targets where kept.contains(target.name) {
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _):
        if kept.insert(name).inserted { grows = true }
      default: break
      }
    }
  }
}
for target in package.targets where programs.contains(target.name) {
  let isOfThese = target.dependencies.allSatisfy {
    if case .byNameItem(let name, _) = $0 { kept.contains(name) } else { false }
  }
  if isOfThese { kept.insert(target.name) }
}
package.products = []
package.targets = package.targets.filter { kept.contains($0.name) }
for target in package.targets where mutated.contains(target.name) {
  target.dependencies.append("MutantSwitch")
  target.swiftSettings = (target.swiftSettings ?? []) + [
    .treatAllWarnings(as: .warning), .treatWarning("EmbeddedRestrictions", as: .warning),
  ]
}
package.targets.append(.target(name: "MutantSwitch", path: "MutantSwitch"))
"""


class Broken(Exception):
  """What cannot be built, and not because of a mutant."""


class Package:
  """The targets of a tree and who needs whom."""

  def __init__(self, root):
    dump = subprocess.run(
      ["swift", "package", "--package-path", root, "dump-package"],
      check=True, stdout=subprocess.PIPE, text=True).stdout
    targets = json.loads(dump)["targets"]
    self.kinds = {target["name"]: target["type"] for target in targets}
    self.needs = {
      target["name"]: {next(iter(one.values()))[0] for one in target["dependencies"]}
      for target in targets}
    self.settings = {target["name"]: target["settings"] for target in targets}

  def below(self, name):
    """The targets that one is made of, itself included."""
    found, todo = set(), [name]
    while todo:
      one = todo.pop()
      if one not in found:
        found.add(one)
        todo += self.needs.get(one, ())
    return found

  def suites(self, module):
    """The test targets that may notice a change of a module: its own, then the nearest."""
    tests = [name for name, kind in self.kinds.items() if kind == "test"]
    above = [name for name in tests if module in self.below(name)]
    own = [name for name in above if name == f"{module}Tests"]
    return own + sorted(
      (name for name in above if name not in own),
      key=lambda name: (module not in self.needs[name], len(self.below(name)), name))


class Workshop:
  def __init__(self, root, folder, say):
    self.root, self.folder, self.say = pathlib.Path(root), pathlib.Path(folder), say
    self.refused = {}

  def prepare(self, tests, modules):
    """Makes the copy like the tree, with the package of those tests only. What is built stays."""
    self.folder.mkdir(parents=True, exist_ok=True)
    there = set()
    for folder, folders, names in os.walk(self.root):
      folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
      for name in names:
        if not name.startswith("."):
          path = pathlib.Path(folder, name).relative_to(self.root)
          there.add(path)
          if path != pathlib.Path("Package.swift") and path.suffix != ".swift":
            self.copy(path)
    for path in there:
      if path.suffix == ".swift" and path != pathlib.Path("Package.swift"):
        self.write(path, (self.root / path).read_text())
    self.write("MutantSwitch/include/mutant_switch.h", weaver.C_HEADER)
    self.write("MutantSwitch/include/module.modulemap", weaver.C_MODULE_MAP)
    self.write("MutantSwitch/mutant_switch.c", weaver.C_SOURCE)
    swift_set = lambda names: "[" + ", ".join(f'"{name}"' for name in sorted(names)) + "]"
    manifest = (self.root / "Package.swift").read_text()
    self.write("Package.swift", manifest + MANIFEST % (swift_set(modules), swift_set(tests)))
    for folder, folders, names in os.walk(self.folder):
      folders[:] = [name for name in folders if not name.startswith(".")]
      for name in names:
        path = pathlib.Path(folder, name)
        relative = path.relative_to(self.folder)
        if relative not in there and relative.parts[0] != "MutantSwitch":
          path.unlink()

  def copy(self, path):
    source, target = self.root / path, self.folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
      shutil.copy2(source, target)

  def write(self, path, text):
    """Writes what differs only, so that the compiler has nothing to do for the rest."""
    target = self.folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
      target.write_text(text)

  def build(self, numbered, modules, package):
    """Compiles the mutants together. Returns those that the compiler refused: {number: why}."""
    with TypeChecker(self.folder, package) as checker:
      checker.prepare(modules)
      self.refuse(numbered, modules, "checking the types of", checker.errors)
    output = self.refuse(numbered, modules, "building", self.compile)
    if output:
      raise Broken(output[-4000:])
    return self.refused

  def refuse(self, numbered, modules, what, compiler):
    """Takes out what the compiler blames, until it blames none. Returns what else it complains of.
    """
    changed = modules
    for round in range(1, ROUNDS_MAX + 1):
      left = {number: one for number, one in numbered.items() if number not in self.refused}
      places = self.write_mutants(left, numbered, modules)
      self.say(f"{what} {len(left)} mutants, round {round}: {', '.join(changed)}")
      output = compiler(changed)
      found = self.blame(output, left, places, widely=round > ROUNDS_NARROW)
      if not found:
        return output
      self.refused.update(found)
      changed = sorted({numbered[number].module for number in found})
    raise Broken(f"{ROUNDS_MAX} rounds did not find all mutants that the compiler refuses")

  def write_mutants(self, left, numbered, modules):
    """Weaves them into the copy. Returns where they are: {path: {number: (start, end)}}."""
    places = {}
    for path in sorted({one.path for one in numbered.values()}):
      here = {number: one for number, one in left.items() if one.path == path}
      text, places[path] = weaver.weave((self.root / path).read_text(), here)
      self.write(path, text)
    for module in modules:
      self.write(
        f"Sources/{module}/{weaver.FILE}",
        weaver.switches({number: one for number, one in left.items() if one.module == module}))
    return places

  def compile(self, modules):
    """Builds modules, then the tests. Returns what the compiler said where it failed."""
    # What the compiler refuses is found before any test is built.
    for what in [["--target", module] for module in modules] + [["--build-tests"]]:
      done = subprocess.run(
        ["swift", "build", *what], cwd=self.folder, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
      if done.returncode != 0:
        return done.stdout
    return ""

  def blame(self, output, left, places, widely):
    """The mutants at the places of the errors: those around it, else those on its line."""
    found = {}
    for path, line, column, message in ERROR.findall(output):
      try:
        path = str(pathlib.Path(path).relative_to(self.folder.resolve()))
      except ValueError:
        continue
      if path.endswith(weaver.FILE):
        number = self.declared_at(path, int(line))
        found.update({number: message} if number in left else {})
        continue
      if path not in places:
        continue
      text = (self.folder / path).read_text()
      lines = text.encode().split(b"\n")
      offset = len(b"\n".join(lines[:int(line) - 1]).decode()) + (int(line) > 1)
      offset += len(lines[int(line) - 1][:int(column) - 1].decode(errors="ignore"))
      here = sorted(
        (end - start, number) for number, (start, end) in places[path].items()
        if start <= offset <= end)
      # The innermost first: what is around it may be innocent.
      guilty = [number for _, number in (here if widely else here[:1])]
      guilty = guilty or self.near(path, int(line), text, places[path])
      found.update({number: message for number in guilty})
    return found

  def declared_at(self, path, line):
    """The mutant whose operator is declared around a line."""
    for text in reversed((self.folder / path).read_text().split("\n")[:line]):
      if (number := re.search(r"mutantIsOn\((\d+)", text)) is not None:
        return int(number[1])
    return None

  def near(self, path, line, text, places):
    """Those of a line, or else those of the declaration around it, or else those of the file."""
    def within(first, last):
      return [
        number for number, (start, end) in places.items()
        if text.count("\n", 0, start) + 1 <= last and first <= text.count("\n", 0, end) + 1]
    lines = text.split("\n")
    opens = re.compile(r" {0,2}\S.*\{$")
    first = next((n for n in range(line, 0, -1) if opens.match(lines[n - 1])), 1)
    last = next(
      (n for n in range(line, len(lines) + 1) if re.match(r" {0,2}\}", lines[n - 1])), len(lines))
    return within(line, line) or within(first, last) or list(places)
