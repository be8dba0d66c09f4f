import CText

/// Searches that compare several bytes at once: gpsd sends 13 KB in a cycle, and all messages sent
/// and received pass here.
extension Span where Element == UInt8 {
  /// Returns the first position of `byte` at or after `start`.
  public func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    precondition(start >= 0, "a place is not negative")
    guard start < count else { return nil }
    let found = unsafe withUnsafeBufferPointer { text in
      unsafe text.baseAddress.map { unsafe ctext_find($0 + start, text.count - start, byte) } ?? -1
    }
    return found < 0 ? nil : start + found
  }

  /// Returns the first position at or after `start` whose byte needs special treatment in a JSON
  /// string: a quote, a backslash, a control character or a byte that is not ASCII. Returns `count`
  /// if all bytes are plain.
  func endOfPlainJSON(from start: Int) -> Int {
    precondition(start >= 0, "a place is not negative")
    return firstMarked(from: start) { word in
      word.marks(of: UInt8(ascii: "\"")) | word.marks(of: UInt8(ascii: "\\"))
        | word.marks(below: 0x20) | word & .each(0x80)
    }
  }

  /// Returns the first position at or after `start` whose high bit `marks` sets, or `count` if
  /// there is no such position. `marks` may set wrong bits, but not before the first right one.
  private func firstMarked(from start: Int, _ marks: (UInt64) -> UInt64) -> Int {
    var index = start
    while count &- index >= 8 {
      let found = marks(word(at: index))
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < count, marks(UInt64(self[index])) & 0x80 == 0 { index += 1 }
    return index
  }

  // The callers have checked that enough bytes follow.

  func word(at index: Int) -> UInt64 {
    UInt64(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: index, as: UInt64.self))
  }
}

/// Eight bytes. The subtraction borrows from the next byte for each byte that is too small, so
/// marks after the first such byte may be wrong.
extension UInt64 {
  fileprivate static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  fileprivate func marks(of byte: UInt8) -> UInt64 { (self ^ .each(byte)).marks(below: 1) }

  /// Returns marks of the bytes below `limit`, which is at most 0x80.
  fileprivate func marks(below limit: UInt8) -> UInt64 {
    (self &- .each(limit)) & ~self & .each(0x80)
  }
}

// `== nil` for values that can be compared: the standard library's compares with a whole value that
// is nil, which is code of dozens of bytes at each of 400 places.
extension Optional where Wrapped: Equatable {
  @_transparent
  package static func == (value: Wrapped?, none: _OptionalNilComparisonType) -> Bool {
    if case .none = value { true } else { false }
  }

  @_transparent
  package static func != (value: Wrapped?, none: _OptionalNilComparisonType) -> Bool {
    if case .none = value { false } else { true }
  }
}
