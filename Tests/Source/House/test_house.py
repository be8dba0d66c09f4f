"""Each rule of the house, broken in a tree of a few lines."""

import pathlib
import tempfile
import textwrap
import unittest

import comments
import house

README = """\
# A program

## The house

| layer | module | its one job | imports |
|---|---|---|---|
| 1 | `Upper` | decides | `Lower`, `CThing` |
| 0 | `Lower` | computes | |

Beside it:

| module | its one job | imports |
|---|---|---|
| `Oracle` | is right | `Foundation` |

`Engine.start` starts what [stands there](Upper).

## After it

`Gone.altogether` is none of its business.
"""
FILES = {
  house.GUIDE: README,
  "Sources/Upper/Engine.swift": "import CThing\nimport Lower\nstruct Engine { func start() {} }\n",
  "Sources/Lower/Sum.swift": "public struct Sum {}\n",
  "Tests/Oracle/Oracle.swift": "import Foundation\n",
}


def target(folder, *dependencies, kind="regular"):
  return {"folder": folder, "kind": kind, "dependencies": set(dependencies)}


PACKAGE = {
  "CThing": target("Sources/CThing", kind="system"),
  "Upper": target("Sources/Upper", "Lower", "CThing"),
  "Lower": target("Sources/Lower"),
  "Oracle": target("Tests/Oracle"),
}


