/// Incremental check of UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF),
/// which detects the first wrong byte at once.
struct UTF8Validator {
  /// Number of bytes that the current scalar still needs.
  private var missingCount = 0
  /// Range of the next byte; it is narrower only for the second byte of a scalar.
  private var expected: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the text may end here.
  var isAtBoundary: Bool { missingCount == 0 }

  /// Checks the next piece. Returns false if no valid text begins with the bytes so far.
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

  /// Begins a scalar that is not ASCII with its first byte (table 3-7 of the Unicode standard).
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
  /// Returns the index of the first byte from `start` on that is not ASCII, or the end.
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
