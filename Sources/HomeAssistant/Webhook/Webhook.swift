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

/// Webhook call over the WebSocket, without a connection of its own: `webhook/handle`.
///
/// It allocates nothing, for programs that call webhooks all day.
public enum HandledWebhook {
  /// Appends the members beside the `id` to the message of `Client.sendDirectMessage`; `body` is
  /// the JSON of the `POST`.
  public static func appendCall(
    webhookID: [UInt8], body: Span<UInt8>, to message: inout ByteBuffer
  ) {
    message.append(",\"type\":\"webhook/handle\",\"method\":\"POST\"")
    message.appendJSON(key: "webhook_id", webhookID)
    message.appendJSON(key: "body")
    // Home Assistant ignores the query and the headers, so they are left out.
    message.appendJSON(body)
  }

  /// Reads the result of such a message, and returns the HTTP status, which is independent of the
  /// command's success. `body` receives the body of the answer; it is empty if there was none.
  ///
  /// - Throws: `JSONDecodingError` if the result has another form.
  public static func readReply(
    _ result: Span<UInt8>, body: inout ByteBuffer
  ) throws(JSONDecodingError) -> Int {
    body.removeAll()
    var status: Int?
    try JSONReader.forEachMember(of: result) { key, reader throws(JSONError) in
      let kind = try reader.nextKind()
      if key.elementsEqual("status"), kind == .number {
        status = Int(exactly: try reader.integer())
      } else if key.elementsEqual("body"), kind == .string {
        try reader.text().append(to: &body)
      } else {
        try reader.skipValue()
      }
    }
    guard let status else { throw .missingKey("status") }
    return status
  }
}

extension ByteBuffer {
  mutating func appendJSON(key: StaticString, _ text: [UInt8]) {
    appendJSON(key: key)
    appendJSON(text)
  }

  mutating func appendJSON(key: StaticString, _ text: StaticString) {
    appendJSON(key: key)
    appendJSON(text)
  }

  mutating func appendJSON(key: StaticString, _ number: Int64) {
    appendJSON(key: key)
    appendJSON(number)
  }
}
