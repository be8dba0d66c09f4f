public import Bytes

/// The file that keeps a registration over restarts:
///
///     member      type    what
///     version     number  1
///     webhook_id  string  as Home Assistant gave it
///     secret      string  64 hexadecimal digits
///     checksum    number  CRC-32C of the bytes of webhook_id and secret
///
/// With one flipped bit in the secret Home Assistant would drop every message without a word.
extension Registration {
  public static let fileByteCountMax = 1024

  private static var kept: KeptTexts { KeptTexts(version: 1, keys: ["webhook_id", "secret"]) }

  public func writeFile(into buffer: inout ByteBuffer) {
    Self.kept.write([webhookID, secretText()], into: &buffer)
  }

  public init(file bytes: Span<UInt8>) throws(KeptFileError) {
    let texts = try Self.kept.read(bytes)
    let (webhookID, secret) = (texts[0], texts[1])
    guard let key = SecretKey(hexadecimal: secret.span),
      let registration = Registration(webhookID: webhookID, key: key)
    else { throw .damaged }
    self = registration
  }

  private func secretText() -> [UInt8] {
    var buffer = ByteBuffer(capacity: SecretKey.byteCount * 2)
    key.append(to: &buffer)
    return [UInt8](buffer.bytes)
  }
}
