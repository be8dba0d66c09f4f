import Board
import Bytes
import HomeAssistant
import LinuxIO
import YAML

struct WrittenMessage {
  /// Maximum size of `data`; a `register_sensor` has some hundred bytes.
  static let dataByteCountMax = 2 * DataArgument.byteCountMax

  let type: MessageType
  /// JSON of `data`; nil if only the board knows it (`update_registration`).
  let data: [UInt8]?

  /// Reads the type and the words after it; `data` is the value of `--data`.
  init(_ words: [[UInt8]], data: DataArgument?) throws(UsageError) {
    guard let name = words.first else {
      throw .mistake("name a type, such as get_config")
    }
    guard let type = MessageType(name: name.span) else { throw Self.unknown(name) }
    self.type = type
    let words = MessageWords(type: type, words: Array(words.dropFirst()), data: data)
    self.data = try Self.data(of: type, words)
  }

  private static func unknown(_ name: [UInt8]) -> UsageError {
    let names = MessageType.allCases.map { $0.name }
    guard let nearest = Suggestion.nearest(to: name, in: names) else {
      return .mistake("\(quoted: name) is not a message type of Home Assistant")
    }
    return .mistake(
      "\(quoted: name) is not a message type of Home Assistant; did you mean \"\(nearest)\"?"
    )
  }

  private static func data(
    of type: MessageType, _ words: MessageWords
  ) throws(UsageError) -> [UInt8]? {
    switch type {
    case .updateRegistration:
      try words.checkNothing()
      return nil
    case .getConfiguration, .getZones, .enableEncryption:
      try words.checkNothing()
      return [UInt8]("{}")
    case .renderTemplate: return try template(words)
    case .fireEvent: return try event(words)
    case .callService: return try call(words)
    case .scanTag:
      return try written(Webhook.scanTag(try words.onlyWord("the id of a tag")))
    case .conversationProcess:
      return try written(Webhook.converse(try words.onlyWord("a sentence, in quotes")))
    case .streamCamera:
      let camera = try words.onlyWord("the id of an entity, such as camera.deck")
      return try written(Webhook.streamCamera(camera))
    case .updateLocation: return try location(words)
    case .registerSensor: return try written(.object(try words.onlyData().object()))
    case .updateSensorStates: return try written(.array(try words.onlyData().array()))
    }
  }

  // MARK: The types that take more than a word

  private static func template(_ words: MessageWords) throws(UsageError) -> [UInt8] {
    let template = try words.word("a template, such as '{{ now() }}'")
    return try written(
      .object([SendReport.templateKey: Webhook.template(template, variables: try words.members())]))
  }

  private static func event(_ words: MessageWords) throws(UsageError) -> [UInt8] {
    let type = try words.word("the type of an event, such as harbour_reached")
    let members = try words.members()
    let event: JSON
    do throws(Webhook.ArgumentError) { event = try Webhook.fireEvent(type, data: members) } catch {
      throw error.mistake
    }
    return try written(event)
  }

  private static func call(_ words: MessageWords) throws(UsageError) -> [UInt8] {
    let meaning: StaticString = "a service, such as light.turn_on"
    let name = try words.word(meaning).bytes
    guard let dot = name.firstIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else {
      throw .mistake("\(quoted: name) is not \(meaning)")
    }
    return try written(
      Webhook.callService(
        Text([UInt8](name[..<dot])), Text([UInt8](name[(dot + 1)...])), data: try words.members()))
  }

  /// Accuracy in metres if none is given: that of a phone under the open sky.
  private static let standardAccuracyMeters = 10.0

  /// Keys of a location that every Home Assistant accepts.
  private static let locationKeys: [Text] = [
    "location_name", "gps", "gps_accuracy", "battery", "speed", "altitude", "course",
    "vertical_accuracy",
  ]

  /// Checks the keys: Home Assistant drops a whole location with any other key, and answers as
  /// usual.
  private static func locationMembers(_ words: MessageWords) throws(UsageError) -> [UInt8] {
    let members = try words.onlyData().object()
    for (key, _) in members.members where !locationKeys.contains(key) {
      if key == "in_zones" {
        throw .mistake(
          "Home Assistant before 2026.6 drops a location with \"in_zones\" in it; leave it out")
      }
      throw .mistake("Home Assistant drops a location with \(quoted: key.bytes) in it")
    }
    return try written(.object(members))
  }

