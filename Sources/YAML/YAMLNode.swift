import Bytes

/// Value of the YAML text, with the position of its beginning.
final class YAMLNode {
  enum Content {
    /// A text; plain means without quotes.
    case scalar([UInt8], isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// A value that the builder has already reported, so that it is reported only once.
    case refused
  }

  let content: Content
  let mark: TextMark

  init(content: Content, mark: TextMark) {
    self.content = content
    self.mark = mark
  }

  /// Whether the value after the key is missing or YAML's word for null.
  var isEmpty: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text.span.elementsEqual("~") || text.span.elementsEqual("null")
  }
}

/// Entry `key: value` of a mapping. Keys are unique in their mapping.
struct YAMLEntry {
  let key: [UInt8]
  let mark: TextMark
  let value: YAMLNode
}

/// Position in the configuration file: line and column count from 1, columns in characters (Unicode
/// scalars), as editors show them.
struct TextMark: Comparable {
  static let start = TextMark(line: 1, column: 1)

  var line: Int
  var column: Int

  static func < (left: TextMark, right: TextMark) -> Bool {
    left.line == right.line ? left.column < right.column : left.line < right.line
  }
}
