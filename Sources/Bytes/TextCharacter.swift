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

/// Returns the UTF-8 of a scalar; that of U+FFFD for a surrogate.
public func utf8(of scalar: UInt32) -> UTF8.EncodedScalar {
  Unicode.Scalar(scalar).flatMap { UTF8.encode($0) } ?? UTF8.encodedReplacementCharacter
}

extension Span<UInt8> {
  /// Returns the length of the UTF-8 scalar at `index`, or 0 if it is invalid (RFC 3629, table 3-7
  /// of the Unicode standard: no overlong forms, no surrogates).
  public func lengthOfScalar(at index: Int) -> Int {
    // The first byte gives the length; E0, ED, F0 and F4 also restrict the second.
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch self[index] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard index + length <= count, second.contains(self[index + 1]) else { return 0 }
    for next in index + 2..<index + length where self[next] & 0xC0 != 0x80 { return 0 }
    return length
  }

  /// Whether the bytes are UTF-8 (RFC 3629).
  public var isUTF8: Bool {
    var index = endOfASCII(from: 0)
    while index < count {
      let length = lengthOfScalar(at: index)
      guard length > 0 else { return false }
      index = endOfASCII(from: index + length)
    }
    return true
  }

  /// Returns the index of the first byte from `start` on that is not ASCII, or the end.
  private func endOfASCII(from start: Int) -> Int {
    var index = start
    while count - index >= 8,
      unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        & 0x8080_8080_8080_8080 == 0
    { index += 8 }
    while index < count, self[index] < 0x80 { index += 1 }
    return index
  }

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
    forEachCharacter { _, _ in characterCount += 1 }
    return characterCount
  }

  /// Whether the text contains an invisible control.
  public var hasInvisibleControl: Bool {
    var hasControl = false
    forEachCharacter { character, _ in hasControl = hasControl || character.isInvisibleControl }
    return hasControl
  }

  /// Text with a `?` for every character that a terminal could interpret, and U+FFFD for bytes that
  /// are not UTF-8.
  public var printable: [UInt8] {
    replacing { $0.isInvisibleControl ? [UInt8(ascii: "?")] : nil }
  }

  /// Text with a JSON escape for each invisible control above the space, and U+FFFD for bytes that
  /// are not UTF-8: terminals ignore both. Controls below stay, for the line ends and colours of
  /// the program's own lines; JSON already escapes them and keeps its meaning.
  public var forTerminal: [UInt8] {
    replacing { character in
      guard let scalar = character.scalar, scalar > 0x20, character.isInvisibleControl else {
        return nil
      }
      return jsonEscape(of: scalar)
    }
  }

  private func replacing(_ replacement: (TextCharacter) -> [UInt8]?) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    forEachCharacter { character, start in
      if character.scalar == nil {
        result += [UInt8]("\u{FFFD}")
      } else if let replacement = replacement(character) {
        result += replacement
      } else {
        result += self[start..<character.end]
      }
    }
    return result
  }

  private func forEachCharacter(_ body: (_ character: TextCharacter, _ start: Int) -> Void) {
    var start = 0
    while start < count {
      let character = span.character(at: start)
      body(character, start)
      start = character.end
    }
  }

  /// JSON without its line ends, which occur only between its tokens.
  public var onOneLine: [UInt8] {
    map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }

  /// Text with its ASCII letters in lower case.
  public var lowercasedASCII: [UInt8] { map { $0.asciiLowercased } }
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
