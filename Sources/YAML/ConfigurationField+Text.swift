public import Bytes

// The kinds of single values, read from their text. Quotes make no difference.

extension ConfigurationField {
  public static let nameCharactersMax = 64
  public static let iconBytesMax = 64
  public static let pathBytesMax = 1024
  /// Which of some words it is. Where more than the words is possible, `remedy` says what; without
  /// it, the words are offered.
  public func word(of words: [StaticString], remedy: MessageText? = nil) -> Int? {
    guard let text = text() else { return nil }
    for index in words.indices where text.span.elementsEqual(words[index]) { return index }
    if let remedy {
      report("\(quoted: text) is not possible here", remedy: remedy)
    } else if let nearest = Suggestion.nearest(to: text, in: words) {
      report("\(quoted: text) is unknown", remedy: "did you mean \"\(nearest)\"?")
    } else {
      report("\(quoted: text) is unknown", remedy: "write \(anyOf: words)")
    }
    return nil
  }

  /// `true` or `false`, or one of YAML 1.1's other words for them, in any case.
  public func boolean() -> Bool? {
    guard let text = text() else { return nil }
    switch Text(text.lowercasedASCII) {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    default:
      report("\(quoted: text) is not a yes-or-no value", remedy: "write true or false")
      return nil
    }
  }

  /// A TCP port.
  public func port() -> UInt16? {
    guard let text = text() else { return nil }
    if let port = portNumber(text.span) { return port }
    report("\(quoted: text) is not a port", remedy: "write a number from 1 to 65535")
    return nil
  }

  /// Decimal digits.
  public func wholeNumber(in range: ClosedRange<Int>) -> Int? {
    guard let text = text() else { return nil }
    if let value = text.span.decimalValue.flatMap({ Int(exactly: $0) }), range.contains(value) {
      return value
    }
    report(
      "\(quoted: text) is not a whole number in range",
      remedy: "write one from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// What people call something: 1...64 characters, without control characters; letters in lower
  /// or upper case are the same name.
  public func name(notAmong names: SeenTexts) -> [UInt8]? {
    guard let name = name() else { return nil }
    names.add(name.lowercasedASCII, of: self)
    return name
  }

  public func name() -> [UInt8]? {
    guard let text = text() else { return nil }
    guard !text.hasInvisibleControl else {
      report("the name has a control character", remedy: "remove it")
      return nil
    }
    let characterCount = text.characterCount
    guard text.contains(where: { $0 != UInt8(ascii: " ") }),
      characterCount <= Self.nameCharactersMax
    else {
      report(
        "the name has \(characterCount) characters",
        remedy: "write 1 to \(Self.nameCharactersMax), not only spaces")
      return nil
    }
    return text
  }

  /// `prefix:name`, such as `mdi:water`.
  public func icon() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.count <= Self.iconBytesMax, isIcon(text) { return text }
    report("\(quoted: text) is not an icon", remedy: "write for example mdi:water")
    return nil
  }

  private func isIcon(_ text: [UInt8]) -> Bool {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon < text.count - 1
    else { return false }
    for index in text.indices where index != colon {
      guard text[index].isLetterOrDigit || text[index].isDashOrUnderscore else { return false }
    }
    return true
  }

  /// An absolute path; a slash at the end is removed. The path is not shown when it is wrong,
  /// since it may be a token in the wrong place.
  public func absolutePath() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.first != UInt8(ascii: "/") {
      report("this is not an absolute path", remedy: "begin it with /")
    } else if text.count > Self.pathBytesMax {
      report(
        "this path has \(text.count) bytes", remedy: "the most is \(Self.pathBytesMax)")
    } else if text.hasInvisibleControl {
      report("this path has a control character", remedy: "remove it")
    } else {
      return text.withoutTrailingSlashes(keeping: 1)
    }
    return nil
  }
}

/// The longest name the DNS can hold.
private let hostBytesMax = 253

/// Decimal digits from 1 to 65535 as a number.
public func portNumber(_ text: Span<UInt8>) -> UInt16? {
  guard !text.isEmpty, text[0] != UInt8(ascii: "0"), let value = text.decimalValue else {
    return nil
  }
  return UInt16(exactly: value)
}

/// Whether these are the letters of a DNS name or of an IPv4 address.
public func isHostName(_ text: Span<UInt8>) -> Bool {
  for index in text.indices {
    let byte = text[index]
    guard byte.isLetterOrDigit || byte.isDashOrUnderscore || byte == UInt8(ascii: ".") else {
      return false
    }
  }
  return (1...hostBytesMax).contains(text.count)
}

/// Whether these are the letters of an IPv6 address without brackets; the resolver knows the rest.
public func isIPv6Address(_ text: Span<UInt8>) -> Bool {
  var colonCount = 0
  for index in text.indices {
    let byte = text[index]
    if byte == UInt8(ascii: ":") {
      colonCount += 1
    } else if hexadecimalValue(of: byte) == nil, byte != UInt8(ascii: ".") {
      return false
    }
  }
  return colonCount >= 2 && text.count <= hostBytesMax
}
