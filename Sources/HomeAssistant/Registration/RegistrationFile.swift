public import Bytes

/// The file that keeps a registration over restarts:
///
///     member         type    what
///     version        number  2
///     webhook_id     string  as Home Assistant gave it
///     secret         string  64 hexadecimal digits; empty where the registration is plain
///     cloudhook_url  string  empty where there is none
///     remote_ui_url  string  empty where there is none
///     told           string  32 hexadecimal digits: what Home Assistant was told last, or empty
///     checksum       number  CRC-32C of the bytes of the strings, one after the other
///
/// Version 1 had no more than webhook_id and secret. It is read, and not written any more.
///
/// With one flipped bit in the secret Home Assistant would drop every message without a word.
extension Registration {
  /// The longest file that `writeFile` writes.
  public static let fileByteCountMax = 2048

  private static var firstKept: KeptTexts {
    KeptTexts(version: 1, keys: ["webhook_id", "secret"])
  }
  private static var kept: KeptTexts {
    KeptTexts(
      version: 2, keys: ["webhook_id", "secret", "cloudhook_url", "remote_ui_url", "told"])
  }

  /// Writes the file, in place of what the buffer holds. It holds at least `fileByteCountMax`.
  public func writeFile(into buffer: inout ByteBuffer) {
    Self.kept.write(
      [
        webhookID, secretText(), cloudhookURL?.bytes ?? [], remoteUIURL?.bytes ?? [],
        toldFingerprint?.bytes ?? [],
      ], into: &buffer)
  }

  /// The registration of a file that `writeFile` has written.
  ///
  /// - Throws: `KeptFileError`, where the file is another one or damaged.
  public init(file bytes: Span<UInt8>) throws(KeptFileError) {
    let texts: [[UInt8]]
    do throws(KeptFileError) { texts = try Self.kept.read(bytes) } catch {
      guard error == .unknownVersion(Self.firstKept.version) else { throw error }
      self = try Self(firstFile: bytes)
      return
    }
    let protection = texts[1].isEmpty ? .plain : Self.sealed(secret: texts[1])
    guard let protection,
      var registration = Registration(webhookID: texts[0], protection: protection)
    else { throw .damaged }
    _ = registration.setAddresses(cloudhook: Text(texts[2]), remoteUI: Text(texts[3]))
    registration.toldFingerprint = texts[4].isEmpty ? nil : Text(texts[4])
    self = registration
  }

  private init(firstFile bytes: Span<UInt8>) throws(KeptFileError) {
    let texts = try Self.firstKept.read(bytes)
    guard let protection = Self.sealed(secret: texts[1]),
      let registration = Registration(webhookID: texts[0], protection: protection)
    else { throw .damaged }
    self = registration
  }

  private static func sealed(secret: [UInt8]) -> Protection? {
    SecretKey(hexadecimal: secret.span).map { .sealed($0) }
  }

  private func secretText() -> [UInt8] {
    guard case .sealed(let key) = protection else { return [] }
    var buffer = ByteBuffer(capacity: SecretKey.byteCount * 2)
    key.append(to: &buffer)
    return [UInt8](buffer.bytes)
  }
}
