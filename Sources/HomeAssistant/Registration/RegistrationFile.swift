public import Bytes

/// File of a registration:
///
///     member         type    content
///     version        number  3
///     webhook_id     string  from Home Assistant
///     secret         string  64 hexadecimal digits; empty without encryption
///     cloudhook_url  string  empty if there is none
///     remote_ui_url  string  empty if there is none
///     told           string  32 hexadecimal digits: `toldFingerprint`, or empty
///     device_id      string  identifier at the registration; empty if unknown
///     board          string  serial number of the board; empty if it has none
///     checksum       number  CRC-32C of the bytes of the strings, one after the other
///
/// Version 1 had only webhook_id and secret, and version 2 lacked device_id and board. Both are
/// read, but no longer written.
///
/// With a flipped bit in the secret, Home Assistant would drop every message silently.
extension Registration {
  /// Maximum size of a file of `writeFile`, in bytes.
  public static let fileByteCountMax = 4096

  /// Number of texts in a file of each version, from 1 on.
  private static let textCounts = [2, 5, 7]

  private static func kept(version: Int) -> KeptTexts {
    let keys: [StaticString] = [
      "webhook_id", "secret", "cloudhook_url", "remote_ui_url", "told", "device_id", "board",
    ]
    return KeptTexts(
      version: Int64(version), keys: [StaticString](keys.prefix(textCounts[version - 1])))
  }

  /// Writes the file in place of the buffer's content. The buffer holds at least
  /// `fileByteCountMax`.
  public func writeFile(into buffer: inout ByteBuffer) {
    Self.kept(version: Self.textCounts.count).write(
      [webhookID, secretText()]
        + [cloudhookURL, remoteUIURL, toldFingerprint, deviceID, board].map { $0?.bytes ?? [] },
      into: &buffer)
  }

  /// Reads a file of `writeFile`.
  ///
  /// - Throws: `KeptFileError` if the file is of another kind or damaged.
  public init(file bytes: Span<UInt8>) throws(KeptFileError) {
    var texts = try Self.texts(bytes)
    // Version 1 always has a key; in later versions an empty text means no encryption.
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
    return [UInt8](byteCountMax: SecretKey.byteCount * 2) { key.append(to: &$0) }
  }
}
