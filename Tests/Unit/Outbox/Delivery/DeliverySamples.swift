import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

extension Routes {
  /// One way, and no other.
  static var direct: Routes { forTests(at: .unknown) }

  static func forTests(
    _ instance: String = "http://ha", home: String? = nil, cloudhook: String? = nil,
    at presence: HomeNetworks.Presence = .home, isPlainAllowedAway: Bool = false
  ) -> Routes {
    Routes(
      instance: [UInt8](instance.utf8), home: home.map { [UInt8]($0.utf8) },
      cloudhook: cloudhook.map { [UInt8]($0.utf8) }, remoteUI: nil, presence: presence,
      isPlainAllowedAway: isPlainAllowedAway, seed: 1, now: Instant(nanoseconds: 0))
  }
}

extension Registration {
  static func forTests(isPlain: Bool = false) throws -> Registration {
    let digits = [UInt8](repeating: UInt8(ascii: "5"), count: 64)
    let registration = SecretKey(hexadecimal: digits.span).flatMap {
      Registration(webhookID: [UInt8]("webhook".utf8), protection: isPlain ? .plain : .sealed($0))
    }
    return try #require(registration)
  }
}

extension RegistrationRequest {
  static let boat = RegistrationRequest(
    deviceID: [UInt8]("board".utf8), deviceName: [UInt8]("Boat".utf8),
    manufacturer: [UInt8]("m".utf8), model: [UInt8]("m".utf8), osName: [UInt8]("Linux".utf8),
    osVersion: [UInt8]("6".utf8), appVersion: [UInt8]("1".utf8))
  /// What Home Assistant answers where it has taken `boat`.
  static let answeredForBoat =
    #"{"app_id":"homeward","app_name":"Homeward","app_version":"1","device_name":"Boat","#
    + #""manufacturer":"m","model":"m","os_version":"6","supports_encryption":true}"#
}

extension Challenge {
  /// Of a nonce of zeros.
  static var zeros: Challenge { Challenge(of: Nonce(randomBytes: InlineArray(repeating: 0))) }
}

/// What stands in an `update_sensor_states` for Home Assistant's users: the first element is for
/// the proof only.
func withoutChallenge(_ states: String) -> String {
  guard let end = states.firstIndex(of: "}") else { return states }
  let rest = states[states.index(after: end)...]
  return "[" + (rest.hasPrefix(",") ? rest.dropFirst() : rest)
}

/// What Home Assistant shows of a location that it took this moment.
func readBack(ofLocation data: String, age: String = "0") -> String {
  let numbers = data.split(separator: "[")[1].split(separator: "]")[0].split(separator: ",")
  return #"{"p":{"e":"device_tracker.board","lat":\#(numbers[0]),"lon":\#(numbers[1]),"#
    + #""acc":3,"age":\#(age)}}"#
}

/// The moment of the `Fix.here(at:)` that was written.
func moment(ofLocation data: String) -> Instant {
  let longitude = data.split(separator: ",")[1].split(separator: "]")[0]
  return Instant(nanoseconds: Int64(((Double(longitude) ?? .nan) * 1000).rounded()) * 1_000_000_000)
}

/// An element of an `update_sensor_states`.
struct StateElement {
  var id = ""
  var state = ""
}

func elements(of states: String) throws(JSONError) -> [StateElement] {
  let bytes = [UInt8](states.utf8)
  var reader = JSONReader(bytes.span)
  var elements: [StateElement] = []
  try reader.openArray()
  while try reader.nextElement() {
    var element = StateElement()
    try reader.openObject()
    while let key = try reader.nextKey() {
      let isID = key.elementsEqual("unique_id")
      let isState = key.elementsEqual("state")
      let value = String(decoding: bytes[try reader.skipValue()], as: UTF8.self)
      if isID { element.id = String(value.dropFirst().dropLast()) }
      if isState { element.state = value }
    }
    elements.append(element)
  }
  return elements
}

func ids(in states: String) throws(JSONError) -> [String] {
  var ids: [String] = []
  for element in try elements(of: states) { ids.append(element.id) }
  return ids
}

extension DeliveryEvents {
  /// Takes the events that wait.
  func takeAll() -> [DeliveryEvent] {
    var events: [DeliveryEvent] = []
    while let event = takeFirst() { events.append(event) }
    return events
  }
}
