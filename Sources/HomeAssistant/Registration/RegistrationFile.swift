public import Bytes

/// The file that keeps a registration over restarts:
///
///     member         type    what
///     version        number  3
///     webhook_id     string  as Home Assistant gave it
///     secret         string  64 hexadecimal digits; empty where the registration is plain
///     cloudhook_url  string  empty where there is none
///     remote_ui_url  string  empty where there is none
///     told           string  32 hexadecimal digits: what Home Assistant was told last, or empty
///     device_id      string  what the device registered as; empty where that is not known
///     board          string  the serial number of its board; empty where it has none
///     checksum       number  CRC-32C of the bytes of the strings, one after the other
///
/// Version 1 had no more than webhook_id and secret, and version 2 no device_id and board. They are
/// read, and not written any more.
///
/// With one flipped bit in the secret Home Assistant would drop every message without a word.
extension Registration {
  /// The longest file that `writeFile` writes.
  public static let fileByteCountMax = 4096

  /// How many texts a file of each version has, from 1 on.
  private static let textCounts = [2, 5, 7]

  private static func kept(version: Int) -> KeptTexts {
    let keys: [StaticString] = [
      "webhook_id", "secret", "cloudhook_url", "remote_ui_url", "told", "device_id", "board",
    ]
    return KeptTexts(
      version: Int64(version), keys: [StaticString](keys.prefix(textCounts[version - 1])))
  }

  /// Writes the file, in place of what the buffer holds. It holds at least `fileByteCountMax`.
  public func writeFile(into buffer: inout ByteBuffer) {
    Self.kept(version: Self.textCounts.count).write(
      [webhookID, secretText()]
        + [cloudhookURL, remoteUIURL, toldFingerprint, deviceID, board].map { $0?.bytes ?? [] },
      into: &buffer)
  }

  /// The registration of a file that `writeFile` has written.
  ///
  /// - Throws: `KeptFileError`, where the file is another one or damaged.
  public init(file bytes: Span<UInt8>) throws(KeptFileError) {
    var texts = try Self.texts(bytes)
    // One of version 1 is sealed; later ones say with an empty text that they are not.
    let isFirst = texts.count == Self.textCounts[0]
    let protection = texts[1].isEmpty && !isFirst ? .plain : Self.sealed(secret: texts[1])
    guard let protection,
      var registration = Registration(webhookID: texts[0], protection: protection)
    else { throw .damaged }
    while let count = Self.textCounts.last, texts.count < count { texts.append([]) }
    let rest: [Text?] = texts.map { $0.isEmpty ? nil : Text($0) }
    _ = registration.setAddresses(cloudhook: rest[2], remoteUI: rest[3])
    registration.toldFingerprint = rest[4]
    registration.deviceID = rest[5]
    registration.board = rest[6]
    self = registration
  }

  private static func texts(_ bytes: Span<UInt8>) throws(KeptFileError) -> [[UInt8]] {
    do throws(KeptFileError) { return try kept(version: textCounts.count).read(bytes) } catch {
      guard case .unknownVersion(let version) = error, version >= 1, version < textCounts.count
      else { throw error }
      return try kept(version: Int(version)).read(bytes)
    }
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
