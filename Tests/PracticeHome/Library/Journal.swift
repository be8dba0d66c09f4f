/// One thing that happened, as a person would tell it.
public struct JournalEntry: Sendable, Equatable {
  public var time: Moment
  /// The name of the device, if the message could be told to be from one.
  public var device: String?
  /// The id the device registered with: names may be those of several.
  public var deviceID: String?
  /// Whether the message came sealed; nil where sealing does not apply.
  public var sealed: Bool?
  public var event: Event

  public init(
    time: Moment, device: String?, deviceID: String? = nil, sealed: Bool?, event: Event
  ) {
    self.time = time
    self.device = device
    self.deviceID = deviceID
    self.sealed = sealed
    self.event = event
  }
}

/// What a message turned out to be, with its opened content.
public enum Event: Sendable, Equatable {
  /// A device registered, possibly in place of its earlier registration.
  case registered(DeviceDescription, replaced: Bool)
  case registrationUpdated(DeviceDescription)
  case encryptionEnabled
  case sensorRegistered(SensorDescription)
  case readings([SensorReading])
  /// A location was stored; the values are those Home Assistant keeps.
  case located(JSONObject)
  case eventFired(type: String, data: JSONObject)
  case tagScanned(String)
  case serviceCalled(domain: String, service: String, data: JSONObject)
  /// Something was asked that changes nothing: `get_config`, `get_zones`, `render_template`.
  case asked(String)
  case refused(Refused)
  case occurred(Occurrence)
}

/// A device as it introduced itself; nothing secret in it.
public struct DeviceDescription: Sendable, Equatable {
  public var appID: String
  public var appVersion: String
  public var deviceID: String
  public var deviceName: String
  public var manufacturer: String
  public var model: String
  /// Nil is legal and fatal: such a registration never answers.
  public var osVersion: String?
  public var supportsEncryption: Bool
}

/// A sensor as it was registered.
public struct SensorDescription: Sendable, Equatable {
  public var entityID: String
  /// The content of `register_sensor`, defaults filled in.
  public var content: JSONObject
  /// What is shown now, and its unit; nil if nothing is.
  public var shown: String?
  public var unit: String?

  public var uniqueID: String { content["unique_id"]?.string ?? "" }
  public var name: String { content["name"]?.string ?? "" }
}

/// One element of `update_sensor_states` that changed what is shown.
public struct SensorReading: Sendable, Equatable {
  public var uniqueID: String
  public var entityID: String
  /// As it was sent.
  public var state: JSON
  /// As it is shown now, and in which unit.
  public var shown: String
  public var unit: String?
  public var icon: JSON
  public var attributes: JSONObject
}

/// A message, or one sensor's part of it, that left no trace in the home.
public struct Refused: Sendable, Equatable {
  public var refusal: Refusal
  /// The message's type, if it got as far as having one.
  public var type: String?
  /// What was answered; 200 is Home Assistant's silence.
  public var status: Int
  /// The content, if it could be opened.
  public var content: JSON?

  public var reason: String { refusal.reason(type: type) }
}

/// Counts since the start.
public struct Counters: Sendable, Equatable {
  public var registrations = 0
  /// Single values stored, not messages.
  public var readings = 0
  public var locations = 0
  public var refused = 0
  /// Messages to webhooks that came in an envelope, opened or not.
  public var sealed = 0
  /// Messages to webhooks that came readable to everybody.
  public var plain = 0

  mutating func count(_ event: Event) {
    switch event {
    case .registered: registrations += 1
    case .readings(let batch): readings += batch.count
    case .located: locations += 1
    case .refused: refused += 1
    default: break
    }
  }
}
