"""Where tokens begin and end: what looks like code and is text, and the other way round."""

import unittest

from swift_source import Unreadable, tokens


class TokenTests(unittest.TestCase):
  def words(self, source):
    """The words of the code, with those that a text interpolates in brackets."""
    return " ".join(
      f"({token.text})" if token.inside else token.text
      for token in tokens(source) if token.kind == "word")

  def texts(self, source):
    return [token.text for token in tokens(source)]

  def test_a_comment_is_no_code(self):
    self.assertEqual(self.words("a // b\n/* c /* d */ e */ f"), "a f")

  def test_a_comment_inside_a_string_is_text(self):
    self.assertEqual(self.words('"// a" b "/*" c'), "b c")

  def test_a_string_ends_at_its_own_quote(self):
    self.assertEqual(self.words(r'"\"a" b'), "b")
    self.assertEqual(self.words('#"a"b"# c'), "c")
    self.assertEqual(self.words('[#""""#, a, ##"""##]'), "a")
    self.assertEqual(self.words('"""\n a "b" c\n """ d'), "d")

  def test_what_a_string_interpolates_is_code(self):
    self.assertEqual(self.words(r'"a \(b + c(d)) e" f'), "(b) (c) (d) f")
    self.assertEqual(self.words(r'"a \(b("c \(d)")) e" f'), "(b) (d) f")
    self.assertEqual(self.words(r'#"a \(b) \#(c)"# f'), "(c) f")

  def test_operators_are_as_long_as_they_can_be(self):
    self.assertEqual(self.texts("a<=b"), ["a", "<=", "b"])
    self.assertEqual(self.texts("0..<9"), ["0", "..<", "9"])
    self.assertEqual(self.texts("a.b / c // d"), ["a", ".", "b", "/", "c", "// d"])

  def test_numbers(self):
    for number in ("0x1F_00", "0b1_0", "1_000", "1.5e-3"):
      self.assertEqual(self.texts(f"{number} + a.0"), [number, "+", "a", ".", "0"])

  def test_attributes_and_directives(self):
    kinds = [(token.kind, token.text) for token in tokens("#if A && B\n@testable import C\n#endif")]
    self.assertEqual(kinds, [
      ("directive", "#if A && B"), ("word", "@testable"), ("word", "import"), ("word", "C"),
      ("directive", "#endif")])

  def test_lines_are_counted_through_comments_and_strings(self):
    source = '/*\n*/ "\\(a)"\n"""\n\\(b)\n""" c'
    self.assertEqual(
      [(token.text, token.line) for token in tokens(source) if token.kind == "word"],
      [("a", 2), ("b", 4), ("c", 5)])

  def test_a_source_without_its_end_is_refused(self):
    for source in ('\n"a\nb"', "\n/* a /* */", '\n"""\na'):
      with self.assertRaisesRegex(Unreadable, "line 2: "):
        tokens(source)


if __name__ == "__main__":
  unittest.main()
