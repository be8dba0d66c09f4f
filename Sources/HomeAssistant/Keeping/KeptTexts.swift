import Bytes

/// Reason that a stored file cannot be used.
public enum KeptFileError: Error, Equatable {
  /// The file is damaged, or of another kind.
  case damaged
  /// A newer version of Homeward wrote the file.
  case unknownVersion(Int64)
}

/// Format of the small files that outlive a restart: one JSON object of texts with a version and a
/// checksum, so that a person can read it or copy it to another card.
///
///     member      type    content
///     version     number  of this kind of file
///     …           string  the texts, in the order of `keys`
///     checksum    number  CRC-32C of the bytes of the texts, one after the other
///
/// The checksum detects a flipped bit of a secret, which would still look like a secret.
struct KeptTexts {
  let version: Int64
  let keys: [StaticString]

  /// Writes the file; `texts` belong to `keys`.
  func write(_ texts: [[UInt8]], into buffer: inout ByteBuffer) {
    precondition(texts.count == keys.count, "each key has a text")
    buffer.removeAll()
    buffer.openJSONObject()
    buffer.appendJSON(key: "version", version)
    for index in keys.indices { buffer.appendJSON(key: keys[index], texts[index]) }
    buffer.appendJSON(key: "checksum", Int64(Self.checksum(texts)))
    buffer.closeJSONObject()
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Returns the texts of `keys`. Other members are ignored.
  func read(_ file: Span<UInt8>) throws(KeptFileError) -> [[UInt8]] {
    guard case .object(let members)? = try? JSON(parsing: file),
      let version = try? members.get("version", as: Int64.self)
    else { throw .damaged }
    guard version == self.version else { throw .unknownVersion(version) }
    var texts: [[UInt8]] = []
    for key in keys {
      guard case .text(let text)? = members[Text([UInt8](key))] else { throw .damaged }
      texts.append(text.bytes)
    }
    guard let checksum = try? members.get("checksum", as: Int64.self),
      checksum == Int64(Self.checksum(texts))
    else { throw .damaged }
    return texts
  }

  private static func checksum(_ texts: [[UInt8]]) -> UInt32 {
    var checksum = CRC32C()
    for text in texts { checksum.update(text.span) }
    return checksum.value
  }
}