  private static func location(_ words: MessageWords) throws(UsageError) -> [UInt8] {
    if words.isEmpty { return try locationMembers(words) }
    let numbers = try words.numbers()
    guard (2...3).contains(numbers.count) else {
      throw .mistake(
        "update_location needs a latitude, a longitude and perhaps an accuracy in metres, or --data"
      )
    }
    let location = Location(
      latitude: numbers[0], longitude: numbers[1],
      accuracyMeters: numbers.count == 3 ? numbers[2] : standardAccuracyMeters)
    guard let location else {
      throw .mistake(
        "that is nowhere on Earth: a latitude is -90 to 90, a longitude -180 to 180, and an accuracy"
          + " is not negative")
    }
    return try written { location.write(into: &$0) }
  }

  // MARK: Writing

  private static func written(_ json: JSON) throws(UsageError) -> [UInt8] {
    try written { json.write(into: &$0) }
  }

  private static func written(_ write: (inout ByteBuffer) -> Void) throws(UsageError) -> [UInt8] {
    var buffer = ByteBuffer(capacity: dataByteCountMax)
    write(&buffer)
    guard !buffer.isOverflowed else { throw .mistake("the message is longer than 2 MiB") }
    return [UInt8](buffer.bytes)
  }
}

private struct MessageWords {
  let type: MessageType
  let words: [[UInt8]]
  let data: DataArgument?

  var isEmpty: Bool { words.isEmpty }

  /// Returns the only word, beside `--data`.
  func word(_ meaning: StaticString) throws(UsageError) -> Text {
    guard words.count == 1 else { throw .mistake("\(type.name) needs \(meaning)") }
    return Text(words[0])
  }

  func onlyWord(_ meaning: StaticString) throws(UsageError) -> Text {
    try checkNoData()
    return try word(meaning)
  }

  func members() throws(UsageError) -> JSONObject { try data?.object() ?? [:] }

  func onlyData() throws(UsageError) -> DataArgument {
    try checkNoWords()
    guard let data else { throw .mistake("\(type.name) needs --data") }
    return data
  }

  func numbers() throws(UsageError) -> [Double] {
    try checkNoData()
    var numbers: [Double] = []
    for word in words {
      guard let number = JSONNumber(word.span) else {
        throw .mistake("\(quoted: word) is not a number")
      }
      numbers.append(number.double)
    }
    return numbers
  }

  func checkNothing() throws(UsageError) {
    try checkNoWords()
    try checkNoData()
  }

  private func checkNoWords() throws(UsageError) {
    guard words.isEmpty else { throw .mistake("\(type.name) takes no words") }
  }

  private func checkNoData() throws(UsageError) {
    guard data == nil else { throw .mistake("\(type.name) takes no --data here") }
  }
}

/// Value of `--data`: JSON from the command line or from standard input.
struct DataArgument {
  static let byteCountMax = 1 << 20

  private let text: [UInt8]

  init(_ text: [UInt8]) { self.text = text }

  static var option: Options.Row { ("--data", "JSON, or - for standard input") }

  /// Reads the value of `--data`, in which `-` stands for standard input; nil if it is not given.
  init?(in options: Options) throws(UsageError) {
    guard let value = options["--data"] else { return nil }
    guard value.span.elementsEqual("-") else {
      self.init(value)
      return
    }
    do throws(Errno) {
      self.init(try readStandardInput(byteCountMax: Self.byteCountMax))
    } catch .fileTooLarge {
      throw .mistake("standard input holds more than 1 MiB, the limit of a message")
    } catch {
      throw .mistake("standard input cannot be read: \(error)")
    }
  }

  func object() throws(UsageError) -> JSONObject {
    do throws(Webhook.ArgumentError) { return try Webhook.members(parsing: text.span) } catch {
      throw error.mistake
    }
  }

  func array() throws(UsageError) -> [JSON] {
    let value: JSON
    do throws(Webhook.ArgumentError) { value = try Webhook.value(parsing: text.span) } catch {
      throw error.mistake
    }
    guard case .array(let elements) = value else {
      throw .mistake("--data must be a JSON array: write it in brackets")
    }
    return elements
  }
}

extension Webhook.ArgumentError {
  var mistake: UsageError {
    switch self {
    case .malformed(.truncated): .mistake("--data is not JSON: it ends too early")
    case .malformed(.unexpected(let place)), .malformed(.outOfRange(let place)):
      .mistake("--data is not JSON: the error is at byte \(place + 1)")
    case .malformed(.tooDeep), .malformed(.tooLarge):
      .mistake("--data is nested too deeply or has too many values")
    case .notAnObject: .mistake("--data must be a JSON object: write it in braces")
    case .numberTooLarge: .mistake("--data holds a number that is too large for Home Assistant")
    case .eventTypeTooLong(let count):
      .mistake(
        "an event's type can have at most \(Webhook.eventTypeCharacterCountMax) characters,"
          + " not \(count)")
    }
  }
}
