/// Searches that look at several bytes at once: gpsd says 13 KB in a cycle, and all that is sent or
/// answered passes here.
extension Span where Element == UInt8 {
  /// The first place of `byte` at or after `start`.
  public func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    precondition(start >= 0, "a place is not negative")
    var index = start
    // A line is longer than a few words. Four of them at a time, until one holds the byte.
    while count &- index >= 32, !fourWords(at: index).holds(byte) { index &+= 32 }
    index = firstMarked(from: index) { word in word.marks(of: byte) }
    return index < count ? index : nil
  }

  /// The first place at or after `start` whose byte needs a closer look in the text of a JSON
  /// string: a quote, a backslash, a control character or a byte that is not ASCII; `count` where
  /// all are plain.
  func endOfPlainJSON(from start: Int) -> Int {
    precondition(start >= 0, "a place is not negative")
    return firstMarked(from: start) { word in
      word.marks(of: UInt8(ascii: "\"")) | word.marks(of: UInt8(ascii: "\\"))
        | word.marks(below: 0x20) | word & .each(0x80)
    }
  }

  /// The first place at or after `start` whose high bit `marks` sets; `count` where it sets none.
  /// It may set more of them than it should, but none before the first.
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

  // The callers have made sure that there are as many bytes.

  private func word(at index: Int) -> UInt64 {
    UInt64(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: index, as: UInt64.self))
  }

  private func fourWords(at index: Int) -> SIMD4<UInt64> {
    unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD4<UInt64>.self)
  }
}

/// Eight bytes. Subtracting from each byte borrows the high bit of one that is too small; what is
/// marked after the first such byte may be wrong, for that borrowed from it.
extension UInt64 {
  fileprivate static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  fileprivate func marks(of byte: UInt8) -> UInt64 { (self ^ .each(byte)).marks(below: 1) }

  /// The bytes below `limit`, which is at most 0x80.
  fileprivate func marks(below limit: UInt8) -> UInt64 {
    (self &- .each(limit)) & ~self & .each(0x80)
  }
}

extension SIMD4<UInt64> {
  fileprivate func holds(_ byte: UInt8) -> Bool {
    let differences = self ^ SIMD4(repeating: .each(byte))
    let marks = (differences &- UInt64.each(1)) & ~differences & UInt64.each(0x80)
    return marks.x | marks.y | marks.z | marks.w != 0
  }
}
