import Bytes
import CSodium

/// Key of a registration: 32 bytes, which Home Assistant issued as 64 hexadecimal digits.
///
/// It has no description on purpose, so that no log can hold it.
public struct SecretKey: Sendable {
  static let byteCount = 32

  /// Only storage of the bytes, shared by all copies of the key and wiped with the last of them.
  @safe fileprivate final class Storage: @unchecked Sendable {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: SecretKey.byteCount)

    deinit {
      if let start = unsafe bytes.baseAddress { unsafe sodium_memzero(start, SecretKey.byteCount) }
      unsafe bytes.deallocate()
    }
  }

  fileprivate let storage = Storage()

  /// Reads the key from Home Assistant; fails if it is not 64 hexadecimal digits.
  public init?(hexadecimal text: Span<UInt8>) {
    guard text.count == Self.byteCount * 2 else { return nil }
    for index in 0..<Self.byteCount {
      guard let high = hexadecimalValue(of: text[index * 2]),
        let low = hexadecimalValue(of: text[index * 2 + 1])
      else { return nil }
      unsafe storage.bytes[index] = high << 4 | low
    }
  }

  /// Creates a key of random bytes that were never used before.
  public init(randomBytes: InlineArray<32, UInt8>) {
    for index in 0..<Self.byteCount { unsafe storage.bytes[index] = randomBytes[index] }
  }

  private init() {}

  /// Writes the digits, for the file of the registration.
  func append(to buffer: inout ByteBuffer) {
    unsafe buffer.append(hexadecimal: UnsafeBufferPointer(storage.bytes).span)
  }
}

// Secret halves of X25519 key pairs.
extension SecretKey {
  /// Length of a sealed box that contains a key.
  static let sealedByteCount = 32 + 16 + byteCount

  /// Returns the public half of the key pair, of which this is the secret half.
  func publicKey() -> [UInt8] {
    var key = [UInt8](repeating: 0, count: Self.byteCount)
    guard let secret = unsafe storage.bytes.baseAddress else {
      preconditionFailure("a key has bytes")
    }
    unsafe csodium_public_key(&key, secret)
    return key
  }

  /// Opens a sealed box (`crypto_box_seal`) that contains a key; nil if it is not for this pair.
  func openKey(_ sealed: Span<UInt8>, publicKey: [UInt8]) -> SecretKey? {
    guard sealed.count == Self.sealedByteCount, publicKey.count == Self.byteCount,
      let secret = unsafe storage.bytes.baseAddress
    else { return nil }
    let key = SecretKey()
    let result = unsafe sealed.withUnsafeBufferPointer { sealed in
      unsafe csodium_open_sealed(
        key.storage.bytes.baseAddress, sealed.baseAddress, sealed.count, publicKey, secret)
    }
    return result == 0 ? key : nil
  }
}

/// Number that is used once. Encrypting two messages with one nonce reveals both.
public struct Nonce: Sendable {
  /// Length of an XSalsa20 nonce in bytes.
  public static let byteCount = 24

  let bytes: InlineArray<24, UInt8>

  /// - Parameter randomBytes: bytes of the kernel's random generator that were never used before.
  public init(randomBytes: InlineArray<24, UInt8>) { bytes = randomBytes }
}

/// XSalsa20-Poly1305 (`crypto_secretbox`), in place.
///
///     offset  size  content
///          0    24  nonce
///         24    16  authenticator
///         40     –  message
enum SecretBox {
  static let overhead = Nonce.byteCount + 16

  /// Encrypts the bytes of `buffer` from `start + overhead` to the end. The `overhead` bytes from
  /// `start` on are free.
  static func seal(
    _ buffer: inout ByteBuffer, from start: Int, with key: SecretKey, nonce: Nonce
  ) {
    buffer.withMutableBytes { bytes in
      for index in 0..<Nonce.byteCount { bytes[start + index] = nonce.bytes[index] }
      let box = start..<bytes.count
      unsafe withParts(of: box, in: &bytes, key: key) { message, count, tag, nonce, key in
        unsafe csodium_seal(message, count, tag, nonce, key)
      }
    }
  }

  /// Decrypts the box in `range` in place.
  ///
  /// - Returns: the position of the message, or nil if the box has another key or was changed on
  ///   its way.
  static func open(
    _ bytes: inout MutableSpan<UInt8>, in range: Range<Int>, with key: SecretKey
  ) -> Range<Int>? {
    guard range.count >= overhead else { return nil }
    let result = unsafe withParts(of: range, in: &bytes, key: key) {
      message, count, tag, nonce, key in
      unsafe csodium_open(message, count, tag, nonce, key)
    }
    return result == 0 ? range.lowerBound + overhead..<range.upperBound : nil
  }

  private typealias Bytes = UnsafeMutablePointer<UInt8>

  /// Calls `body` with the message, its length, the authenticator, the nonce and the key.
  private static func withParts<Result>(
    of box: Range<Int>, in bytes: inout MutableSpan<UInt8>, key: SecretKey,
    _ body: (Bytes, Int, Bytes, Bytes, UnsafePointer<UInt8>) -> Result
  ) -> Result {
    unsafe bytes.withUnsafeMutableBufferPointer { all in
      guard let base = all.baseAddress, let bytes = unsafe key.storage.bytes.baseAddress else {
        preconditionFailure("neither a box nor a key is empty")
      }
      let start = unsafe base + box.lowerBound
      return unsafe body(
        start + overhead, box.count - overhead, start + Nonce.byteCount, start, bytes)
    }
  }
}

/// Initializes libsodium. Call it once before any encryption.
///
/// - Returns: false if the machine has no source of random numbers.
public func prepareSodium() -> Bool { sodium_init() >= 0 }

/// Returns a one-way fingerprint: BLAKE2b, 16 bytes, as 32 hexadecimal digits.
///
/// Uses are the device's identifier (from the board's serial number and the machine's identifier,
/// so that a card copied to a second board is another device) and rejected tokens.
public func fingerprint(of parts: [[UInt8]], purpose: StaticString) -> [UInt8] {
  var input: [UInt8] = []
  func append(_ part: [UInt8]) {
    // The length, in four bytes, distinguishes ("ab", "c") from ("a", "bc").
    var count = UInt32(part.count)
    for _ in 0..<4 {
      input.append(UInt8(truncatingIfNeeded: count))
      count >>= 8
    }
    input += part
  }
  append([UInt8](purpose))
  for part in parts { append(part) }
  var hash = InlineArray<16, UInt8>(repeating: 0)
  var output = hash.mutableSpan
  unsafe output.withUnsafeMutableBufferPointer { output in
    unsafe input.withUnsafeBufferPointer { input in
      unsafe csodium_hash(output.baseAddress, output.count, input.baseAddress, input.count)
    }
  }
  var digits = ByteBuffer(capacity: 32)
  digits.append(hexadecimal: hash.span)
  return [UInt8](digits.bytes)
}