class HouseTests(unittest.TestCase):
  def tree(self, changed=(), package=()):
    """The house that keeps every rule, but for some files and targets."""
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    for path, text in {**FILES, **dict(changed)}.items():
      file = pathlib.Path(folder.name, path)
      file.parent.mkdir(parents=True, exist_ok=True)
      file.write_text(textwrap.dedent(text))
    tree = house.Tree(folder.name)
    tree._package = {**PACKAGE, **dict(package)}
    return tree

  def says(self, findings, *expected):
    self.assertEqual([str(finding) for finding in findings], list(expected))

  def with_readme(self, old, new):
    self.assertIn(old, README)
    return self.tree({house.GUIDE: README.replace(old, new)})

  def test_a_house_that_keeps_every_rule_is_silent(self):
    tree = self.tree()
    for check in (
      house.tables_are_there, house.table_is_kept, house.table_points_down,
      house.section_names_what_is_there, comments.wide_comments, comments.vague_comments
    ):
      self.says(check(tree))
    self.says(house.folder_cycles(tree))
    self.says(house.long_files(tree))

  # The import table

  def test_an_import_that_the_row_does_not_list(self):
    for line in (
      "import Lower", "internal import Lower", "@testable import Lower", "import struct Lower.Sum"
    ):
      source = f"import Foundation\n// import Upper\n{line}\n"
      tree = self.tree({"Tests/Oracle/Oracle.swift": source})
      self.says(
        house.table_is_kept(tree),
        "Tests/Oracle/Oracle.swift:3: Oracle imports Lower, which its row does not list")

  def test_a_row_that_lists_what_is_not_imported(self):
    tree = self.tree({"Sources/Upper/Engine.swift": "import Lower\n"})
    self.says(
      house.table_is_kept(tree), "Sources/README.md:7: Upper lists CThing and does not import it")

  def test_a_package_that_differs_from_the_row(self):
    tree = self.tree(package={
      "Upper": target("Sources/Upper", "CThing"), "Lower": target("Sources/Lower", "CThing")})
    self.says(
      house.table_is_kept(tree),
      "Package.swift:1: Upper does not depend on Lower, other than its row says",
      "Package.swift:1: Lower depends on CThing, other than its row says")

  def test_a_module_without_a_row_and_a_row_without_a_module(self):
    tree = self.tree(package={"Attic": target("Sources/Attic")})
    del tree._package["Oracle"]
    self.says(
      house.tables_are_there(tree), "Sources/README.md:14: there is no module Oracle",
      "Package.swift:1: Attic has no row in \"The house\"")

  def test_a_guide_without_a_table(self):
    tree = self.with_readme("## The house", "### The garden")
    self.assertIn(
      "Sources/README.md:1: \"The house\" has no table of modules",
      [str(finding) for finding in house.tables_are_there(tree)])

  def test_a_dependency_that_points_up(self):
    tree = self.with_readme("computes | |", "computes | `Upper` |")
    self.says(
      house.table_points_down(tree),
      "Sources/README.md:8: Lower lists Upper, which does not stand below it")

  def test_layers_out_of_order(self):
    tree = self.with_readme("| 0 | `Lower`", "| 2 | `Lower`")
    self.says(
      house.table_points_down(tree),
      "Sources/README.md:8: Lower has a higher layer than the row above it")

  def test_what_ships_lists_what_is_foreign_or_does_not_ship(self):
    tree = self.with_readme("computes | |", "computes | `Glibc`, `Oracle` |")
    self.says(
      house.table_points_down(tree), "Sources/README.md:8: Lower lists Glibc, which may not ship",
      "Sources/README.md:8: Lower lists Oracle, which does not ship")

  def test_a_library_behind_two_modules(self):
    tree = self.with_readme("computes | |", "computes | `CThing` |")
    self.says(
      house.table_points_down(tree), "Sources/README.md:8: Lower lists CThing, and so does Upper")

  # The guide

  def test_a_guide_that_names_what_is_gone(self):
    tree = self.with_readme(
      "`Engine.start`", "`Motor` and `Engine.stop` and [it](Cellar) and `Makefile.swift`")
    self.says(
      house.section_names_what_is_there(tree), "Sources/README.md:16: there is no Motor",
      "Sources/README.md:16: there is no Engine.stop",
      "Sources/README.md:16: there is no Makefile.swift",
      "Sources/README.md:16: there is no Sources/Cellar")

  # Folders

  CYCLE = {
    "Sources/Upper/A/One.swift": "struct One { var two: Two }\n",
    "Sources/Upper/B/Two.swift": "struct Two {\n  // A comment about One.\n  var one: [One]\n}\n",
  }

  def test_a_cycle_of_folders(self):
    self.says(
      house.folder_cycles(self.tree(self.CYCLE)),
      "Sources/Upper/A/One.swift:1: a cycle of folders: Upper/A, Upper/B. "
      "The thinnest ways: Upper/A mentions Two of Upper/B; Upper/B mentions One of Upper/A")

  def test_names_that_are_not_the_type_of_the_other_folder(self):
    for two in (
      "struct Two { var text = \"One\" }",
      "struct Two { var other: Elsewhere.One }",
      "struct Two { struct One {}; var one: One }",
    ):
      tree = self.tree({**self.CYCLE, "Sources/Upper/B/Two.swift": two + "\n"})
      self.says(house.folder_cycles(tree))

  def test_a_type_that_a_text_interpolates_is_a_mention(self):
    two = "struct Two { var text = \"\\(One().name)\" }\n"
    tree = self.tree({**self.CYCLE, "Sources/Upper/B/Two.swift": two})
    self.assertEqual(len(list(house.folder_cycles(tree))), 1)

  # Files and comments

  def test_a_file_that_is_too_long(self):
    tree = self.tree({"Tests/Long.swift": "\n" * 401, "Tests/Full.swift": "\n" * 400})
    self.says(house.long_files(tree), "Tests/Long.swift:401: 401 lines, and 400 are allowed")

  def test_a_comment_that_is_too_wide(self):
    wide = "/" * 101
    tree = self.tree({
      "Tests/Wide.swift": f"let text = \"{wide}\"\nlet a = 1  {wide}\n",
      "Tests/wide.c": f"int a;\n/* {wide} */\n", "Tests/wide.py": f"a = 1\n# {wide}\n"})
    self.says(
      comments.wide_comments(tree),
      "Tests/Wide.swift:2: a comment that reaches column 112; 100 are allowed",
      "Tests/wide.c:2: a comment that reaches column 107; 100 are allowed",
      "Tests/wide.py:2: a comment that reaches column 103; 100 are allowed")

  def test_a_comment_of_100_columns_that_are_not_bytes(self):
    self.says(comments.wide_comments(self.tree({"Tests/Wide.swift": "// " + "°" * 97 + "\n"})))

  def test_a_comment_that_does_not_say_who_acts(self):
    tree = self.tree({
      "Tests/Vague.swift": "let nobody = \"somebody\"\n/* First,\n   Nobody answers. */\n",
      "Tests/vague": "#!/bin/sh\nnobody=1  # whoever asks\n"})
    self.says(
      comments.vague_comments(tree), "Tests/Vague.swift:3: a comment that says \"Nobody\"",
      "Tests/vague:2: a comment that says \"whoever\"")

  def test_comments_in_a_dialect_get_no_more(self):
    tree = self.tree({"Sources/Lower/Sum.swift": (
      "/// What is added.\n/// It is one.\nstruct Sum {}\n"
      "/// Sum of two.\nstruct Pair {}\n// There is none, all the same.\n")})
    self.says(comments.dialect(tree, 1, 1))
    self.says(
      comments.dialect(tree, 0, 0),
      "Sources:1: 1 doc comments begin with a clause, and 0 are allowed",
      "Sources:1: 1 lines of comment have words of older English, and 0 are allowed")


if __name__ == "__main__":
  unittest.main()
