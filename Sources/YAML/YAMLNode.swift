import Bytes

/// One value of the YAML text, and where it begins.
final class YAMLNode {
  enum Content {
    /// A text; plain means: written without quotes.
    case scalar([UInt8], isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
    /// Something the builder has already refused, so that it is reported once.
    case refused
  }

  let content: Content
  let mark: TextMark

  init(content: Content, mark: TextMark) {
    self.content = content
    self.mark = mark
  }

  /// Whether there is a key but nothing after it, or YAML's word for nothing.
  var isEmpty: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text.span.elementsEqual("~") || text.span.elementsEqual("null")
  }
}

/// One `key: value` of a mapping. Keys are unique in their mapping.
struct YAMLEntry {
  let key: [UInt8]
  let mark: TextMark
  let value: YAMLNode
}

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
