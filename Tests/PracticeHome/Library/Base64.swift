/// Base64 as Python reads it: characters outside the standard alphabet are skipped, and what is
/// left must be padded. That is why newlines are tolerated while the URL-safe alphabet and
/// unpadded text fail: `-` and `_` vanish and leave a length that is no multiple of four.
enum Base64 {
  enum Failure: Error {
    case incorrectPadding
    case oneCharacterTooMany
    case notASCII
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  static func decode(_ text: String) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    var place = 0
    var padding = 0
    var carry: UInt8 = 0
    for byte in text.utf8 {
      if byte >= 0x80 { throw .notASCII }
      if byte == UInt8(ascii: "=") {
        padding += 1
        // The quad is complete; whatever follows is not even looked at.
        if place >= 2 && place + padding >= 4 { return output }
        continue
      }
      guard let value = values[Int(byte)] else { continue }
      padding = 0
      switch place {
      case 0: carry = value
      case 1:
        output.append(carry << 2 | value >> 4)
        carry = value & 0x0F
      case 2:
        output.append(carry << 4 | value >> 2)
        carry = value & 0x03
      default: output.append(carry << 6 | value)
      }
      place = (place + 1) % 4
    }
    if place == 1 { throw .oneCharacterTooMany }
    if place != 0 { throw .incorrectPadding }
    return output
  }

  static func encode(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    var start = 0
    while start < bytes.count {
      let count = min(3, bytes.count - start)
      var bits = UInt32(bytes[start]) << 16
      if count > 1 { bits |= UInt32(bytes[start + 1]) << 8 }
      if count > 2 { bits |= UInt32(bytes[start + 2]) }
      output.append(alphabet[Int(bits >> 18)])
      output.append(alphabet[Int(bits >> 12 & 0x3F)])
      output.append(count > 1 ? alphabet[Int(bits >> 6 & 0x3F)] : UInt8(ascii: "="))
      output.append(count > 2 ? alphabet[Int(bits & 0x3F)] : UInt8(ascii: "="))
      start += 3
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// In the alphabet of addresses, without padding.
  static func encodeForAddress(_ bytes: [UInt8]) -> String {
    String(encode(bytes).compactMap { $0 == "=" ? nil : $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }
}
