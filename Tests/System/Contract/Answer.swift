import CSodium
import Foundation

/// What one webhook message came back with: the classes that a client must tell apart, because
/// the status alone proves nothing.
enum Answer: Equatable, Sendable {
  /// An envelope that opens with the registration's key, and what was in it.
  case sealed(Int, JSON)
  /// An envelope that does not open with the registration's key.
  case unreadable(Int)
  /// JSON in clear.
  case plain(Int, JSON)
  /// Not a byte.
  case nothing(Int)
  /// Anything else.
  case other(Response)

  /// 200 and `{}`: stored, or dropped without a word. Which of them, the answer does not tell.
  static let emptyObject = Answer.plain(200, [:])
  /// 200 without a byte: no device has this address, or the handler failed.
  static let nobody = Answer.nothing(200)
  /// The body was not JSON.
  static let invalidJSON = Answer.plain(400, [:])

  init(_ response: Response, openedWith box: Secretbox?) {
    if response.body.isEmpty {
      self = .nothing(response.status)
    } else if response.contentType?.hasPrefix("application/json") == true, let json = response.json
    {
      self.init(response.status, json, openedWith: box)
    } else {
      self = .other(response)
    }
  }

  private init(_ status: Int, _ json: JSON, openedWith box: Secretbox?) {
    guard json["encrypted"] == true, case .string(let text) = json["encrypted_data"] else {
      self = .plain(status, json)
      return
    }
    let content = box?.open(text).flatMap(JSON.init(parsing:))
    self = content.map { .sealed(status, $0) } ?? .unreadable(status)
  }

  /// The code of a refusal such as `{"success":false,"error":{"code":…}}`.
  var errorCode: String? {
    guard case .plain(_, let json) = self else { return nil }
    return json["error"]["code"].text
  }

  /// What was in the envelope, or `.absent`.
  var content: JSON {
    guard case .sealed(_, let json) = self else { return .absent }
    return json
  }
}

/// Sealing as Home Assistant does it, straight from libsodium: `nonce[24] || mac[16] || ciphertext`
/// under XSalsa20-Poly1305, in Base64 of the standard alphabet with padding.
struct Secretbox: Sendable {
  let key: [UInt8]

  private static let nonceBytes = Int(crypto_secretbox_NONCEBYTES)
  private static let macBytes = Int(crypto_secretbox_MACBYTES)
  private static let keyBytes = Int(crypto_secretbox_KEYBYTES)

  /// The key that a registration's secret spells in hexadecimal, or nil when it is no such thing.
  init?(secret: String) {
    let digits = Array(secret)
    guard digits.count == 2 * Self.keyBytes else { return nil }
    key = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
    guard key.count == Self.keyBytes else { return nil }
  }

  /// The key that clients of before 2022 took by mistake: the secret's first 32 characters.
  init(legacySecret secret: String) { key = Array(secret.utf8.prefix(Self.keyBytes)) }

  func seal(_ plaintext: String) -> String {
    let message = Array(plaintext.utf8)
    var nonce = [UInt8](repeating: 0, count: Self.nonceBytes)
    unsafe randombytes_buf(&nonce, nonce.count)
    var box = [UInt8](repeating: 0, count: Self.macBytes + message.count)
    let status = unsafe crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, key)
    precondition(status == 0, "sealing cannot fail")
    return Data(nonce + box).base64EncodedString()
  }

  /// The plaintext, or nil when the text is not padded Base64 or was sealed with another key.
  func open(_ text: String) -> Data? {
    guard let sealed = Data(base64Encoded: text).map(Array.init),
      sealed.count >= Self.nonceBytes + Self.macBytes
    else { return nil }
    let nonce = Array(sealed.prefix(Self.nonceBytes))
    let box = Array(sealed.dropFirst(Self.nonceBytes))
    var plaintext = [UInt8](repeating: 0, count: box.count - Self.macBytes)
    let status = unsafe crypto_secretbox_open_easy(&plaintext, box, UInt64(box.count), nonce, key)
    return status == 0 ? Data(plaintext) : nil
  }
}
