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
