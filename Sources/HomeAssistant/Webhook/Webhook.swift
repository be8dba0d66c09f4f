public import Bytes

/// Messages to the webhook of a registration, and their answers.
///
/// `Registration.write` writes a message around its `data`, and `Answer.read` opens the answer. The
/// agent sends sensors and locations all day: `SensorRegistration` and `Location` write those.
public enum Webhook {
  /// Reason that Home Assistant would silently reject a message.
  public enum ArgumentError: Error, Equatable, Sendable {
    /// The text is not JSON.
    case malformed(JSONError)
    /// The JSON is not an object.
    case notAnObject(JSON.Kind)
    /// A number exceeds ±1.8e308, the limit of Home Assistant.
    case numberTooLarge(JSONNumber)
    /// The type is longer than `eventTypeCharacterCountMax`.
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
}

extension ByteBuffer {
  mutating func appendJSON(key: StaticString, _ text: [UInt8]) {
    appendJSON(key: key)
    appendJSON(text)
  }
}
