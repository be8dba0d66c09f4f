// Text as bytes: what the configuration's reading and the messages ask of it beyond `Bytes`.

/// One character (a Unicode scalar) of a text, or one byte that belongs to none.
public struct TextCharacter {
  /// nil where the text is not UTF-8.
  public let scalar: UInt32?
  /// Where the next one begins.
  public let end: Int

  /// Control characters, line separators, and the marks that turn the direction of writing: in a
  /// name they are a mistake, and in a message they could hide what it says.
  public var isInvisibleControl: Bool {
    guard let scalar else { return false }
    return switch scalar {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}

extension Span<UInt8> {
  // Called wherever text is judged; inlined there it would be most of each caller.
  /// The character that begins at `index`.
  @inline(never)
  public func character(at index: Int) -> TextCharacter {
    let length = lengthOfScalar(at: index)
    guard length > 0 else { return TextCharacter(scalar: nil, end: index + 1) }
    // The first byte of several begins with as many ones and a zero.
    var scalar = UInt32(length == 1 ? self[index] : self[index] & (0x7F >> UInt8(length)))
    for offset in index + 1..<index + length {
      scalar = scalar << 6 | UInt32(self[offset] & 0x3F)
    }
    return TextCharacter(scalar: scalar, end: index + length)
  }

  /// The value of plain decimal digits; nil for anything else, and when it does not fit.
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
  /// Bytes that are not UTF-8 count one each.
  public var characterCount: Int {
    var characterCount = 0
    var index = 0
    while index < count {
      index = span.character(at: index).end
      characterCount += 1
    }
    return characterCount
  }

  /// Whether a character of the text is an invisible control.
  public var hasInvisibleControl: Bool {
    var index = 0
    while index < count {
      let character = span.character(at: index)
      if character.isInvisibleControl { return true }
      index = character.end
    }
    return false
  }

  /// The text with a `?` for every character that a terminal could obey, and U+FFFD for what is
  /// not UTF-8.
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

  /// The text with an escape as in JSON for each invisible control above the space, and U+FFFD for
  /// what is not UTF-8: no terminal obeys them. Those below stay, with which lines of our own end
  /// and are coloured; JSON has escapes for them already, and says the same as before.
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

  /// JSON without its line ends, which stand between its words only.
  public var onOneLine: [UInt8] {
    map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }

  /// ASCII letters in lower case, everything else as it is.
  public var lowercasedASCII: [UInt8] {
    var result = self
    for index in result.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= result[index] {
      result[index] |= 0x20
    }
    return result
  }
}

extension UInt8 {
  /// Whether this is a letter or a digit of ASCII.
  public var isLetterOrDigit: Bool {
    isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= self | 0x20
  }
  /// Whether this is `-` or `_`.
  public var isDashOrUnderscore: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}

extension Span<UInt8> {
  /// Whether every byte is a character of ASCII that can be seen.
  public var isVisibleASCII: Bool {
    for index in indices where self[index] <= 0x20 || self[index] >= 0x7F { return false }
    return true
  }
}

extension [UInt8] {
  /// The text without the slashes at its end, but with `count` bytes at least.
  public func withoutTrailingSlashes(keeping count: Int) -> [UInt8] {
    var result = self
    while result.count > count, result.last == UInt8(ascii: "/") { result.removeLast() }
    return result
  }
}

/// `\u` and four digits for a scalar of at most 16 bits, such as a control.
public func jsonEscape(of scalar: UInt32) -> [UInt8] {
  var escape = ByteBuffer(capacity: 6)
  escape.append("\\u")
  for shift: UInt32 in [12, 8, 4, 0] {
    escape.append(hexadecimalDigit: UInt8(truncatingIfNeeded: scalar >> shift) & 15)
  }
  return [UInt8](escape.bytes)
}
