public import Bytes

extension Registration {
  /// Writes a message in place of the content of `buffer`: encrypted with `nonce`, or plain, as the
  /// registration requires. `writeData` writes the JSON of `data`.
  ///
  /// If the message does not fit, `buffer.isOverflowed` is true.
  public func write(
    _ type: MessageType, nonce: Nonce, into buffer: inout ByteBuffer,
    writeData: (inout ByteBuffer) -> Void
  ) {
    switch protection {
    case .sealed(let key):
      Envelope.seal(type, with: key, nonce: nonce, into: &buffer, writeData: writeData)
    case .plain:
      // Only registrations without a key accept it; any machine on the path can read and change it.
      buffer.removeAll()
      buffer.openJSONObject()
      buffer.appendJSON(key: "type", type.name)
      buffer.appendJSON(key: "data")
      writeData(&buffer)
      buffer.closeJSONObject()
    }
  }

  /// Judges an answer to such a message; an envelope is decrypted in place.
  public func readAnswer(_ head: AnswerHead, body: inout ByteBuffer) -> Answer {
    switch protection {
    case .sealed(let key): Answer.read(head, body: &body, with: key)
    case .plain: Answer.read(head, plain: body)
    }
  }
}

/// Encrypted message. The real type is outside in clear, and only `data` is encrypted; Home
/// Assistant's documentation is wrong about this.
///
///     {"type":"update_location","encrypted":true,"encrypted_data":"<Base64 of a secret box>"}
public enum Envelope {
  /// Returns the maximum size of an envelope around `dataCount` bytes of data.
  public static func byteCount(sealing dataCount: Int) -> Int {
    Base64.encodedCount(of: SecretBox.overhead + dataCount) + 96
  }

  /// Writes an encrypted message in place of the content of `buffer`. `writeData` writes the JSON
  /// of `data`, which is encrypted in place.
  ///
  /// If the message does not fit, `buffer.isOverflowed` is true. No type needs JSON escapes.
  public static func seal(
    _ type: MessageType, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer,
    writeData: (inout ByteBuffer) -> Void
  ) {
    buffer.removeAll()
    buffer.append("{\"type\":\"")
    buffer.append(type.name)
    buffer.append("\",\"encrypted\":true,\"encrypted_data\":\"")
    let start = buffer.count
    buffer.appendZeros(SecretBox.overhead)
    writeData(&buffer)
    guard !buffer.isOverflowed else { return }
    SecretBox.seal(&buffer, from: start, with: key, nonce: nonce)
    Base64.encodeTail(of: &buffer, from: start)
    buffer.append("\"}")
  }

  /// Result of opening an answer; an envelope is decrypted in place.
  enum Opened: Equatable {
    case message(Range<Int>)
    /// Envelope that the key does not open.
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

  /// Returns the position of the text of `encrypted_data`, or nil if the bytes are not an envelope.
  static func encryptedData(in bytes: Span<UInt8>) -> Range<Int>? {
    var data: Range<Int>?
    var isEncrypted = false
    do throws(JSONDecodingError) {
      try JSONReader.forEachMember(of: bytes) { key, reader throws(JSONError) in
        if key.elementsEqual("encrypted"), try reader.nextKind() == .boolean {
          isEncrypted = try reader.boolean()
        } else if key.elementsEqual("encrypted_data"), try reader.nextKind() == .string {
          let quoted = try reader.skipValue()
          data = quoted.lowerBound + 1..<quoted.upperBound - 1
        } else {
          try reader.skipValue()
        }
      }
    } catch {
      return nil
    }
    return isEncrypted ? data : nil
  }
}
