public import Bytes

// Single values of each kind, read from their text. Quotes make no difference.

extension ConfigurationField {
  public static let nameCharactersMax = 64
  public static let iconBytesMax = 64
  public static let pathBytesMax = 1024

  // Not inlined into the many reading functions.
  /// Reads a text; nil, reported as not `what`, if it is not valid.
  @inline(never)
  public func text(
    _ what: StaticString, remedy: @autoclosure () -> MessageText, where isValid: ([UInt8]) -> Bool
  ) -> [UInt8]? {
    guard let text = text() else { return nil }
    if isValid(text) { return text }
    reportNot(what, text, remedy: remedy())
    return nil
  }

  // Not inlined either.
  @inline(never)
  public func reportNot(_ what: StaticString, _ text: [UInt8], remedy: MessageText) {
    report("\(quoted: text) is not \(what)", remedy: remedy)
  }

  /// Reads a list of different words from `words`; returns their indices.
  public func indices(of words: [StaticString], example: StaticString) -> [Int] {
    let seen = SeenTexts()
    return items(count: 1...words.count, example: example).compactMap { item in
      guard let index = item.word(of: words) else { return nil }
      seen.add([UInt8](words[index]), of: item)
      return index
    }
  }

  /// Returns the index of the value in `words`. If other values are possible too, `remedy` names
  /// them; otherwise the message offers the words.
  public func word(of words: [StaticString], remedy: MessageText? = nil) -> Int? {
    word(of: words.map { [UInt8]($0) }, remedy: remedy)
  }

  /// Returns the index of the value in words that are composed at run time.
  public func word(of words: [[UInt8]], remedy: MessageText? = nil) -> Int? {
    guard let text = text() else { return nil }
    if let index = words.firstIndex(of: text) { return index }
    if let remedy {
      report("\(quoted: text) is not possible here", remedy: remedy)
    } else if let nearest = Suggestion.index(nearestTo: text, in: words) {
      report("\(quoted: text) is unknown", remedy: "did you mean \"\(bytes: words[nearest])\"?")
    } else {
      report("\(quoted: text) is unknown", remedy: "write \(anyOf: words)")
    }
    return nil
  }

  /// Reads `true` or `false`, or one of YAML 1.1's other words for them, in any case. Another text
  /// is shown only if the section has no secret, which may be in the wrong place.
  public func boolean(isShown: Bool = true) -> Bool? {
    guard let text = text() else { return nil }
    switch Text(text.lowercasedASCII) {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    default:
      let word: MessageText = isShown ? "\(quoted: text)" : "this"
      report("\(word) is not a yes-or-no value", remedy: "write true or false")
      return nil
    }
  }

  /// Reads a TCP port.
  public func port() -> UInt16? {
    guard let text = text() else { return nil }
    if let port = portNumber(text.span) { return port }
    reportNot("a port", text, remedy: "write a number from 1 to 65535")
    return nil
  }

  /// Reads a whole number in decimal digits.
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

  /// Reads a name that is not among `names`: 1...64 characters without control characters. Names
  /// that differ only in case are the same.
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

  /// Reads an icon, `prefix:name`, such as `mdi:water`.
  public func icon() -> [UInt8]? {
    text("an icon", remedy: "write for example mdi:water") {
      $0.count <= Self.iconBytesMax && isIcon($0)
    }
  }

  private func isIcon(_ text: [UInt8]) -> Bool {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon < text.count - 1
    else { return false }
    for index in text.indices where index != colon {
      guard text[index].isLetterOrDigit || text[index].isDashOrUnderscore else { return false }
    }
    return true
  }

  /// Reads an absolute path and removes slashes at its end. A message about a wrong path does not
  /// show it, since it may be a token in the wrong place.
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

/// Maximum length of a DNS name.
private let hostBytesMax = 253

/// Returns the number of decimal digits from 1 to 65535.
public func portNumber(_ text: Span<UInt8>) -> UInt16? {
  guard !text.isEmpty, text[0] != UInt8(ascii: "0"), let value = text.decimalValue else {
    return nil
  }
  return UInt16(exactly: value)
}

/// Whether the text consists of the characters of a DNS name or of an IPv4 address.
public func isHostName(_ text: Span<UInt8>) -> Bool {
  for index in text.indices {
    let byte = text[index]
    guard byte.isLetterOrDigit || byte.isDashOrUnderscore || byte == UInt8(ascii: ".") else {
      return false
    }
  }
  return (1...hostBytesMax).contains(text.count)
}

/// Whether the text has the characters of an IPv6 address; the resolver checks the rest.
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
