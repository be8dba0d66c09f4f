import Bytes

/// The messages that a webhook of the `mobile_app` integration takes, as far as they are of use to
/// others than telephones.
public enum MessageType: CaseIterable, Sendable {
  /// Where the device is: `Location`.
  case updateLocation
  /// A sensor that Home Assistant does not know yet: `SensorRegistration`.
  case registerSensor
  /// What sensors show.
  case updateSensorStates
  /// `Webhook.CallService`
  case callService
  /// `Webhook.FireEvent`
  case fireEvent
  /// `Webhook.RenderTemplate`, and what is asked by one.
  case renderTemplate
  /// `Webhook.UpdateRegistration`
  case updateRegistration
  /// `Webhook.GetZones`
  case getZones
  /// `Webhook.GetConfiguration`
  case getConfiguration
  /// `Webhook.EnableEncryption`
  case enableEncryption
  /// `Webhook.StreamCamera`
  case streamCamera
  /// `Webhook.Converse`
  case conversationProcess
  /// `Webhook.ScanTag`
  case scanTag

  /// The type that Home Assistant calls by this name, or nil where there is none.
  public init?(name: Span<UInt8>) {
    for type in Self.allCases where name.elementsEqual(type.name) {
      self = type
      return
    }
    return nil
  }

  /// What Home Assistant calls it. It is case-sensitive, and drops other names without a word.
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

  /// Whether Home Assistant answers it with something to read. Then the answer is the proof that
  /// it took the message, and a bare `{}` says that it dropped it.
  ///
  /// The others are answered with `{}` whatever becomes of them.
  public var isAnswered: Bool {
    switch self {
    case .updateLocation, .callService, .fireEvent, .scanTag: false
    case .registerSensor, .updateSensorStates, .renderTemplate, .updateRegistration, .getZones,
      .getConfiguration, .enableEncryption, .streamCamera, .conversationProcess:
      true
    }
  }
}
