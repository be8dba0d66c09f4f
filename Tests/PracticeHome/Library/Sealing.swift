import CSodium

/// XSalsa20-Poly1305 with the key of one registration: nonce, authenticator and ciphertext in
/// one Base64 text.
struct SealingKey: Sendable, Equatable {
  static let byteCount = 32
  static let nonceByteCount = 24
  static let authenticatorByteCount = 16

  /// Why an envelope stays shut.
  enum Failure: Error, Equatable {
    case base64(String)
    case tooShort
    case wrongKey
  }

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "a key has 32 bytes")
    self.bytes = bytes
  }

  /// The key as Home Assistant hands it out: 64 hexadecimal digits.
  init(secret: String) {
    let digits = Array(secret.utf8)
    precondition(digits.count == 2 * Self.byteCount, "a secret has 64 digits")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    for index in 0..<Self.byteCount {
      bytes.append(Self.value(digits[2 * index]) << 4 | Self.value(digits[2 * index + 1]))
    }
    self.init(bytes)
  }

  private static func value(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: 0
    }
  }

  /// What clients made of the secret before 2022: its first 32 digits as they stand.
  init(legacySecret secret: String) { self.init(Array(secret.utf8.prefix(Self.byteCount))) }

  func open(_ text: String) throws(Failure) -> [UInt8] {
    let envelope: [UInt8]
    do throws(Base64.Failure) { envelope = try Base64.decode(text) } catch {
      throw .base64(Self.describe(error, text))
    }
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

  private static func describe(_ failure: Base64.Failure, _ text: String) -> String {
    if text.utf8.contains(UInt8(ascii: "-")) || text.utf8.contains(UInt8(ascii: "_")) {
      return "encrypted_data is in the URL-safe Base64 alphabet, the standard one is needed"
    }
    switch failure {
    case .incorrectPadding: return "encrypted_data is Base64 without its padding (=)"
    case .oneCharacterTooMany: return "encrypted_data is cut-off Base64"
    case .notASCII: return "encrypted_data is not Base64"
    }
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
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
  }
}
