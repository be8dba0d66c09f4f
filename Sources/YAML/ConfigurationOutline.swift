import Bytes

/// Text of a configuration for a stranger: its keys with their lines, and only the keys and values
/// that the caller allows. Comments are left out.
///
///     4: sensors:
///     5:   -
///     5:     gpio: GPIO17
///     5:     name: <hidden 2>
public struct ConfigurationOutline {
  /// More than a key or a value that is shown has.
  private static let wordByteCountMax = 120

  private let isKnown: ([UInt8]) -> Bool
  private let isShown: ([UInt8]) -> Bool
  private let hide: ([UInt8]) -> [UInt8]
  private var text: [UInt8] = []

  /// Returns the outline of a file; nil if it is not YAML. `isKnown` decides whether a key is
  /// shown, `isShown` by its key whether a value is, and `hide` returns what is shown in place of
  /// another key or value.
  public static func text(
    of file: [UInt8], isKnown: @escaping ([UInt8]) -> Bool, isShown: @escaping ([UInt8]) -> Bool,
    hide: @escaping ([UInt8]) -> [UInt8]
  ) -> [UInt8]? {
    let field = ConfigurationField(file: file, example: "", problems: ProblemCollector())
    guard let field else { return nil }
    var outline = ConfigurationOutline(isKnown: isKnown, isShown: isShown, hide: hide)
    outline.append(field.node, indent: 0)
    return outline.text
  }

  private init(
    isKnown: @escaping ([UInt8]) -> Bool, isShown: @escaping ([UInt8]) -> Bool,
    hide: @escaping ([UInt8]) -> [UInt8]
  ) {
    self.isKnown = isKnown
    self.isShown = isShown
    self.hide = hide
  }

  /// Appends a value on lines of its own.
  private mutating func append(_ node: YAMLNode, indent: Int) {
    switch node.content {
    case .mapping(let entries):
      for entry in entries {
        // A person's word may be in the place of a key.
        let isKey = isKnown(entry.key)
        let key = (isKey ? entry.key : hide(entry.key)) + [UInt8](":")
        let value = inline(entry.value, isShown: isKey && isShown(entry.key))
        append(entry.mark.line, indent, key + (value.map { [UInt8](" ") + $0 } ?? []))
        if value == nil { append(entry.value, indent: indent + 2) }
      }
    case .sequence(let nodes):
      for item in nodes {
        append(item.mark.line, indent, [UInt8]("-"))
        append(item, indent: indent + 2)
      }
    case .scalar, .refused:
      append(node.mark.line, indent, inline(node, isShown: false) ?? [])
    }
  }

  private mutating func append(_ line: Int, _ indent: Int, _ words: [UInt8]) {
    let space = [UInt8](repeating: UInt8(ascii: " "), count: indent)
    text += ("\(line): \(bytes: space)\(bytes: words)\n" as MessageText).bytes
  }

  /// Returns a value, or a list of values, for the line of its key; nil for anything else.
  private func inline(_ node: YAMLNode, isShown: Bool) -> [UInt8]? {
    switch node.content {
    case .mapping: return nil
    case .refused: return [UInt8]("?")
    case .scalar(let text, _):
      return node.isEmpty
        ? [] : isShown && text.count <= Self.wordByteCountMax ? text.printable : hide(text)
    case .sequence(let nodes):
      var list = [UInt8]("[")
      for item in nodes {
        guard let words = inline(item, isShown: isShown) else { return nil }
        list += (list.count > 1 ? [UInt8](", ") : []) + words
      }
      return list + [UInt8]("]")
    }
  }
}
