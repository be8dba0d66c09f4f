import Bytes
import LinuxIO

// The kinds of single values, read from their text. Quotes make no difference.

extension ConfigurationField {
  /// Which of some words it is. Where more than the words is possible, `remedy` says what; without
  /// it, the words are offered.
  func word(of words: [StaticString], remedy: MessageText? = nil) -> Int? {
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
  func boolean() -> Bool? {
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
  func port() -> UInt16? {
    guard let text = text() else { return nil }
    if let port = portNumber(text.span) { return port }
    report("\(quoted: text) is not a port", remedy: "write a number from 1 to 65535")
    return nil
  }

  /// Decimal digits.
  func wholeNumber(in range: ClosedRange<Int>) -> Int? {
    guard let text = text() else { return nil }
    if let value = text.span.decimalValue.flatMap({ Int(exactly: $0) }), range.contains(value) {
      return value
    }
    report(
      "\(quoted: text) is not a whole number that is possible here",
      remedy: "write one from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// What people call something: 1...64 characters, without control characters; letters in lower
  /// or upper case are the same name.
  func name(notAmong names: SeenTexts) -> [UInt8]? {
    guard let name = name() else { return nil }
    names.add(name.lowercasedASCII, of: self)
    return name
  }

  func name() -> [UInt8]? {
    guard let text = text() else { return nil }
    guard !text.hasInvisibleControl else {
      report("the name has a control character", remedy: "remove it")
      return nil
    }
    let characterCount = text.characterCount
    guard text.contains(where: { $0 != UInt8(ascii: " ") }),
      characterCount <= Configuration.nameCharactersMax
    else {
      report(
        "the name has \(characterCount) characters",
        remedy: "write 1 to \(Configuration.nameCharactersMax), not only spaces")
      return nil
    }
    return text
  }

  /// `prefix:name`, such as `mdi:water`.
  func icon() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.count <= Configuration.iconBytesMax, isIcon(text) { return text }
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
  func absolutePath() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.first != UInt8(ascii: "/") {
      report("this is not an absolute path", remedy: "begin it with /")
    } else if text.count > Configuration.pathBytesMax {
      report(
        "this path has \(text.count) bytes", remedy: "the most is \(Configuration.pathBytesMax)")
    } else if text.hasInvisibleControl {
      report("this path has a control character", remedy: "remove it")
    } else {
      return text.withoutTrailingSlashes(keeping: 1)
    }
    return nil
  }

  /// The name of a directory in `/sys/class/power_supply`.
  func supplyName() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isName =
      !text.isEmpty && text.count <= Configuration.supplyNameBytesMax
      && text.first != UInt8(ascii: ".") && text.span.isVisibleASCII
      && !text.contains(UInt8(ascii: "/"))
    if isName { return text }
    report(
      "\(quoted: text) is not the name of a power supply",
      remedy: "write one that \"ls /sys/class/power_supply\" shows")
    return nil
  }

  /// What gpsd calls a receiver: the path of a device, or an address.
  func receiver() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isPath = !text.isEmpty && text.count <= Configuration.receiverBytesMax
    if isPath, text.span.isVisibleASCII { return text }
    report(
      "\(quoted: text) is not a receiver of gpsd", remedy: "write for example /dev/ttyACM0")
    return nil
  }

  /// The address of a computer: the agent looks no name up beside `localhost`.
  func numericAddress() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isText = isHostName(text.span) || isIPv6Address(text.span)
    if isText, isNumericAddress(text) { return text }
    report(
      "\(quoted: text) is not a numeric address",
      remedy: "write one such as 192.168.1.9, without a port; names are not looked up here")
    return nil
  }
}

/// Decimal digits from 1 to 65535 as a number.
func portNumber(_ text: Span<UInt8>) -> UInt16? {
  guard !text.isEmpty, text[0] != UInt8(ascii: "0"), let value = text.decimalValue else {
    return nil
  }
  return UInt16(exactly: value)
}

/// Whether these are the letters of a DNS name or of an IPv4 address.
func isHostName(_ text: Span<UInt8>) -> Bool {
  for index in text.indices {
    let byte = text[index]
    guard byte.isLetterOrDigit || byte.isDashOrUnderscore || byte == UInt8(ascii: ".") else {
      return false
    }
  }
  return (1...Configuration.hostBytesMax).contains(text.count)
}

/// Whether these are the letters of an IPv6 address without brackets; the resolver knows the rest.
func isIPv6Address(_ text: Span<UInt8>) -> Bool {
  var colonCount = 0
  for index in text.indices {
    let byte = text[index]
    if byte == UInt8(ascii: ":") {
      colonCount += 1
    } else if hexadecimalValue(of: byte) == nil, byte != UInt8(ascii: ".") {
      return false
    }
  }
  return colonCount >= 2 && text.count <= Configuration.hostBytesMax
}

extension UInt8 {
  var isLetterOrDigit: Bool {
    isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= self | 0x20
  }
  var isDashOrUnderscore: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}

extension Span<UInt8> {
  var isVisibleASCII: Bool {
    for index in indices where self[index] <= 0x20 || self[index] >= 0x7F { return false }
    return true
  }
}

extension [UInt8] {
  func withoutTrailingSlashes(keeping count: Int) -> [UInt8] {
    var result = self
    while result.count > count, result.last == UInt8(ascii: "/") { result.removeLast() }
    return result
  }
}
