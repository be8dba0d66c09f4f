public import Bytes

/// What can be said to the webhook of a registration, and how its answers read.
///
/// `Envelope.seal` sends a message; `Answer.read` opens what comes back, `Outcome` judges it, and
/// the type of the message reads the JSON in it. Sensors and locations, which the agent sends all
/// day, are written by `SensorRegistration` and `Location`.
public enum Webhook {
  /// A message that is written once and sent as it is.
  public protocol Message: Sendable {
    /// What Home Assistant takes it as.
    static var type: MessageType { get }
    /// Writes the JSON of the message's `data`.
    func write(into data: inout ByteBuffer)
  }

  /// Why a message would not be taken; Home Assistant would not say so.
  public enum ArgumentError: Error, Equatable, Sendable {
    /// The text is not JSON.
    case malformed(JSONError)
    /// JSON of another kind than an object.
    case notAnObject(JSON.Kind)
    /// A number beyond ±1.8e308, which Home Assistant cannot read.
    case numberTooLarge(JSONNumber)
    /// More characters than `FireEvent.typeCharacterCountMax`.
    case eventTypeTooLong(characterCount: Int)
  }

  /// The members that a person typed, such as the data of a service, held to what Home Assistant
  /// reads.
  public static func members(parsing text: Span<UInt8>) throws(ArgumentError) -> JSONObject {
    let json = try value(parsing: text)
    guard case .object(let members) = json else { throw .notAnObject(json.kind) }
    return members
  }

  /// The same of any value.
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

  /// Reads the whole of an answer.
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

  /// What an answer of a few members says.
  static func decoding<Value: JSONDecodable>(
    _ answer: Span<UInt8>
  ) throws(JSONDecodingError) -> Value {
    let json = try reading(answer) { reader throws(JSONError) in try JSON(reading: &reader) }
    return try Value(json: json)
  }

  /// A member that Home Assistant always writes.
  static func required<Value>(
    _ value: Value?, _ key: Text
  ) throws(JSONDecodingError) -> Value {
    guard let value else { throw .missingKey(key) }
    return value
  }
}

extension Envelope {
  /// Writes a sealed message into `buffer`, which is emptied first. `writeData` writes the JSON of
  /// its `data` straight to where it is sealed in place.
  ///
  /// Whether it fitted is seen from `buffer.isOverflowed`.
  public static func seal(
    _ type: MessageType, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer,
    writeData: (inout ByteBuffer) -> Void
  ) {
    seal(typeName: type.name, with: key, nonce: nonce, into: &buffer, writeData: writeData)
  }

  /// Writes a sealed message into `buffer`, which is emptied first.
  ///
  /// Whether it fitted is seen from `buffer.isOverflowed`.
  public static func seal<Message: Webhook.Message>(
    _ message: Message, with key: SecretKey, nonce: Nonce, into buffer: inout ByteBuffer
  ) {
    seal(Message.type, with: key, nonce: nonce, into: &buffer) { message.write(into: &$0) }
  }
}

extension ByteBuffer {
  /// A member whose value is a string.
  mutating func appendJSON(key: StaticString, _ text: Text) {
    appendJSON(key: key)
    appendJSON(text.bytes)
  }

  /// A member that is left out where there is no value for it.
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

  /// A string, or nil where it is null.
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
