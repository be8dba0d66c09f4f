import Bytes
import CSodium

@testable import HomeAssistant

/// The envelope as libsodium itself makes and opens it, beside the code under test.
enum Oracle {
  static let keyBytes = [UInt8](0..<32)
  static let nonceBytes = [UInt8](100..<124)

  static func seal(_ message: [UInt8], key: [UInt8] = keyBytes) -> [UInt8] {
    var box = [UInt8](repeating: 0, count: message.count + 16)
    unsafe crypto_secretbox_easy(&box, message, UInt64(message.count), nonceBytes, key)
    return nonceBytes + box
  }

  static func open(_ box: [UInt8]) -> [UInt8]? {
    guard box.count >= 40 else { return nil }
    var message = [UInt8](repeating: 0, count: box.count - 40)
    let result = unsafe crypto_secretbox_open_easy(
      &message, [UInt8](box[24...]), UInt64(box.count - 24), [UInt8](box[..<24]), keyBytes)
    return result == 0 ? message : nil
  }

  static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let variant = Int32(sodium_base64_VARIANT_ORIGINAL)
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    unsafe sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    return text.dropLast().map { UInt8(bitPattern: $0) }
  }

  /// Nil where the text is not Base64 with all of its padding.
  static func bytes(base64 text: [UInt8]) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: text.count)
    var count = 0
    let characters = text.map { CChar(bitPattern: $0) }
    let result = unsafe sodium_base642bin(
      &bytes, bytes.count, characters, characters.count, nil, &count, nil,
      Int32(sodium_base64_VARIANT_ORIGINAL))
    return result == 0 ? [UInt8](bytes[..<count]) : nil
  }

  /// An answer of Home Assistant to a sealed message.
  static func answer(_ message: [UInt8], key: [UInt8] = keyBytes) -> [UInt8] {
    [UInt8](#"{"encrypted":true,"encrypted_data":""#) + base64(seal(message, key: key))
      + [UInt8](#""}"#)
  }
}

extension SecretKey {
  /// A key from its 32 bytes.
  init?(_ bytes: [UInt8]) {
    var digits = ByteBuffer(capacity: 64)
    digits.append(hexadecimal: bytes.span)
    self.init(hexadecimal: digits.bytes)
  }
}

extension Registration {
  /// The digits of its key; nothing of a plain one.
  func append(keyTo buffer: inout ByteBuffer) {
    if case .sealed(let key) = protection { key.append(to: &buffer) }
  }
}

extension Nonce {
  init(_ bytes: [UInt8]) {
    var nonce = InlineArray<24, UInt8>(repeating: 0)
    for index in 0..<24 { nonce[index] = bytes[index] }
    self.init(randomBytes: nonce)
  }
}

func buffer(of bytes: [UInt8], capacity: Int = 256 * 1024) -> ByteBuffer {
  var buffer = ByteBuffer(capacity: capacity)
  buffer.append(bytes)
  return buffer
}

func buffer(of text: String) -> ByteBuffer { buffer(of: [UInt8](text.utf8)) }

func text(of buffer: borrowing ByteBuffer) -> String {
  String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
}

/// What `write` writes into an empty buffer.
func written(_ write: (inout ByteBuffer) -> Void) -> String {
  var buffer = ByteBuffer(capacity: 64 * 1024)
  write(&buffer)
  return text(of: buffer)
}

/// What is left of a text, from none of it to all but its last byte.
func truncations(of bytes: [UInt8]) -> [[UInt8]] { bytes.indices.map { [UInt8](bytes[..<$0]) } }

/// A text with each of its bits flipped in turn.
func flips(of bytes: [UInt8]) -> [[UInt8]] {
  bytes.indices.flatMap { index in
    (0..<8).map { bit in
      var flipped = bytes
      flipped[index] ^= 1 << bit
      return flipped
    }
  }
}

/// The value of a JSON text.
func json(_ text: String) throws -> JSON {
  let bytes = [UInt8](text.utf8)
  return try JSON(parsing: bytes.span)
}

/// What a JSON text decodes to.
func decode<Value: JSONDecodable>(_ text: String, as: Value.Type = Value.self) throws -> Value {
  let bytes = [UInt8](text.utf8)
  return try Value(decoding: bytes.span)
}

func time(_ text: StaticString) -> WallTime {
  let bytes = [UInt8](text)
  guard let time = WallTime(iso8601: bytes.span) else { preconditionFailure("\(text)") }
  return time
}
