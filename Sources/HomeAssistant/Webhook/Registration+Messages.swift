public import Bytes

extension Registration {
  /// Writes a message as the registration wants it, into `buffer`, which is emptied first: sealed
  /// with `nonce`, or plain. `writeData` writes the JSON of its `data`.
  ///
  /// Whether it fitted is seen from `buffer.isOverflowed`.
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

  /// Judges an answer to such a message; an envelope is opened in place.
  public func readAnswer(_ head: AnswerHead, body: inout ByteBuffer) -> Answer {
    switch protection {
    case .sealed(let key): Answer.read(head, body: &body, with: key)
    case .plain: Answer.read(head, plain: body)
    }
  }
}

/// A message of a registration without a key, which each machine on the way can read and change.
///
///     {"type":"update_location","data":{…}}
///
/// Only a registration that Home Assistant made without a secret takes it; all others are sent an
/// `Envelope`.
public enum PlainMessage {
  /// Writes a message into `buffer`, which is emptied first. `writeData` writes the JSON of its
  /// `data`.
  ///
  /// Whether it fitted is seen from `buffer.isOverflowed`.
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
