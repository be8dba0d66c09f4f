"""What the compiler refuses is told of without a build, for each module alone."""

import pathlib
import tempfile
import unittest

from typechecker import TypeChecker, flags


class Package:
  needs = {"Upper": {"Lower", "CText"}, "Lower": set(), "CText": set()}
  settings = {}


class TypeCheckerTests(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.folder = pathlib.Path(folder.name, "copy")
    self.write("MutantSwitch/include/module.modulemap", "module MutantSwitch {}")
    self.write("Sources/CText/module.modulemap", 'module CText { header "text.h" }')
    self.write("Sources/CText/text.h", "typedef int number;")
    self.write("Sources/Lower/A.swift", "public func a() -> Int { 1 }\n")
    self.write("Sources/Upper/B.swift", "import CText\nimport Lower\nlet b: number = 1, c = a()\n")
    self.checker = TypeChecker(self.folder, Package)
    self.checker.__enter__()
    self.addCleanup(self.checker.__exit__)
    self.checker.prepare(["Lower", "Upper"])

  def write(self, path, text):
    path = self.folder / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

  def test_what_is_right_is_not_told_of(self):
    self.assertEqual(self.checker.errors(["Lower", "Upper"]), "")

  def test_each_module_that_is_wrong_is_told_of_in_one_round(self):
    self.write("Sources/Lower/A.swift", "public func a() -> Int { \"\" }\n")
    self.write("Sources/Upper/B.swift", "import Lower\nlet c: String = a()\n")
    said = self.checker.errors(["Lower", "Upper"])
    self.assertIn(f"{self.folder}/Sources/Lower/A.swift:1:26: error: ", said)
    self.assertIn(f"{self.folder}/Sources/Upper/B.swift:2:17: error: ", said)

  def test_settings_are_flags_of_the_compiler(self):
    self.assertEqual(
      flags([
        {"tool": "swift", "kind": {"strictMemorySafety": {}}},
        {"tool": "swift", "kind": {"enableUpcomingFeature": {"_0": "ExistentialAny"}}},
        {"tool": "swift", "kind": {"treatAllWarnings": {"_0": "error"}}},
        {"tool": "linker", "kind": {"linkedLibrary": {"_0": "m"}}}]),
      ["-strict-memory-safety", "-enable-upcoming-feature", "ExistentialAny"])

  def test_nothing_stays_when_it_is_done(self):
    self.checker.__exit__()
    self.assertEqual([path.name for path in self.folder.parent.iterdir()], ["copy"])
    self.checker.interfaces.mkdir()


if __name__ == "__main__":
  unittest.main()
