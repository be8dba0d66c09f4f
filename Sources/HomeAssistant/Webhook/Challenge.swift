public import Bytes

/// What ties an answer to its message: a name that was never used before, and that Home Assistant
/// repeats in its answer.
///
/// A seal of our key on an answer shows only that Home Assistant wrote the answer once. A proxy or
/// an attacker between the two can keep it, and can give it again as the answer to a later
/// message. An answer that repeats the challenge was written for the message that holds it.
///
/// What it does not show: that Home Assistant got other messages. Their answers cannot be told
/// from each other, and only TLS keeps them from being dropped one by one on the way.
///
/// It is made of the nonce of its message, which is random and never used twice. It may be known:
/// an answer that holds it and is sealed can only come from Home Assistant.
public struct Challenge: Sendable {
  private static let byteCount = 6
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// The bytes that `appendState` takes at most, with its comma.
  public static let stateByteCount = 39

  private var name = InlineArray<6, UInt8>(repeating: 0)

  /// The challenge of the message that is sealed with this nonce.
  public init(of nonce: Nonce) {
    let letters = unsafe UnsafeBufferPointer(
      start: Self.alphabet.utf8Start, count: Self.alphabet.utf8CodeUnitCount)
    for index in 0..<Self.byteCount {
      unsafe name[index] = letters[Int(nonce.bytes[index] & 63)]
    }
  }

  // MARK: Sensors

  /// Appends an element of an `update_sensor_states` for a sensor that does not exist. It has no
  /// more than Home Assistant needs to look for the sensor.
  ///
  /// Since 2022.7 Home Assistant writes nothing about it to its log, unless that shows every
  /// message.
  public func appendState(to data: inout ByteBuffer) {
    data.openJSONObject()
    data.appendJSON(key: "type")
    data.appendJSON("sensor")
    data.appendJSON(key: "unique_id")
    data.appendJSON(name.span)
    data.closeJSONObject()
  }

  /// Whether the answer says that the sensor of `appendState` does not exist.
  public func isRepeated(inVerdicts answer: Span<UInt8>) -> Bool {
    isRepeated(in: answer) { reader throws(JSONError) in
      try readVerdict(&reader) == .notRegistered
    }
  }

  // MARK: Templates

  /// Appends a template to a `render_template`: it is as good as any other, and short.
  public func appendTemplate(to data: inout ByteBuffer) {
    append(to: &data)
    data.openJSONObject()
    data.appendJSON(key: "template")
    data.appendJSON("1")
    data.closeJSONObject()
  }

  /// Whether the answer holds the result of the template of `appendTemplate`.
  public func isRepeated(inResults answer: Span<UInt8>) -> Bool {
    isRepeated(in: answer) { reader throws(JSONError) in
      guard try reader.nextKind() == .number else {
        try reader.skipValue()
        return false
      }
      return try reader.integer() == 1
    }
  }

  /// Whether the answer holds what became of the template that is named by `key`.
  public func isRepeated(asKeyOf answer: Span<UInt8>) -> Bool {
    isRepeated(in: answer) { reader throws(JSONError) in
      try reader.skipValue()
      return true
    }
  }

  // MARK: Any message

  /// Whether the answer to a message of this type can repeat it.
  public static func isRepeated(by type: MessageType) -> Bool {
    type == .updateSensorStates || type == .renderTemplate
  }

  /// Adds itself to the whole `data` of a message of a type whose answer can repeat it.
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

  /// Whether the answer to a message of that type repeats it.
  public func isRepeated(in answer: Span<UInt8>, to type: MessageType) -> Bool {
    type == .renderTemplate ? isRepeated(inResults: answer) : isRepeated(inVerdicts: answer)
  }

  // MARK: The name

  /// The key of what repeats it.
  public var key: Text { Text([UInt8](name.span)) }

  /// Appends the name as the key of a member.
  func append(to data: inout ByteBuffer) { data.appendJSON(key: name.span) }

  /// Whether this is the name.
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
      // What cannot be read is no answer to this message.
    }
    return false
  }
}
