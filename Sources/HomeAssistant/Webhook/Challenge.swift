public import Bytes

/// Link between an answer and its message: a new name, which Home Assistant repeats in its answer.
///
/// Encryption with the registration's key shows only that Home Assistant once wrote an answer. A
/// proxy or an attacker on the path can store it and replay it as the answer to a later message. An
/// answer that repeats the challenge was written for the message with this challenge.
///
/// The challenge does not show that Home Assistant received other messages. Their answers are
/// indistinguishable, and only TLS prevents that they are dropped one by one on the path.
///
/// It is derived from the nonce of its message, which is random and never reused. It need not be
/// secret: an encrypted answer with it can only come from Home Assistant.
public struct Challenge: Sendable {
  private static let byteCount = 6
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// Maximum size of the output of `appendState` in bytes, with its comma.
  public static let stateByteCount = 39

  private var name = InlineArray<6, UInt8>(repeating: 0)

  /// Creates the challenge of the message with this nonce.
  public init(of nonce: Nonce) {
    let letters = unsafe UnsafeBufferPointer(
      start: Self.alphabet.utf8Start, count: Self.alphabet.utf8CodeUnitCount)
    for index in 0..<Self.byteCount {
      unsafe name[index] = letters[Int(nonce.bytes[index] & 63)]
    }
  }

  // MARK: Sensors

  /// Appends an element of `update_sensor_states` for a sensor that does not exist, with only the
  /// members that Home Assistant needs to look for the sensor.
  ///
  /// Since 2022.7 Home Assistant logs nothing about it, unless it logs every message.
  public func appendState(to data: inout ByteBuffer) {
    data.openJSONObject()
    data.appendJSON(key: "type", "sensor")
    data.appendJSON(key: "unique_id")
    data.appendJSON(name.span)
    data.closeJSONObject()
  }

  /// Whether the answer reports that the sensor of `appendState` does not exist.
  public func isRepeated(inVerdicts answer: Span<UInt8>) -> Bool {
    isRepeated(in: answer) { reader throws(JSONError) in
      try readVerdict(&reader) == .notRegistered
    }
  }

  // MARK: Templates

  /// Appends a short template to a `render_template`; its content does not matter.
  private func appendTemplate(to data: inout ByteBuffer) {
    append(to: &data)
    data.openJSONObject()
    data.appendJSON(key: "template", "1")
    data.closeJSONObject()
  }

  /// Whether the answer has the result of the template of `appendTemplate`.
  public func isRepeated(inResults answer: Span<UInt8>) -> Bool {
    isRepeated(in: answer) { reader throws(JSONError) in
      guard try reader.nextKind() == .number else {
        try reader.skipValue()
        return false
      }
      return try reader.integer() == 1
    }
  }

  /// Whether the answer has a result, or an error, of the template with the name `key`.
  public func isRepeated(asKeyOf answer: Span<UInt8>) -> Bool {
    isRepeated(in: answer) { reader throws(JSONError) in
      try reader.skipValue()
      return true
    }
  }

  // MARK: Any message

  /// Whether the answer to a message of this type can repeat a challenge.
  public static func isRepeated(by type: MessageType) -> Bool {
    type == .updateSensorStates || type == .renderTemplate
  }

  /// Adds the challenge to the complete `data` of a message whose answer can repeat it.
  public func join(_ type: MessageType, _ data: inout ByteBuffer) {
    data.truncate(to: data.count - 1)
    if type == .renderTemplate {
      appendTemplate(to: &data)
      data.closeJSONObject()
    } else {
      appendState(to: &data)
      data.closeJSONArray()
    }
  }

  /// Whether the answer to a message of this type repeats the challenge.
  public func isRepeated(in answer: Span<UInt8>, to type: MessageType) -> Bool {
    type == .renderTemplate ? isRepeated(inResults: answer) : isRepeated(inVerdicts: answer)
  }

  // MARK: The name

  /// Key of the repetition in the answer.
  public var key: Text { Text([UInt8](name.span)) }

  /// Appends the name as the key of a member.
  func append(to data: inout ByteBuffer) { data.appendJSON(key: name.span) }

  func isNamed(_ text: borrowing JSONReader.Text) -> Bool { text.elementsEqual(name.span) }

  private func isRepeated(
    in answer: Span<UInt8>, _ isRight: (inout JSONReader) throws(JSONError) -> Bool
  ) -> Bool {
    var reader = JSONReader(answer)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if isNamed(key) { return try isRight(&reader) }
        try reader.skipValue()
      }
    } catch {
      // An unreadable answer is not an answer to this message.
    }
    return false
  }
}
