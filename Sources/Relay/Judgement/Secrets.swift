import Bytes
import CSodium

/// Secret of a board, with which it fetches its notifications. It is shown once, when it is made; a
/// relay keeps digests only.
///
/// Home Assistant gets another secret, which is computed of this one: it can send, and neither
/// fetch nor acknowledge.
struct BoardToken: Equatable, Sendable {
  static let byteCount = 32
  /// Characters of Base64 for URLs, without padding.
  let text: String

  /// Makes a token of random bytes, of which there are `byteCount`.
  init(random bytes: [UInt8]) { text = base64URL(bytes) }

  /// Creates a token of its text; returns nil if it is no token.
  init?(_ text: String) {
    guard text.utf8.count == (Self.byteCount * 8 + 5) / 6,
      text.utf8.allSatisfy({ $0.isLetterOrDigit || $0.isDashOrUnderscore })
    else { return nil }
    self.text = text
  }

  static func random() -> BoardToken {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    unsafe randombytes_buf(&bytes, bytes.count)
    return BoardToken(random: bytes)
  }

  /// Value of `push_token` in the board's registration: what Home Assistant sends with each
  /// notification.
  var pushToken: String {
    base64URL(blake2b("homeward relay: push token\n", Array(text.utf8)))
  }

  var fetchDigest: Digest { Digest(of: Array(text.utf8)) }
  var pushDigest: Digest { Digest(of: Array(pushToken.utf8)) }
}

/// Hash of a secret, which finds a board and does not contain the secret.
struct Digest: Hashable {
  let bytes: [UInt8]
  init(of secret: [UInt8]) { bytes = blake2b("homeward relay: digest\n", secret) }
}

/// Key to which a board's notifications are sealed (`Sealer`). Only the board has the other half.
struct PublicKey: Hashable {
  let bytes: [UInt8]

  /// Creates a key of its bytes; returns nil if their number is wrong.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Int(crypto_box_PUBLICKEYBYTES) else { return nil }
    self.bytes = bytes
  }

  /// Reads padded Base64.
  init?(base64 text: [UInt8]) {
    var bytes = text
    let whole = 0..<bytes.count
    var span = bytes.mutableSpan
    guard let count = Base64.decode(&span, in: whole) else { return nil }
    self.init(Array(bytes[..<count]))
  }

  /// Seals a message, so that not even this process can open it again; nil for a key with which
  /// nothing can be sealed.
  func seal(_ message: [UInt8]) -> [UInt8]? {
    var sealed = [UInt8](repeating: 0, count: message.count + crypto_box_sealbytes())
    let status = unsafe crypto_box_seal(&sealed, message, UInt64(message.count), bytes)
    return status == 0 ? sealed : nil
  }
}

/// Hash of bytes for one purpose.
private func blake2b(_ purpose: StaticString, _ bytes: [UInt8]) -> [UInt8] {
  var hash = [UInt8](repeating: 0, count: 32)
  let input = [UInt8](purpose) + bytes
  unsafe csodium_hash(&hash, hash.count, input, input.count)
  return hash
}

private func base64URL(_ bytes: [UInt8]) -> String {
  var text = [CChar](repeating: 0, count: (bytes.count * 8 + 5) / 6 + 1)
  unsafe csodium_base64url(&text, text.count, bytes, bytes.count)
  return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
