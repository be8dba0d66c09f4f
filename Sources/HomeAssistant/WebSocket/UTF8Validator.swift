/// Checks UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) that comes in
/// pieces, and knows the first wrong byte as soon as it is there.
struct UTF8Validator {
  /// How many bytes of the scalar under way are still to come.
  private var missingCount = 0
  /// What the next of them may be; only the second byte of a scalar is ever narrowed.
  private var expected: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the text may end here.
  var isAtBoundary: Bool { missingCount == 0 }

  /// Takes the next piece; false where no text can begin like this.
  mutating func accept(_ piece: Span<UInt8>) -> Bool {
    var index = 0
    while index < piece.count {
      if missingCount == 0 {
        index = piece.endOfASCII(from: index)
        guard index < piece.count else { break }
        guard begin(with: piece[index]) else { return false }
      } else {
        guard expected.contains(piece[index]) else { return false }
        expected = 0x80...0xBF
        missingCount -= 1
      }
      index += 1
    }
    return true
  }

  /// The first byte of a scalar that is not ASCII (table 3-7 of the Unicode standard).
  private mutating func begin(with byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: missingCount = 1
    case 0xE0: (missingCount, expected) = (2, 0xA0...0xBF)
    case 0xED: (missingCount, expected) = (2, 0x80...0x9F)
    case 0xE1...0xEF: missingCount = 2
    case 0xF0: (missingCount, expected) = (3, 0x90...0xBF)
    case 0xF1...0xF3: missingCount = 3
    case 0xF4: (missingCount, expected) = (3, 0x80...0x8F)
    default: return false
    }
    return true
  }
}

extension Span where Element == UInt8 {
  /// The index of the first byte from `start` on that is not ASCII, or the end.
  fileprivate func endOfASCII(from start: Int) -> Int {
    var index = start
    while count - index >= 8,
      unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        & 0x8080_8080_8080_8080 == 0
    { index += 8 }
    while index < count, self[index] < 0x80 { index += 1 }
    return index
  }
}
