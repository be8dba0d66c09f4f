import Bytes

/// Number encodings of the spool's format.
extension ByteBuffer {
  mutating func append(littleEndian number: Double) { append(littleEndian: number.bitPattern) }

  /// Appends a number in groups of seven bits, the lowest first; all but the last have the high
  /// bit set (LEB128).
  mutating func append(groups number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Reads fields one after the other; returns nil if there are too few bytes.
struct FieldReader: ~Escapable {
  private var rest: Span<UInt8>

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// Unread bytes.
  var remaining: Span<UInt8> {
    @_lifetime(copy self) get { rest }
  }

  mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
    let size = MemoryLayout<Integer>.size
    guard rest.count >= size else { return nil }
    var number: Integer = 0
    for index in (0..<size).reversed() {
      number = number << 8 | Integer(truncatingIfNeeded: rest[index])
    }
    rest = rest.extracting(size...)
    return number
  }

  /// Reads a finite number; nil for others, which the agent never writes.
  mutating func double() -> Double? {
    guard let pattern = integer(UInt64.self) else { return nil }
    let number = Double(bitPattern: pattern)
    return number.isFinite ? number : nil
  }

  mutating func bytes(count: Int) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.extracting(count...) }
    return [UInt8](rest.extracting(..<count))
  }

  mutating func groups() -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = integer(UInt8.self) {
      let group = UInt64(byte & 0x7F)
      guard shift < 63 || (shift == 63 && group <= 1) else { return nil }
      number |= group << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }
}
