public import Bytes

/// A message of a registration without a key, which everybody on the way can read and change.
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
