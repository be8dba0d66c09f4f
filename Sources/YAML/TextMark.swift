/// A place in the configuration file: line and column count from 1, columns in characters
/// (Unicode scalars), as editors show them.
struct TextMark: Comparable {
  static let start = TextMark(line: 1, column: 1)

  var line: Int
  var column: Int

  static func < (left: TextMark, right: TextMark) -> Bool {
    left.line == right.line ? left.column < right.column : left.line < right.line
  }
}
