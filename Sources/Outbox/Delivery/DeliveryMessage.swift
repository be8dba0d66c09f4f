public import HomeAssistant
public import Sensing

extension Delivery {
  /// Action for the driver.
  public enum Action: Equatable, Sendable {
    /// Write this message with `write` and send it over `routeUnderWay`.
    case send(Message)
    /// Report the event, and store its data if necessary. The batch may be queried meanwhile.
    case tell(DeliveryEvent)
  }

  /// Message to Home Assistant.
  public enum Message: Equatable, Sendable {
    /// Request for a key. Its answer goes to `keyAnswered`, every other answer to `answerReceived`.
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
