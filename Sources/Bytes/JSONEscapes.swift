/// Returns the byte for which `\` and `byte` stand; nil for `u` and for bytes that are no escape.
func escapedControl(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return byte
  case UInt8(ascii: "b"): return 0x08
  case UInt8(ascii: "f"): return 0x0C
  case UInt8(ascii: "n"): return 0x0A
  case UInt8(ascii: "r"): return 0x0D
  case UInt8(ascii: "t"): return 0x09
  default: return nil
  }
}

/// Appends `raw` without escapes. `JSONReader.text()` has checked that each escape is complete.
func appendUnescaped(_ raw: Span<UInt8>, to buffer: inout ByteBuffer) {
  var index = 0
  while index < raw.count {
    guard raw[index] == UInt8(ascii: "\\") else {
      buffer.append(raw[index])
      index += 1
      continue
    }
    if let control = escapedControl(raw[index + 1]) {
      buffer.append(control)
      index += 2
      continue
    }
    let (scalar, length) = scalarOfEscape(raw, at: index)
    for byte in utf8(of: scalar) { buffer.append(byte) }
    index += length
  }
}

/// Returns the scalar of `\uXXXX`, or of a surrogate pair, and the length of the escape.
private func scalarOfEscape(_ raw: Span<UInt8>, at index: Int) -> (UInt32, Int) {
  func unit(_ start: Int) -> UInt32? {
    guard start + 6 <= raw.count, raw[start] == UInt8(ascii: "\\"),
      raw[start + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt32 = 0
    for offset in 2..<6 {
      unit = unit << 4 | UInt32(hexadecimalValue(of: raw[start + offset]) ?? 0)
    }
    return unit
  }
  guard let first = unit(index) else { return (0xFFFD, 2) }
  guard (0xD800..<0xDC00).contains(first), let second = unit(index + 6),
    (0xDC00..<0xE000).contains(second)
  else { return (first, 6) }
  return (0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), 12)
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
