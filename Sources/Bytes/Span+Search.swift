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
  // Inlined: most keys end in their first word.
  @inline(__always)
  func endOfPlainJSON(from start: Int) -> Int {
    precondition(start >= 0, "a place is not negative")
    guard count &- start >= 8 else { return endOfPlainBytes(from: start) }
    let found = word(at: start).marksOfSpecialJSON
    return found != 0 ? start &+ found.trailingZeroBitCount / 8 : endOfPlainWords(from: start &+ 8)
  }

  @inline(never)
  private func endOfPlainWords(from start: Int) -> Int {
    var index = start
    while count &- index >= 8 {
      let found = word(at: index).marksOfSpecialJSON
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    return endOfPlainBytes(from: index)
  }

  private func endOfPlainBytes(from start: Int) -> Int {
    var index = start
    while index < count, UInt64(self[index]).marksOfSpecialJSON & 0x80 == 0 { index += 1 }
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
  /// Marks, in the high bits, of the bytes that `endOfPlainJSON` looks for.
  @inline(__always)
  fileprivate var marksOfSpecialJSON: UInt64 {
    marks(of: UInt8(ascii: "\"")) | marks(of: UInt8(ascii: "\\")) | marks(below: 0x20)
      | self & .each(0x80)
  }

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
