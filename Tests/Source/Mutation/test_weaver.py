"""How a mutant stands in the source beside the program, and where errors are looked for."""

import pathlib
import tempfile
import unittest

import weaver
from test_picker import decisions
from workshop import Workshop


class WeaverTests(unittest.TestCase):
  def weave(self, source, *changes):
    """The source with the mutants that make these changes, numbered from 1."""
    numbered = {}
    for change in changes:
      numbered[len(numbered) + 1] = next(
        one for one in decisions(source) if one.change == change)
    return weaver.weave(source, numbered)

  def test_each_way_to_weave(self):
    for source, change, expected in (
      ("if a { b() }", "a → !(a)", "if mutantFlip(1, a) { b() }"),
      ("if a { b() }", "a → false", "if mutantNever(1, a) { b() }"),
      ("guard a else { return }", "a → true", "guard mutantAlways(1, a) else { return }"),
      ("let a = 5", "5 → 6", "let a = mutantMore(1, 5)"),
      ("let a = 5", "5 → 4", "let a = mutantLess(1, 5)"),
      ("let a = max(b, c)", "max → min", "let a = mutant_max(1, b, c)"),
      ("let a = b < c", "< → <=", "let a = b <~- c"),
      ("var a: Int? { b }", "b → nil", "var a: Int? { mutantNothing(1, b) }"),
      ("func f() {\n  a()\n}", "dropped: a()", "func f() {\n  if !mutantIsOn(1) { a() }\n}"),
    ):
      self.assertEqual(self.weave(source, change)[0], expected)

  def test_mutants_of_the_same_place_and_of_places_inside(self):
    source = "if a < 5 { b() }"
    text, places = self.weave(
      source, "a < 5 → !(a < 5)", "a < 5 → false", "< → <=", "5 → 6")
    self.assertEqual(text, "if mutantFlip(1, mutantNever(2, a <~& mutantMore(4, 5))) { b() }")
    self.assertEqual(
      [text[slice(*places[number])] for number in (1, 2, 4)],
      ["mutantFlip(1, mutantNever(2, a <~& mutantMore(4, 5)))",
       "mutantNever(2, a <~& mutantMore(4, 5))", "mutantMore(4, 5)"])

  def test_mutants_side_by_side(self):
    text, _ = self.weave("if a, b { c() }", "b → false", "a → false")
    self.assertEqual(text, "if mutantNever(2, a), mutantNever(1, b) { c() }")

  def test_no_two_mutants_have_the_same_operator(self):
    names = {weaver.operator_name(number) for number in range(1, 5000)}
    self.assertEqual(len(names), 4999)
    self.assertFalse([name for name in names if "//" in name or "/*" in name or "*/" in name])

  def test_lines_stay_where_they_are(self):
    source = "func f() {\n  a(\n    b < c)\n  d()\n}\n"
    text, _ = self.weave(source, "dropped: a( b < c)", "< → <=", "dropped: d()")
    self.assertEqual(text.count("\n"), source.count("\n"))


class BlameTests(unittest.TestCase):
  """Which mutants are taken out where the compiler complains."""

  def blamed(self, column, line=2, widely=False):
    source = "func f() {\n  if a < 5 { b() }\n  let °c = d\n  let e = 1\n}\nlet g = 2\n"
    changes = ["a < 5 → false", "5 → 6", "1 → 2", "2 → 3"]
    numbered = dict(enumerate(
      (next(one for one in decisions(source) if one.change == change) for change in changes), 1))
    with tempfile.TemporaryDirectory() as folder:
      folder = pathlib.Path(folder).resolve()
      workshop = Workshop(folder, folder, print)
      text, places = weaver.weave(source, numbered)
      workshop.write("Sources/Module/File.swift", text)
      error = f"{folder}/Sources/Module/File.swift:{line}:{column}: error: no\n"
      places = {"Sources/Module/File.swift": places}
      return sorted(workshop.blame(error, numbered, places, widely))

  def test_the_innermost_around_the_error(self):
    self.assertEqual(self.blamed(column=7), [1])
    self.assertEqual(self.blamed(column=35), [2])

  def test_later_all_around_the_error(self):
    self.assertEqual(self.blamed(column=35, widely=True), [1, 2])

  def test_else_those_of_the_line(self):
    self.assertEqual(self.blamed(column=3, line=4), [3])

  def test_else_those_of_the_declaration(self):
    self.assertEqual(self.blamed(column=8, line=3), [1, 2, 3])

  def test_an_error_elsewhere_blames_none(self):
    with tempfile.TemporaryDirectory() as folder:
      workshop = Workshop(folder, folder, print)
      self.assertEqual(workshop.blame("/usr/a.swift:1:1: error: no\n", {}, {}, False), {})


if __name__ == "__main__":
  unittest.main()
