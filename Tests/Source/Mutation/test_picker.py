"""What is a decision, what is none, and what is picked."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "House"))

import picker
from structure import Source
from swift_source import tokens


def decisions(source, path="Sources/Module/File.swift"):
  return picker.decisions(Source(path, source, tokens(source)))


class PickerTests(unittest.TestCase):
  def finds(self, source, *expected, kinds=None):
    """Says which changes are found in a function's body, or in a source with declarations."""
    found = [
      one.change for one in decisions(source) if kinds is None or one.kind in kinds.split()]
    self.assertEqual(found, list(expected))

  def test_comparisons_and_logic(self):
    self.finds(
      "let a = b < c && d == e || f >= g", "< → <=", "&& → ||", "== → !=", "|| → &&", ">= → >")

  def test_generics_and_constraints_compare_nothing(self):
    self.finds("func f<A: P>(a: X<A, B>) where A.Element == UInt8 {}")
    self.finds("extension X where Element == UInt8, Index: P {}")
    self.finds("static func < (a: X, b: X) -> Y { fatalError() }")

  def test_arithmetic_and_extremes(self):
    self.finds("let a = min(b + c, -d)", "min → max", "+ → -")
    self.finds("func f() {\n  a += x\n}", "dropped: a += x", "+= → -=")
    self.finds("let a = b.min(by: c)\nfunc min(a: X) {}")

  def test_numbers(self):
    self.finds("let a = 0x10", "0x10 → 15", "0x10 → 17")
    self.finds("let a = 0", "0 → 1")
    self.finds("let a = b.0 + c", "+ → -")
    self.finds("let a = 1.5")
    self.finds("let a: InlineArray<4, UInt8>")
    self.finds("let a: [4 of UInt8]")

  def test_what_is_text_comment_or_attribute_is_none(self):
    self.finds('let a = "b < 1 \\(c < 2)"  // true && false\n/* d < 3 */')
    self.finds("@available(macOS 10, *)\nvar a: X { b }")

  def test_what_is_compiled_conditionally_is_none(self):
    self.finds("#if A\nlet a = true\n#else\nlet a = false\n#endif\nlet b = true", "true → false")

  def test_checks_of_the_program_itself_are_none(self):
    self.finds("func f() {\n  precondition(a < b)\n  g()\n}", "dropped: g()")

  def test_raw_values_of_an_enumeration_are_none(self):
    self.finds("enum A: Int {\n  case b = 1\n  case c = 2\n  static let d = 3\n}", "3 → 2", "3 → 4")

  def test_conditions(self):
    self.finds(
      "func f() {\n  if a, let b = c, d.e { g = h }\n}",
      "a → !(a)", "a → false", "a → true", "d.e → !(d.e)", "d.e → false", "d.e → true",
      "dropped: g = h")
    self.finds("func f() {\n  while a { b() }\n}", "a → !(a)", "dropped: b()")
    self.finds(
      "func f() {\n  guard let a = b, try c(a) else { return }\n}", "c(a) → !(c(a))", "c(a) → true")
    self.finds("func f() {\n  for a in b where c { d() }\n}", "c → !(c)", "c → false", "c → true",
               "dropped: d()")

  def test_the_condition_of_a_repeat_has_no_body(self):
    self.finds("func f() {\n  repeat { a() } while b\n  if c { d() }\n}",
               "c → !(c)", "c → false", "c → true", kinds="condition")

  def test_a_closure_in_a_condition_is_not_its_body(self):
    self.finds("func f() {\n  if a.contains(where: { $0.b }) { c() }\n}",
               "a.contains(where: { $0.b }) → !(a.contains(where: { $0.b }))",
               "a.contains(where: { $0.b }) → false", "a.contains(where: { $0.b }) → true",
               kinds="condition")

  def test_statements(self):
    self.finds(
      "func f() {\n  a(b)\n    .c()\n  d = e\n    ?? g\n  let h = i()\n  try j { k }\n}",
      "dropped: a(b) .c()", "dropped: d = e ?? g", "dropped: try j { k }")

  def test_statements_of_a_switch(self):
    self.finds(
      "func f() {\n  switch a {\n  case .b(let c): d(c)\n  default:\n    e()\n    g()\n  }\n}",
      "dropped: d(c)", "dropped: e()", "dropped: g()")

  def test_statements_of_a_closure(self):
    self.finds("func f() {\n  let a = b { c in\n    d(c)\n    e(c)\n  }\n}",
               "dropped: d(c)", "dropped: e(c)")
    self.finds("func f() {\n  let a = b { $0.c() }\n}")

  def test_what_functions_return(self):
    self.finds("func f() -> Bool { a.b }", "a.b → !(a.b)")
    self.finds("var a: Int? { b }", "b → nil")
    self.finds("var a: Int { b.count }", "b.count → b.count + 1")
    self.finds("var a: Int {\n  get { b.count }\n  set { c = newValue }\n}",
               "b.count → b.count + 1", "dropped: c = newValue")
    self.finds("func f() throws -> Bool {\n  if a { return try b() }\n  return c\n}",
               "b() → !(b())", "c → !(c)", kinds="return")
    self.finds("func f() -> Bool {\n  a.filter { return $0 }\n}", "a.filter { return $0 } → !("
               "a.filter { return $0 })")
    self.finds("func f() { a() }", "dropped: a()")

  def test_a_requirement_without_a_body_returns_nothing(self):
    self.finds("protocol P {\n  func f() -> Bool\n  var a: Int { get }\n}\nfunc g() { b() }",
               "dropped: b()")

  def test_lines(self):
    [one] = decisions("// A comment\n\nlet a =\n  b < c\n")
    self.assertEqual((one.line, one.source_line), (4, "b < c"))

  # Picking

  def all_of(self, *modules):
    return [
      one for module in modules
      for one in decisions("let a = b < c && d\nlet e = 1\nlet f = 2", f"Sources/{module}/F.swift")]

  def test_the_same_seed_picks_the_same_and_another_seed_others(self):
    found = self.all_of("A", "B", "C", "D")
    picks = {seed: picker.pick(found, 8, seed) for seed in range(8)}
    for seed, picked in picks.items():
      self.assertEqual(picked, picker.pick(list(found), 8, seed))
    self.assertGreater(len({tuple(picked) for picked in picks.values()}), 1)

  def test_each_module_and_each_kind_has_its_share(self):
    picked = picker.pick(self.all_of("A", "B"), 6, 1)
    self.assertEqual(
      sorted((one.module, one.kind) for one in picked),
      [(module, kind) for module in "AB" for kind in ("comparison", "constant", "logic")])

  def test_more_than_there_are_is_all(self):
    found = self.all_of("A")
    self.assertEqual(len(picker.pick(found, 100, 1)), len(found))


if __name__ == "__main__":
  unittest.main()
