public import Bytes

/// Why a kept registration cannot be used.
public enum RegistrationFileError: Error, Equatable {
  /// It is damaged, or not such a file at all.
  case damaged
  /// A newer Homeward wrote it.
  case unknownVersion(Int64)
}

/// The file that keeps a registration over restarts.
///
/// It is one JSON object, so that it can be looked at and carried to another card:
///
///     member      type    what
///     version     number  1
///     webhook_id  string  as Home Assistant gave it
///     secret      string  64 hexadecimal digits
///     checksum    number  CRC-32C of the bytes of webhook_id and secret
///
/// Without the checksum one flipped bit of the secret would still be a secret, and Home Assistant
/// would drop every message without a word.
extension Registration {
  public static let fileByteCountMax = 1024
  private static let fileVersion: Int64 = 1

  public func writeFile(into buffer: inout ByteBuffer) {
    buffer.removeAll()
    buffer.openJSONObject()
    buffer.appendJSON(key: "version")
    buffer.appendJSON(Self.fileVersion)
    buffer.appendJSON(key: "webhook_id")
    buffer.appendJSON(webhookID)
    buffer.appendJSON(key: "secret")
    let secret = secretText()
    buffer.appendJSON(secret)
    buffer.appendJSON(key: "checksum")
    buffer.appendJSON(Self.checksum(webhookID, secret))
    buffer.closeJSONObject()
    buffer.append(UInt8(ascii: "\n"))
  }

  public init(file bytes: Span<UInt8>) throws(RegistrationFileError) {
    var fields = RegistrationFields()
    do throws(JSONError) { try fields.read(bytes, isFile: true) } catch { throw .damaged }
    guard let version = fields.version else { throw .damaged }
    guard version == Self.fileVersion else { throw .unknownVersion(version) }
    guard let webhookID = fields.webhookID, let secret = fields.secret,
      fields.checksum == Int64(Self.checksum(webhookID, secret)),
      let key = SecretKey(hexadecimal: secret.span),
      let registration = Registration(webhookID: webhookID, key: key)
    else { throw .damaged }
    self = registration
  }

  private func secretText() -> [UInt8] {
    var buffer = ByteBuffer(capacity: SecretKey.byteCount * 2)
    key.append(to: &buffer)
    return [UInt8](buffer.bytes)
  }

  private static func checksum(_ webhookID: [UInt8], _ secret: [UInt8]) -> UInt32 {
    var checksum = CRC32C()
    checksum.update(webhookID.span)
    checksum.update(secret.span)
    return checksum.value
  }
}
