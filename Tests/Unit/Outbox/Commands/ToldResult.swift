import Bytes
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// The data of a `homeward_command` event.
struct ToldResult: JSONDecodable {
  let deviceID: String
  let device: String
  let command: String
  let id: String?
  let output: String?
  let action: String?
  let result: String
  let reason: String?
  let key: String?
  let time: Double?

  init(json: JSON) throws(JSONDecodingError) {
    deviceID = try json.get("device_id")
    device = try json.get("device")
    command = try json.get("command")
    id = try json.getIfPresent("id")
    output = try json.getIfPresent("output")
    action = try json.getIfPresent("action")
    result = try json.get("result")
    reason = try json.getIfPresent("reason")
    key = try json.getIfPresent("key")
    time = try json.getIfPresent("time")
  }

  fileprivate init?(message: String) {
    guard message.contains("homeward_command"),
      let message = try? JSON(parsing: Array(message.utf8).span),
      let event = message["data"],
      let told = try? event.get("event_data", as: ToldResult.self)
    else { return nil }
    self = told
  }
}

extension UplinkRig {
  /// The results that were sent, each as often as that.
  var told: [ToldResult] { messages.compactMap { ToldResult(message: $0) } }

  func notify(
    _ message: String, _ data: String = "{}", confirmID: String? = nil,
    confirmation: PushConfirmation = .taken
  ) throws {
    let id = confirmID ?? "\(results.count)-\(notifications.count)-\(message)"
    let json = #"{"message":"\#(message)","data":\#(data),"hass_confirm_id":"\#(id)"}"#
    let parsed = try JSON(parsing: Array(json.utf8).span)
    var notification = try PushNotification(json: parsed)
    notification.confirmation = confirmation
    event { $0.notified(notification, now: $1) }
  }

  func declare(_ sensor: SensorDescription) throws -> SensorIndex {
    let index = uplink.declare(sensor)
    return try #require(index)
  }

  func declare(_ name: String, isUrgent: Bool = false) throws -> SensorIndex {
    try declare(.plain(name, isUrgent: isUrgent))
  }

  /// Home Assistant takes the cycle under way, and these sensors in it, which it may not know.
  func proveAll(_ sensors: [String]) {
    let verdict = #"{"success":false,"error":{"code":"not_registered","message":""}}"#
    let taken = sensors.map { #""\#($0)":{"success":true},"# }.joined()
    let states = #"{\#(taken)"\#(Challenge(of: Self.nonce).key)":\#(verdict)}"#
    for _ in 0..<6 {
      let isRegistration = messages.last?.contains("register_sensor") == true
      answer(200, isRegistration ? #"{"success":true}"# : states)
    }
  }
}
