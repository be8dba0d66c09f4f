// Text as bytes: functions that the configuration and the messages need.

/// Character (a Unicode scalar) of a text, or a byte that is not UTF-8.
public struct TextCharacter {
  /// Scalar value; nil if the byte is not UTF-8.
  public let scalar: UInt32?
  /// Position of the next character.
  public let end: Int

  /// Whether the character is a control character, a line separator or a mark that turns the
  /// direction of writing: a mistake in a name, and able to hide the content of a message.
  public var isInvisibleControl: Bool {
    guard let scalar else { return false }
    return switch scalar {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}

extension Span<UInt8> {
  // Called for every character; inlined it would be most of each caller.
  /// Returns the character at `index`.
  @inline(never)
  public func character(at index: Int) -> TextCharacter {
    let length = lengthOfScalar(at: index)
    guard length > 0 else { return TextCharacter(scalar: nil, end: index + 1) }
    // The first byte of a sequence begins with one bit per byte and then a zero.
    var scalar = UInt32(length == 1 ? self[index] : self[index] & (0x7F >> UInt8(length)))
    for offset in index + 1..<index + length {
      scalar = scalar << 6 | UInt32(self[offset] & 0x3F)
    }
    return TextCharacter(scalar: scalar, end: index + length)
  }

  /// Value of plain decimal digits; nil for anything else and if it does not fit.
  public var decimalValue: Int64? {
    guard !isEmpty else { return nil }
    var value: Int64 = 0
    for index in indices {
      guard self[index].isASCIIDigit else { return nil }
      let digit = Int64(self[index] - UInt8(ascii: "0"))
      let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) = product.addingReportingOverflow(digit)
      guard !productOverflows, !sumOverflows else { return nil }
      value = sum
    }
    return value
  }
}

extension [UInt8] {
  /// Number of characters; each byte that is not UTF-8 counts as one.
  public var characterCount: Int {
    var characterCount = 0
    var index = 0
    while index < count {
      index = span.character(at: index).end
      characterCount += 1
    }
    return characterCount
  }

  /// Whether the text contains an invisible control.
  public var hasInvisibleControl: Bool {
    var index = 0
    while index < count {
      let character = span.character(at: index)
      if character.isInvisibleControl { return true }
      index = character.end
    }
    return false
  }

  /// Text with a `?` for every character that a terminal could interpret, and U+FFFD for bytes that
  /// are not UTF-8.
  public var printable: [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < count {
      let character = span.character(at: index)
      if character.scalar == nil {
        result += [UInt8]("\u{FFFD}")
      } else if character.isInvisibleControl {
        result.append(UInt8(ascii: "?"))
      } else {
        result += self[index..<character.end]
      }
      index = character.end
    }
    return result
  }

  /// Text with a JSON escape for each invisible control above the space, and U+FFFD for bytes that
  /// are not UTF-8: terminals ignore both. Controls below stay, for the line ends and colours of
  /// the program's own lines; JSON already escapes them and keeps its meaning.
  public var forTerminal: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var index = 0
    while index < count {
      let character = span.character(at: index)
      if let scalar = character.scalar {
        let isObeyed = scalar > 0x20 && character.isInvisibleControl
        result += isObeyed ? jsonEscape(of: scalar)[...] : self[index..<character.end]
      } else {
        result += [UInt8]("\u{FFFD}")
      }
      index = character.end
    }
    return result
  }

  /// JSON without its line ends, which occur only between its tokens.
  public var onOneLine: [UInt8] {
    map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }

  /// Text with its ASCII letters in lower case.
  public var lowercasedASCII: [UInt8] {
    var result = self
    for index in result.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= result[index] {
      result[index] |= 0x20
    }
    return result
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII letter or digit.
  public var isLetterOrDigit: Bool {
    isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= self | 0x20
  }
  /// Whether the byte is `-` or `_`.
  public var isDashOrUnderscore: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}

extension Span<UInt8> {
  /// Whether every byte is a visible ASCII character.
  public var isVisibleASCII: Bool {
    for index in indices where self[index] <= 0x20 || self[index] >= 0x7F { return false }
    return true
  }
}

extension [UInt8] {
  /// Returns the text without the slashes at its end, but with at least `count` bytes.
  public func withoutTrailingSlashes(keeping count: Int) -> [UInt8] {
    var result = self
    while result.count > count, result.last == UInt8(ascii: "/") { result.removeLast() }
    return result
  }
}

/// Returns `\u` and four digits for a scalar of at most 16 bits, such as a control.
public func jsonEscape(of scalar: UInt32) -> [UInt8] {
  var escape = ByteBuffer(capacity: 6)
  escape.append("\\u")
  for shift: UInt32 in [12, 8, 4, 0] {
    escape.append(hexadecimalDigit: UInt8(truncatingIfNeeded: scalar >> shift) & 15)
  }
  return [UInt8](escape.bytes)
}
