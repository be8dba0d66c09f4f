public import HomeAssistant
public import Sensing

extension Delivery {
  /// What the driver does next.
  public enum Action: Equatable, Sendable {
    /// Write this message with `write` and send it over `routeUnderWay`.
    case send(Message)
    /// Tell people, and keep what is to be kept. The batch can be asked about it meanwhile.
    case tell(DeliveryEvent)
  }

  /// What goes to Home Assistant.
  public enum Message: Equatable, Sendable {
    /// Its answer goes to `keyAnswered`; those of all others to `answerReceived`.
    case key
    case configuration
    case zones
    case registration
    case sensor(SensorIndex)
    case location
    case readBack
    case states
    case history
    case commandResult

    public var type: MessageType {
      switch self {
      case .key: .enableEncryption
      case .configuration: .getConfiguration
      case .zones: .getZones
      case .registration: .updateRegistration
      case .sensor: .registerSensor
      case .location: .updateLocation
      case .readBack: .renderTemplate
      case .states: .updateSensorStates
      case .history, .commandResult: .fireEvent
      }
    }
  }
}
