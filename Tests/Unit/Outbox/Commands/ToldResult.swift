import Bytes
import Foundation
import Sensing
import Testing

@testable import HomeAssistant
@testable import Outbox

/// The data of a `homeward_command` event, read by Foundation's JSON reader.
struct ToldResult: Decodable {
  private struct Message: Decodable {
    struct Event: Decodable {
      let eventType: String
      let eventData: ToldResult
    }
    let data: Event
  }

  let deviceId: String
  let device: String
  let command: String
  let id: String?
  let output: String?
  let action: String?
  let result: String
  let reason: String?
  let key: String?
  let time: Double?

  fileprivate init?(message: String) {
    guard message.contains("homeward_command") else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let message = try? decoder.decode(Message.self, from: Data(message.utf8)) else {
      return nil
    }
    self = message.data.eventData
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
    var notification = try PushNotification(json: JSON(parsing: Array(json.utf8).span))
    notification.confirmation = confirmation
    event { $0.notified(notification, now: $1) }
  }

  func declare(_ name: String) throws -> SensorIndex {
    let index = uplink.declare(.plain(name))
    return try #require(index)
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
