public import Bytes

extension MessageText.StringInterpolation {
  /// Text that `canBeQuoted`, as a value of YAML, also between the braces of a mapping: as it is
  /// where it is only letters, digits and signs that mean nothing, else in quotes.
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
  /// Whether it can stand in a configuration: it is UTF-8, and holds nothing invisible.
  public var canBeQuoted: Bool { !isEmpty && quotable == self }

  /// The text as it can stand in a configuration: what cannot, becomes `?` or U+FFFD.
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

  /// Whether it means itself without quotes, and to other readers of YAML, too, is no number and
  /// no word of theirs: it begins with a letter or a slash, and is no such word.
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
    // Such as 28-0316a2796cff; digits alone, and 1e5, are numbers elsewhere.
    return !first.isASCIIDigit || contains(UInt8(ascii: "-"))
  }
}
