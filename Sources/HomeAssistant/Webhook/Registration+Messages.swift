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
    case .plain: PlainMessage.write(type, into: &buffer, writeData: writeData)
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

/// Message of a registration without a key, which any machine on the path can read and change.
///
///     {"type":"update_location","data":{…}}
///
/// Only registrations without a key accept it; all others need an `Envelope`.
public enum PlainMessage {
  /// Writes a message in place of the content of `buffer`. `writeData` writes the JSON of `data`.
  ///
  /// If the message does not fit, `buffer.isOverflowed` is true.
  public static func write(
    _ type: MessageType, into buffer: inout ByteBuffer, writeData: (inout ByteBuffer) -> Void
  ) {
    buffer.removeAll()
    buffer.openJSONObject()
    buffer.appendJSON(key: "type")
    buffer.appendJSON(type.name)
    buffer.appendJSON(key: "data")
    writeData(&buffer)
    buffer.closeJSONObject()
  }
}
