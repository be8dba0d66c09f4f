import Bytes

/// Types of messages to a webhook of the `mobile_app` integration, without those for telephones
/// only.
public enum MessageType: CaseIterable, Sendable {
  /// Location of the device: `Location`.
  case updateLocation
  /// New sensor: `SensorRegistration`.
  case registerSensor
  /// States of sensors.
  case updateSensorStates
  /// Service call: `Webhook.callService`.
  case callService
  /// Event: `Webhook.fireEvent`.
  case fireEvent
  /// Templates: members of `Webhook.template`.
  case renderTemplate
  /// Changes of the device: `RegistrationRequest.writeUpdate`.
  case updateRegistration
  /// Request for the zones: an array of `Webhook.Zone`.
  case getZones
  /// Request for the configuration: `Webhook.ServerConfiguration`.
  case getConfiguration
  /// Request for a key: `Webhook.EnableEncryption`.
  case enableEncryption
  /// Request for a camera's streams: `Webhook.streamCamera`.
  case streamCamera
  /// Conversation: `Webhook.converse`.
  case conversationProcess
  /// Scanned tag: `Webhook.scanTag`.
  case scanTag

  /// Returns the type with this name in Home Assistant, or nil if there is none.
  public init?(name: Span<UInt8>) {
    for type in Self.allCases where name.elementsEqual(type.name) {
      self = type
      return
    }
    return nil
  }

  /// Name in Home Assistant, which is case-sensitive and silently drops other names.
  public var name: StaticString {
    switch self {
    case .updateLocation: "update_location"
    case .registerSensor: "register_sensor"
    case .updateSensorStates: "update_sensor_states"
    case .callService: "call_service"
    case .fireEvent: "fire_event"
    case .renderTemplate: "render_template"
    case .updateRegistration: "update_registration"
    case .getZones: "get_zones"
    case .getConfiguration: "get_config"
    case .enableEncryption: "enable_encryption"
    case .streamCamera: "stream_camera"
    case .conversationProcess: "conversation_process"
    case .scanTag: "scan_tag"
    }
  }

  /// Whether Home Assistant answers it with content. Then the answer proves that it accepted the
  /// message, and a bare `{}` means that it dropped it.
  ///
  /// To the other types it always answers `{}`.
  public var isAnswered: Bool {
    switch self {
    case .updateLocation, .callService, .fireEvent, .scanTag: false
    case .registerSensor, .updateSensorStates, .renderTemplate, .updateRegistration, .getZones,
      .getConfiguration, .enableEncryption, .streamCamera, .conversationProcess:
      true
    }
  }
}
