import Bytes

/// Check of a public key of SSH, as a line of `authorized_keys` (`sshd(8)`).
enum PublicKey {
  private static let types: [StaticString] = [
    "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
  ]

  /// Whether a text is a private key, or has the beginning of one.
  static func isPrivate(_ text: [UInt8]) -> Bool {
    let marks: [StaticString] = ["PRIVATE KEY", "PuTTY-User-Key-File"]
    return marks.contains { text.span.contains($0) }
  }

  /// Whether a line has a type, and a key that is as long as its own fields say: a key that was
  /// copied in part, or broken over two lines, lets the owner not in.
  static func isWhole(_ line: [UInt8]) -> Bool {
    guard !line.hasInvisibleControl else { return false }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2 else { return false }
    let type = [UInt8](words[0])
    guard types.contains(where: { type.span.elementsEqual($0) }) else { return false }
    var key = [UInt8](words[1])
    var bytes = key.mutableSpan
    guard let count = Base64.decode(&bytes, in: 0..<bytes.count) else { return false }
    return hasFields(key.span.extracting(..<count), first: type)
  }

  /// Whether the bytes are at least two fields, each behind its length in four bytes.
  private static func hasFields(_ bytes: Span<UInt8>, first: [UInt8]) -> Bool {
    var (place, fieldCount) = (0, 0)
    while bytes.count - place >= 4 {
      var length: UInt32 = 0
      for index in place..<place + 4 { length = length << 8 | UInt32(bytes[index]) }
      place += 4
      guard let size = Int(exactly: length), size <= bytes.count - place else { return false }
      if fieldCount == 0, !bytes.extracting(place..<place + size).elementsEqual(first.span) {
        return false
      }
      place += size
      fieldCount += 1
    }
    return place == bytes.count && fieldCount >= 2
  }
}
