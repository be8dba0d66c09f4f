public import Bytes

/// Messages to the webhook of a registration, and their answers.
///
/// `Envelope.seal` encrypts a message; `Answer.read` opens the answer, `Outcome` judges it, and the
/// type of the message decodes its JSON. The agent sends sensors and locations all day:
/// `SensorRegistration` and `Location` write those.
public enum Webhook {
  /// Message that is written once and sent unchanged.
  public protocol Message: Sendable {
    /// Type of the message.
    static var type: MessageType { get }
    /// Writes the JSON of the message's `data`.
    func write(into data: inout ByteBuffer)
  }

  /// Reason that Home Assistant would silently reject a message.
  public enum ArgumentError: Error, Equatable, Sendable {
    /// The text is not JSON.
    case malformed(JSONError)
    /// The JSON is not an object.
    case notAnObject(JSON.Kind)
    /// A number exceeds ±1.8e308, the limit of Home Assistant.
    case numberTooLarge(JSONNumber)
    /// The type is longer than `FireEvent.typeCharacterCountMax`.
    case eventTypeTooLong(characterCount: Int)
  }

  /// Parses members that a person typed, such as the data of a service, and checks that Home
  /// Assistant can read them.
  public static func members(parsing text: Span<UInt8>) throws(ArgumentError) -> JSONObject {
    let json = try value(parsing: text)
    guard case .object(let members) = json else { throw .notAnObject(json.kind) }
    return members
  }

  /// Parses a value that a person typed, and checks that Home Assistant can read it.
  public static func value(parsing text: Span<UInt8>) throws(ArgumentError) -> JSON {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: text) } catch { throw .malformed(error) }
    try checkNumbers(in: json)
    return json
  }

  private static func checkNumbers(in json: JSON) throws(ArgumentError) {
    switch json {
    case .number(let number):
      guard number.double.isFinite else { throw .numberTooLarge(number) }
    case .array(let elements):
      for element in elements { try checkNumbers(in: element) }
    case .object(let members):
      for member in members.members { try checkNumbers(in: member.value) }
    case .null, .boolean, .text: break
    }
  }

  /// Reads the whole answer.
  static func reading<Value>(
    _ answer: Span<UInt8>, _ body: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONDecodingError) -> Value {
    var reader = JSONReader(answer)
    do throws(JSONError) {
      let value = try body(&reader)
      try reader.finish()
      return value
    } catch {
      throw .malformed(error)
    }
  }

  static func decoding<Value: JSONDecodable>(
    _ answer: Span<UInt8>
  ) throws(JSONDecodingError) -> Value {
    let json = try reading(answer) { reader throws(JSONError) in try JSON(reading: &reader) }
    return try Value(json: json)
  }

  /// Returns the value of a member that Home Assistant always writes.
  static func required<Value>(
    _ value: Value?, _ key: Text
  ) throws(JSONDecodingError) -> Value {
    guard let value else { throw .missingKey(key) }
    return value
  }
}

extension Envelope {
  /// Writes an encrypted message in place of the content of `buffer`. `writeData` writes the JSON
  /// of `data`, which is encrypted in place.
  ///
  /// If the message does not fit, `buffer.isOverflowed` is true.
  public static func seal(
    _ type: MessageType, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer,
    writeData: (inout ByteBuffer) -> Void
  ) {
    seal(typeName: type.name, with: key, nonce: nonce, into: &buffer, writeData: writeData)
  }

  /// Writes an encrypted message in place of the content of `buffer`.
  ///
  /// If the message does not fit, `buffer.isOverflowed` is true.
  public static func seal<Message: Webhook.Message>(
    _ message: Message, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer
  ) {
    seal(Message.type, with: key, nonce: nonce, into: &buffer) { message.write(into: &$0) }
  }
}

extension ByteBuffer {
  mutating func appendJSON(key: StaticString, _ text: Text) {
    appendJSON(key: key)
    appendJSON(text.bytes)
  }

  mutating func appendJSON(key: StaticString, ifPresent text: Text?) {
    guard let text else { return }
    appendJSON(key: key, text)
  }

  mutating func appendJSON(key: StaticString, _ members: JSONObject) {
    appendJSON(key: key)
    members.write(into: &self)
  }
}

extension JSONReader {
  mutating func ownedText() throws(JSONError) -> Bytes.Text { Bytes.Text(try text()) }

  mutating func ownedTextOrNull() throws(JSONError) -> Bytes.Text? {
    guard try nextKind() == .null else { return try ownedText() }
    try null()
    return nil
  }

  mutating func double() throws(JSONError) -> Double {
    let start = position
    guard let number = JSONNumber(try number())?.double, number.isFinite else {
      throw .outOfRange(at: start)
    }
    return number
  }
}
