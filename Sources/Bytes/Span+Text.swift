import CText

extension Span where Element == UInt8 {
  /// Whether both have the same bytes.
  public func elementsEqual(_ other: Span<UInt8>) -> Bool {
    count == other.count && starts(with: other)
  }

  /// Whether the bytes equal those of a literal.
  public func elementsEqual(_ text: StaticString) -> Bool { elementsEqual(text.bytes) }

  /// Whether the bytes begin with a literal.
  public func starts(with text: StaticString) -> Bool { starts(with: text.bytes) }

  /// Whether the bytes begin with those of `other`.
  public func starts(with other: Span<UInt8>) -> Bool {
    guard count >= other.count else { return false }
    return unsafe withUnsafeBufferPointer { text in
      unsafe other.withUnsafeBufferPointer { other in
        guard let text = text.baseAddress, let start = other.baseAddress else { return true }
        return unsafe ctext_is_equal(text, start, other.count)
      }
    }
  }

  /// Whether `part` occurs in the bytes.
  public func contains(_ part: Span<UInt8>) -> Bool {
    guard !part.isEmpty else { return !isEmpty }
    var start = 0
    while let index = firstIndex(of: part[0], from: start) {
      if extracting(index...).starts(with: part) { return true }
      start = index + 1
    }
    return false
  }

  /// Whether a literal occurs in the bytes.
  public func contains(_ text: StaticString) -> Bool { contains(text.bytes) }

  /// Returns the first position with a different byte; nil if one begins with the other.
  @inline(never)
  public func firstDifference(from other: Span<UInt8>) -> Int? {
    let end = Swift.min(count, other.count)
    var index = 0
    while end >= 8, index < end {
      // The last word begins with bytes that have already been compared.
      index = Swift.min(index, end &- 8)
      let difference = word(at: index) ^ other.word(at: index)
      if difference != 0 { return index &+ difference.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, self[index] == other[index] { index &+= 1 }
    return index < end ? index : nil
  }

  /// Bytes as one number, for a fast comparison of short words: different words have different
  /// numbers. Nil if there are more than eight bytes, or the first is 0.
  public var packed: UInt64? {
    guard count <= 8, count == 0 || self[0] != 0 else { return nil }
    var number: UInt64 = 0
    for index in indices { number = number << 8 | UInt64(self[index]) }
    return number
  }

  /// Returns the bytes without spaces, tabs and line ends at both ends.
  @_lifetime(copy self)
  public func trimmed() -> Span<UInt8> {
    var start = 0
    var end = count
    while start < end, self[start].isASCIISpace { start += 1 }
    while end > start, self[end - 1].isASCIISpace { end -= 1 }
    return extracting(start..<end)
  }

  /// Whether the bytes equal `lowercase`, which has no capital letters, in either case.
  public func elementsEqualIgnoringCase(_ lowercase: StaticString) -> Bool {
    let literal = lowercase.bytes
    guard count == literal.count else { return false }
    for index in indices where self[index].asciiLowercased != literal[index] { return false }
    return true
  }
}

extension StaticString {
  /// UTF-8 of the literal, which lives as long as the program.
  public var bytes: Span<UInt8> {
    @_lifetime(immortal) get {
      assert(hasPointerRepresentation, "a literal in quotes has its bytes in memory")
      // Not `utf8Start`, which checks the same in what ships, too: as nothing there asks for the
      // kind of a literal, no call passes it. That takes 1 % off the program.
      let (start, count, _) = unsafe unsafeBitCast(
        self, to: (start: UnsafePointer<UInt8>, count: Int, kind: UInt8).self)
      return unsafe _overrideLifetime(
        UnsafeBufferPointer(start: start, count: count).span, copying: ())
    }
  }
}

extension UInt8 {
  /// Whether the byte is a space, a tab, or a line end of ASCII.
  public var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  /// Whether the byte is an ASCII digit.
  public var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  /// Lower case of an ASCII letter; other bytes unchanged.
  public var asciiLowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

extension Array where Element == UInt8 {
  /// Creates the UTF-8 of a literal.
  public init(_ text: StaticString) { self.init(text.bytes) }

  /// Copies the bytes.
  public init(_ bytes: Span<UInt8>) {
    unsafe self = bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Creates what `write` appends to a buffer of this capacity.
  // Called, not inlined: each call would make a buffer and free it.
  @inline(never)
  public init(byteCountMax: Int, _ write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer(capacity: byteCountMax)
    write(&buffer)
    self.init(buffer.bytes)
  }
}
