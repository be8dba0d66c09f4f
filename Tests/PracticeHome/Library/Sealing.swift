import CSodium

/// XSalsa20-Poly1305 with the key of one registration: nonce, authenticator and ciphertext in
/// one Base64 text.
struct SealingKey: Sendable, Equatable {
  static let byteCount = 32
  static let nonceByteCount = 24
  static let authenticatorByteCount = 16

  /// Why an envelope stays shut.
  enum Failure: String, Error {
    case base64 = "is not Base64 of the standard alphabet with its padding (=)"
    case tooShort = "is too short for a nonce and an authenticator"
    case wrongKey = "does not open with the secret of this registration"
  }

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "a key has 32 bytes")
    self.bytes = bytes
  }

  /// The key as Home Assistant hands it out: 64 hexadecimal digits.
  init(secret: String) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    let digitCount = secret.utf8.count
    let status = unsafe sodium_hex2bin(&bytes, bytes.count, secret, digitCount, nil, nil, nil)
    precondition(status == 0 && digitCount == 2 * Self.byteCount, "a secret has 64 digits")
    self.init(bytes)
  }

  /// What clients made of the secret before 2022: its first 32 digits as they stand.
  init(legacySecret secret: String) { self.init(Array(secret.utf8.prefix(Self.byteCount))) }

  func open(_ text: String) throws(Failure) -> [UInt8] {
    guard let envelope = Base64.decode(text) else { throw .base64 }
    let overhead = Self.nonceByteCount + Self.authenticatorByteCount
    guard envelope.count >= overhead else { throw .tooShort }
    let sealed = Array(envelope[Self.nonceByteCount...])
    var plain = [UInt8](repeating: 0, count: envelope.count - overhead)
    let status = unsafe crypto_secretbox_open_easy(
      &plain, sealed, UInt64(sealed.count), Array(envelope.prefix(Self.nonceByteCount)), bytes)
    guard status == 0 else { throw .wrongKey }
    return plain
  }

  func seal(_ plain: [UInt8], nonce: [UInt8]) -> String {
    precondition(nonce.count == Self.nonceByteCount, "a nonce has 24 bytes")
    var sealed = [UInt8](repeating: 0, count: plain.count + Self.authenticatorByteCount)
    let status = unsafe crypto_secretbox_easy(
      &sealed, plain, UInt64(plain.count), nonce, bytes)
    precondition(status == 0, "sealing cannot fail")
    return Base64.encode(nonce + sealed)
  }
}

/// Base64 as Python reads it: characters outside the standard alphabet are skipped, and what is
/// left must be padded. That is why newlines are tolerated while the URL-safe alphabet and
/// unpadded text fail: `-` and `_` vanish and leave a length that is no multiple of four.
enum Base64 {
  private static let skipped = String(
    decoding: (1..<0x80 as Range<UInt8>).filter { byte in
      let character = Character(Unicode.Scalar(byte))
      return !(character.isLetter || character.isNumber || "+/=".contains(character))
    }, as: UTF8.self)

  static func decode(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: text.utf8.count)
    var count = 0
    // What follows the padding is not even looked at.
    var end: UnsafePointer<CChar>?
    let status = unsafe sodium_base642bin(
      &bytes, bytes.count, text, text.utf8.count, skipped, &count, &end,
      sodium_base64_VARIANT_ORIGINAL)
    return status == 0 ? Array(bytes.prefix(count)) : nil
  }

  static func encode(_ bytes: [UInt8]) -> String {
    let variant = sodium_base64_VARIANT_ORIGINAL
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    _ = unsafe sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Random bytes from the system. The core gets them as an argument, so tests can be exact.
@Sendable public func systemRandom(byteCount: Int) -> [UInt8] {
  precondition(sodium_init() >= 0, "libsodium cannot start")
  var bytes = [UInt8](repeating: 0, count: byteCount)
  unsafe randombytes_buf(&bytes, byteCount)
  return bytes
}

extension Sequence<UInt8> {
  /// Two lower-case digits a byte.
  var hexadecimal: String { map { $0.padded(to: 2, radix: 16) }.joined() }
}
