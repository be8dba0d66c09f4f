public import Bytes
public import HomeAssistant
public import Sensing

/// Events of a delivery that wait to be reported.
final class DeliveryEvents {
  private var queue = Queue<DeliveryEvent>(capacity: 64)

  // Inlined, the growth of the queue would be repeated at each of the many calls.
  @inline(never)
  func append(_ event: DeliveryEvent) { queue.append(event) }

  func takeFirst() -> DeliveryEvent? { queue.takeFirst() }
}

public enum DeliveryEvent: Equatable, Sendable {
  /// Home Assistant has everything recorded until now.
  case proven(readings: Int, hasLocation: Bool)
  case sensorRegistered(SensorIndex)
  /// Home Assistant refused a sensor.
  case sensorRefused(SensorIndex)
  /// Home Assistant refused a value.
  case readingRefused(SensorIndex)
  /// Home Assistant has lost a sensor, which is registered again.
  case sensorForgotten(SensorIndex)
  /// A route failed, and another one is available.
  case routeFailed(Route, OutageCause)
  /// A proof came over another route than the last one.
  case routeTaken(Route)
  /// An outage began, or has a new cause.
  case outage(OutageCause)
  /// An outage ended; replaced entries follow as history.
  case recovered(after: Duration, Batch.Superseded)
  /// Readings came faster than they could be delivered, without an outage; they follow as history.
  case superseded(Batch.Superseded)
  /// Home Assistant has a chunk of history.
  case historyProven(entries: Int)
  /// Home Assistant's configuration was received.
  indirect case configurationRead(Webhook.ServerConfiguration)
  /// Home Assistant's zones that a board can enter were received.
  case zonesRead([ZoneWatch.Circle])
  /// Home Assistant's configuration cannot be read.
  case configurationUnreadable
  /// Home Assistant knows the device as reported; the receiver must store a new fingerprint.
  indirect case registrationTold(fingerprint: Text)
  /// Home Assistant ignored the report of the device.
  case registrationDropped
  /// Home Assistant dropped a location.
  case locationDropped
  /// The tracker is disabled or missing, so locations are lost.
  case trackerMissing
  case trackerFound
  /// The registration now has a key.
  case sealed
  /// This Home Assistant offers no keys.
  case sealingImpossible
  /// For this long every answer has looked as if the registration were deleted.
  case registrationDoubted(after: Duration)
}

extension Delivery {
  public enum Action: Equatable, Sendable {
    /// Write this message with `write` and send it as `underWay` says.
    case send(Message)
    /// Report the event, and store its data if necessary. The batch may be queried meanwhile.
    case tell(DeliveryEvent)
  }

  /// Encryption of the registration.
  public enum Protection: Equatable, Sendable {
    case sealed
    case plain
    /// The registration has no key, and Home Assistant offers none.
    case plainForGood
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

/// State of the delivery, for status displays.
public enum DeliveryStatus: Equatable, Sendable {
  /// No attempt has ended yet.
  case untried
  /// The last completed cycle was proven.
  case proven
  /// Attempts fail and continue. `isDoubted` if Home Assistant seems not to know this device.
  case outage(OutageCause, since: Instant, isDoubted: Bool)
}
