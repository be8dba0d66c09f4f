public import HomeAssistant
public import Sensing

extension Delivery {
  /// Action for the driver.
  public enum Action: Equatable, Sendable {
    /// Write this message with `write` and send it over `routeUnderWay`, by `carrierUnderWay`.
    case send(Message)
    /// Report the event, and store its data if necessary. The batch may be queried meanwhile.
    case tell(DeliveryEvent)
  }

  public enum Carrier: Sendable { case http, webSocket }

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

/// Carriers of messages: HTTP, or the WebSocket if the configuration prefers it and it is open.
struct Carriers {
  /// Address of the WebSocket; a message to another address uses HTTP. Nil if all messages use it.
  private let webSocketURL: [UInt8]?
  private(set) var isWebSocketOpen = false
  /// Carrier of the last message.
  private var last = Delivery.Carrier.http
  /// Whether the WebSocket of the last answer is still open.
  private var isWebSocketKept = false

  init(webSocketURL: [UInt8]?) { self.webSocketURL = webSocketURL }

  /// Returns the carrier of a message to this address.
  mutating func next(to url: [UInt8]?) -> Delivery.Carrier {
    let isPosted = isWebSocketOpen && url != nil && url == webSocketURL
    last = isPosted ? .webSocket : .http
    return last
  }

  mutating func ended(_ carrier: Delivery.Carrier, isAnswered: Bool) {
    isWebSocketKept = isAnswered && carrier == .webSocket
  }

  mutating func webSocketChanged(isOpen: Bool) {
    isWebSocketOpen = isOpen
    if !isOpen { isWebSocketKept = false }
  }

  /// Whether Home Assistant cannot have restarted since the last message.
  func isConnectionKept(isHTTPKept: Bool) -> Bool { last == .http ? isHTTPKept : isWebSocketKept }
}
