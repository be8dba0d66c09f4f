import Bytes

/// A sealed message. The real type stands outside in clear, only `data` is inside; Home
/// Assistant's documentation says otherwise and is wrong.
///
///     {"type":"update_location","encrypted":true,"encrypted_data":"<Base64 of a secret box>"}
public enum Envelope {
  /// The bytes that an envelope adds to `dataCount` bytes of data at most.
  public static func byteCount(sealing dataCount: Int) -> Int {
    Base64.encodedCount(of: SecretBox.overhead + dataCount) + 96
  }

  /// Writes a sealed message into `buffer`, which is emptied first. `typeName` needs no escapes in
  /// JSON; `writeData` writes the JSON of its `data` straight to where it is sealed in place.
  ///
  /// Whether it fitted is seen from `buffer.isOverflowed`.
  static func seal(
    typeName: StaticString, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer,
    writeData: (inout ByteBuffer) -> Void
  ) {
    buffer.removeAll()
    buffer.append("{\"type\":\"")
    buffer.append(typeName)
    buffer.append("\",\"encrypted\":true,\"encrypted_data\":\"")
    let start = buffer.count
    buffer.appendZeros(SecretBox.overhead)
    writeData(&buffer)
    guard !buffer.isOverflowed else { return }
    SecretBox.seal(&buffer, from: start, with: key, nonce: nonce)
    Base64.encodeTail(of: &buffer, from: start)
    buffer.append("\"}")
  }

  /// What came back, opened in place where it is an envelope.
  enum Opened: Equatable {
    case message(Range<Int>)
    /// An envelope that our key does not open.
    case otherKey
    case notAnEnvelope
  }

  static func open(_ buffer: inout ByteBuffer, with key: SecretKey) -> Opened {
    guard let text = encryptedData(in: buffer.bytes) else { return .notAnEnvelope }
    let message = buffer.withMutableBytes { bytes -> Range<Int>? in
      guard let count = Base64.decode(&bytes, in: text) else { return nil }
      return SecretBox.open(
        &bytes, in: text.lowerBound..<text.lowerBound + count, with: key)
    }
    guard let message else { return .otherKey }
    return .message(message)
  }

  /// Where the text of `encrypted_data` stands, or nil where the bytes are not an envelope.
  static func encryptedData(in bytes: Span<UInt8>) -> Range<Int>? {
    var reader = JSONReader(bytes)
    var data: Range<Int>?
    var isEncrypted = false
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("encrypted"), try reader.nextKind() == .boolean {
          isEncrypted = try reader.boolean()
        } else if key.elementsEqual("encrypted_data"), try reader.nextKind() == .string {
          let quoted = try reader.skipValue()
          data = quoted.lowerBound + 1..<quoted.upperBound - 1
        } else {
          try reader.skipValue()
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    return isEncrypted ? data : nil
  }
}
