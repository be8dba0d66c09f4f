import Bytes
import HomeAssistant

/// A message put together from the words of the command line.
struct WrittenMessage {
  static let dataByteCountMax = 1 << 20

  let type: MessageType
  /// The JSON of `data`; empty where it is known only to whoever knows the board
  /// (`update_registration`).
  let data: [UInt8]

  /// - Parameters:
  ///   - words: the type, and what follows it.
  ///   - data: the JSON of `--data`, or nil.
  init(_ words: [[UInt8]], data: [UInt8]?) throws(UsageError) {
    guard let name = words.first else {
      throw .mistake("say which type, such as get_config")
    }
    guard let type = MessageType(name: name.span) else {
      throw .mistake("\(quoted: name) is no type that Home Assistant knows")
    }
    self.type = type
    self.data = try Self.data(of: type, Array(words.dropFirst()), data)
  }

  private static func data(
    of type: MessageType, _ words: [[UInt8]], _ data: [UInt8]?
  ) throws(UsageError) -> [UInt8] {
    let words = try Words(words, of: type)
    switch type {
    case .getConfiguration, .getZones, .enableEncryption, .updateRegistration:
      try words.checkNone(data)
      return []
    case .renderTemplate:
      let template = try words.only("a template, such as '{{ now() }}'")
      let variables = try members(data)
      return written(
        Webhook.RenderTemplate([
          Webhook.RenderTemplate.Template(key: "result", template, variables: variables)
        ]))
    case .fireEvent:
      let event = try words.only("the type of the event")
      do throws(Webhook.ArgumentError) {
        return written(try Webhook.FireEvent(event, data: try Self.parsedMembers(data)))
      } catch { throw error.mistake }
    case .callService: return try call(words, data)
    case .scanTag:
      try words.checkNoData(data)
      return written(Webhook.ScanTag(tagID: try words.only("the id of a tag")))
    case .conversationProcess:
      try words.checkNoData(data)
      return written(Webhook.Converse(try words.only("a sentence, in quotes")))
    case .streamCamera:
      try words.checkNoData(data)
      return written(
        Webhook.StreamCamera(entityID: try words.only("an entity, such as camera.deck")))
    case .updateLocation: return try location(words, data)
    case .registerSensor, .updateSensorStates:
      guard let data else { throw .mistake("\(type.name) needs --data") }
      return try checked(data)
    }
  }

  private static func call(_ words: Words, _ data: [UInt8]?) throws(UsageError) -> [UInt8] {
    let name = try words.only("a service, such as light.turn_on")
    guard let dot = name.bytes.firstIndex(of: UInt8(ascii: ".")) else {
      throw .mistake("a service is named by its domain, a dot and its name, such as light.turn_on")
    }
    return written(
      Webhook.CallService(
        domain: Text([UInt8](name.bytes[..<dot])),
        service: Text([UInt8](name.bytes[(dot + 1)...])), data: try members(data)))
  }

  private static func location(_ words: Words, _ data: [UInt8]?) throws(UsageError) -> [UInt8] {
    if let data {
      try words.checkNone(nil)
      return try checked(data)
    }
    let numbers = try words.numbers()
    guard (2...3).contains(numbers.count),
      let location = Location(
        latitude: numbers[0], longitude: numbers[1],
        accuracyMeters: numbers.count == 3 ? numbers[2] : 10)
    else {
      throw .mistake(
        "update_location needs a latitude, a longitude and perhaps an accuracy in metres, or"
          + " --data")
    }
    var buffer = ByteBuffer(capacity: 1024)
    location.write(into: &buffer)
    return [UInt8](buffer.bytes)
  }

  // MARK: JSON from the command line

  private static func members(_ data: [UInt8]?) throws(UsageError) -> JSONObject {
    do throws(Webhook.ArgumentError) { return try parsedMembers(data) } catch {
      throw error.mistake
    }
  }

  private static func parsedMembers(
    _ data: [UInt8]?
  ) throws(Webhook.ArgumentError) -> JSONObject {
    guard let data else { return [:] }
    return try Webhook.members(parsing: data.span)
  }

  private static func checked(_ data: [UInt8]) throws(UsageError) -> [UInt8] {
    do throws(JSONError) { return try JSON(parsing: data.span).serialized() } catch {
      throw Webhook.ArgumentError.malformed(error).mistake
    }
  }

  private static func written<Message: Webhook.Message>(_ message: Message) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 2 * dataByteCountMax)
    message.write(into: &buffer)
    return [UInt8](buffer.bytes)
  }

  /// The words after the type.
  private struct Words {
    let type: MessageType
    let words: [[UInt8]]

    init(_ words: [[UInt8]], of type: MessageType) throws(UsageError) {
      self.words = words
      self.type = type
    }

    func only(_ meaning: StaticString) throws(UsageError) -> Text {
      guard words.count == 1 else { throw .mistake("\(type.name) needs \(meaning)") }
      return Text(words[0])
    }

    func numbers() throws(UsageError) -> [Double] {
      var numbers: [Double] = []
      for word in words {
        guard let number = JSONNumber(word.span)?.double else {
          throw .mistake("\(quoted: word) is no number")
        }
        numbers.append(number)
      }
      return numbers
    }

    func checkNone(_ data: [UInt8]?) throws(UsageError) {
      guard words.isEmpty else { throw .mistake("\(type.name) takes no words") }
      try checkNoData(data)
    }

    func checkNoData(_ data: [UInt8]?) throws(UsageError) {
      guard data == nil else { throw .mistake("\(type.name) takes no --data") }
    }
  }
}

extension Webhook.ArgumentError {
  fileprivate var mistake: UsageError {
    switch self {
    case .malformed(.unexpected(let place)), .malformed(.outOfRange(let place)):
      .mistake("--data is no JSON: look at its byte \(place + 1)")
    case .malformed: .mistake("--data is no JSON: it ends too early, or is too deep or too large")
    case .notAnObject: .mistake("--data is JSON, and not an object: write it in braces")
    case .numberTooLarge: .mistake("--data holds a number that is too large for Home Assistant")
    case .eventTypeTooLong(let count):
      .mistake("an event's type has 64 characters at most, and not \(count)")
    }
  }
}
