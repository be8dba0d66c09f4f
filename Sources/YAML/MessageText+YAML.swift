public import Bytes

extension MessageText.StringInterpolation {
  /// Appends text that `canBeQuoted` as a value of YAML, also inside the braces of a mapping: in
  /// quotes, unless it consists of letters, digits and signs without a meaning in YAML.
  @inline(never)
  public mutating func appendInterpolation(yaml text: [UInt8]) {
    guard !text.isPlainYAML else { return appendInterpolation(bytes: text) }
    var quoted = [UInt8(ascii: "\"")]
    for byte in text {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        quoted.append(UInt8(ascii: "\\"))
      }
      quoted.append(byte)
    }
    appendInterpolation(bytes: quoted + [UInt8(ascii: "\"")])
  }
}

extension [UInt8] {
  /// Whether the text is valid in a configuration: UTF-8, not empty and without unseen characters.
  public var canBeQuoted: Bool { !isEmpty && quotable == self }

  /// Text that is valid in a configuration: invalid characters become `?` or U+FFFD.
  public var quotable: [UInt8] {
    var text = printable
    var index = 0
    while index < text.count {
      let character = text.span.character(at: index)
      let isRefused = character.scalar == 0xFFFE || character.scalar == 0xFFFF
      if isRefused { text.replaceSubrange(index..<character.end, with: [UInt8(ascii: "?")]) }
      index = isRefused ? index + 1 : character.end
    }
    return text
  }

  /// Whether the text needs no quotes and is neither a number nor a special word for any reader of
  /// YAML. It begins with a letter, a digit or a slash.
  fileprivate var isPlainYAML: Bool {
    guard let first, let last, first == UInt8(ascii: "/") || first.isLetterOrDigit,
      last != UInt8(ascii: " ")
    else { return false }
    for byte in self {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "@"): continue
      default: guard byte.isLetterOrDigit || byte.isDashOrUnderscore else { return false }
      }
    }
    let words: [StaticString] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
    let lowercase = lowercasedASCII
    if words.contains(where: { lowercase.span.elementsEqual($0) }) { return false }
    // Such as 28-0316a2796cff; digits alone, and 1e5, are numbers for other readers.
    return !first.isASCIIDigit || contains(UInt8(ascii: "-"))
  }
}
