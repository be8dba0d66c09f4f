import Bytes
import CSodium

/// Seals notifications, so that only their boards can open them.
///
/// To seal something to a public key costs more processor time than all else that a relay does for
/// a notification. So that is done once for many: a secret key is sealed to the board, and the
/// notifications are sealed under that secret key.
///
/// | bytes | content |
/// |---|---|
/// | 80 | the secret key, sealed to the board's public key (`crypto_box_seal`) |
/// | 24 | nonce |
/// | 16 and those of the notification | `crypto_secretbox_easy` under that key and nonce |
///
/// Secret keys are in memory only, each serves one public key for an hour, and its bytes are
/// overwritten when it is dropped. What was sealed before that, this process cannot open again.
final class Sealer {
  /// Time after which a secret key is dropped.
  static let keyLifetime: Duration = .seconds(3600)
  /// Secret keys at the same time: what more boards than that cost is time, and no memory.
  static let keyCountMax = 1024

  private var keys: [PublicKey: SecretKey] = [:]
  private var nonce = [UInt8](repeating: 0, count: Int(crypto_secretbox_NONCEBYTES))

  init() { renewNonce() }

  var keyCount: Int { keys.count }

  /// Makes the next nonce a random number, from which each message counts on: to ask the kernel for
  /// each would cost as much time as to seal it. A transaction begins with a new one, so a copy of
  /// this process, as a restored machine has it, goes on with other nonces.
  func renewNonce() { unsafe randombytes_buf(&nonce, nonce.count) }

  /// Seals a message; nil for a public key to which nothing can be sealed.
  func seal(_ message: [UInt8], to key: PublicKey, at now: WallTime) -> [UInt8]? {
    defer { unsafe sodium_increment(&nonce, nonce.count) }
    if let secret = keys[key], secret.isCurrent(at: now) { return secret.seal(message, nonce) }
    guard let secret = SecretKey(for: key, at: now) else { return nil }
    makeRoom(at: now)
    keys[key] = secret
    return secret.seal(message, nonce)
  }

  /// Drops the secret keys that are too old. A clock that was set back makes all of them too old.
  func dropOld(at now: WallTime) {
    keys = keys.filter { $0.value.isCurrent(at: now) }
  }

  private func makeRoom(at now: WallTime) {
    guard keys.count >= Self.keyCountMax else { return }
    dropOld(at: now)
    guard keys.count >= Self.keyCountMax else { return }
    let oldest = keys.min { $0.value.made < $1.value.made }
    if let oldest { keys[oldest.key] = nil }
  }
}

/// Secret key of one board, with its form that only the board can open.
private final class SecretKey {
  private static let tagCount = Int(crypto_secretbox_MACBYTES)

  let made: WallTime
  private var bytes = [UInt8](repeating: 0, count: Int(crypto_secretbox_KEYBYTES))
  /// Beginning of what is sealed: the sealed key.
  private let head: [UInt8]

  /// Makes a key of random bytes; returns nil for a public key to which nothing can be sealed.
  init?(for key: PublicKey, at now: WallTime) {
    unsafe randombytes_buf(&bytes, bytes.count)
    guard let sealed = key.seal(bytes) else { return nil }
    head = sealed
    made = now
  }

  deinit { unsafe sodium_memzero(&bytes, bytes.count) }

  func isCurrent(at now: WallTime) -> Bool {
    let age = now - made
    return age >= .zero && age < Sealer.keyLifetime
  }

  func seal(_ message: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    let boxedStart = head.count + nonce.count
    return unsafe [UInt8](unsafeUninitializedCapacity: boxedStart + Self.tagCount + message.count) {
      blob, count in
      count = blob.count
      guard let start = blob.baseAddress else { return }
      unsafe start.update(from: head, count: head.count)
      unsafe (start + head.count).update(from: nonce, count: nonce.count)
      unsafe crypto_secretbox_easy(start + boxedStart, message, UInt64(message.count), nonce, bytes)
    }
  }
}
