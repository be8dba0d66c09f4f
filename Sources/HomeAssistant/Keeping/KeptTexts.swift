import Bytes

/// Why a kept file cannot be used.
public enum KeptFileError: Error, Equatable {
  /// It is damaged, or not such a file at all.
  case damaged
  /// A newer Homeward wrote it.
  case unknownVersion(Int64)
}

/// What the small files that outlive a restart have in common: one JSON object of texts, so that it
/// can be looked at and carried to another card, with a version and a checksum.
///
///     member      type    what
///     version     number  of this kind of file
///     …           string  the texts, in the order of `keys`
///     checksum    number  CRC-32C of the bytes of the texts, one after the other
///
/// Without the checksum one flipped bit of a secret would still be a secret.
struct KeptTexts {
  let version: Int64
  let keys: [StaticString]

  /// `texts` are those of `keys`.
  func write(_ texts: [[UInt8]], into buffer: inout ByteBuffer) {
    precondition(texts.count == keys.count, "each key has a text")
    buffer.removeAll()
    buffer.openJSONObject()
    buffer.appendJSON(key: "version")
    buffer.appendJSON(version)
    for index in keys.indices {
      buffer.appendJSON(key: keys[index])
      buffer.appendJSON(texts[index])
    }
    buffer.appendJSON(key: "checksum")
    buffer.appendJSON(Self.checksum(texts))
    buffer.closeJSONObject()
    buffer.append(UInt8(ascii: "\n"))
  }

  /// The texts of `keys`. Members that are not among them are left out.
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
