public import Bytes
public import HomeAssistant
public import Sensing

/// The time from the first delivery that was not proven to the next one that is.
struct Outage {
  typealias Cause = OutageCause

  let since: Instant
  var cause: Cause?
  /// When the last attempt ended; nil where none was made.
  var attemptedAt: Instant?
  /// Since when every answer looks as if the registration were gone.
  var doubtfulSince: Instant?
  /// Whether it was said that the registration is probably gone.
  var isDoubted = false
}

/// Why a delivery was not proven.
public enum OutageCause: Equatable, Sendable {
  /// Held in a box: the other causes are small, and this is copied with them.
  indirect case noConnection(InlineText)
  /// A body of no bytes: Home Assistant starts or reloads, or the registration is gone.
  case notLive
  /// A plain answer where a sealed one was due: the message was dropped.
  case dropped
  /// An answer that our key does not open.
  case otherKey
  /// 410: the registration was deleted.
  case gone
  case badRequest
  case encryptionRequired
  /// No handler of Home Assistant answered.
  case server(ServerRefusal)
  /// There is no way that may be taken: where this may not be home nothing is sent in plain.
  case noRoute
  /// The answer opened with our key and is not what Home Assistant's documentation promises.
  case unreadableAnswer
  /// The answer opened with our key, and is not the one to this message: it is an old one, which a
  /// proxy or an attacker on the way gives again.
  case otherAnswer

  /// Why a message with this answer is not proven.
  public init(_ answer: Answer) {
    switch answer {
    case .opened, .content: self = .unreadableAnswer
    case .unproven: self = .dropped
    case .otherKey: self = .otherKey
    case .notLive: self = .notLive
    case .encryptionRequired: self = .encryptionRequired
    case .badRequest, .refused: self = .badRequest
    case .gone: self = .gone
    case .server(let refusal): self = .server(refusal)
    }
  }

  /// Whether a lasting outage of this kind means that the registration is no longer ours.
  var isDoubtful: Bool {
    switch self {
    case .notLive, .dropped, .otherKey, .encryptionRequired, .gone: true
    default: false
    }
  }
}

/// What a `Delivery` has to tell.
public enum DeliveryEvent: Equatable, Sendable {
  /// Home Assistant has everything up to here.
  case proven(readings: Int, hasLocation: Bool)
  case sensorRegistered(SensorIndex)
  /// Home Assistant did not want a sensor.
  case sensorRefused(SensorIndex)
  /// Home Assistant did not want a value.
  case readingRefused(SensorIndex)
  /// Home Assistant does not know a sensor any more; it is registered again.
  case sensorForgotten(SensorIndex)
  /// A route was not taken any further, and another one is there.
  case routeFailed(Route, OutageCause)
  /// A proof came over another route than the one before.
  case routeTaken(Route)
  /// An outage began, or goes on for another reason.
  case outage(OutageCause)
  /// It is over; what was replaced meanwhile follows as history.
  case recovered(after: Duration, Batch.Superseded)
  /// Readings came faster than they could be delivered, without an outage; they follow as history.
  case superseded(Batch.Superseded)
  /// Home Assistant has a chunk of history.
  case historyProven(entries: Int)
  /// What Home Assistant said of itself, in a box.
  indirect case acquainted(Webhook.ServerConfiguration)
  /// What Home Assistant said of itself cannot be read.
  case configurationUnreadable
  /// Home Assistant knows what has changed about the device; the fingerprint is to be kept.
  indirect case registrationTold(fingerprint: Text)
  /// Home Assistant did not want to know what has changed about the device.
  case registrationDropped
  /// Home Assistant did not take a location.
  case locationDropped
  /// The user disabled the tracker, or there is none: locations go nowhere.
  case trackerMissing
  case trackerFound
  /// The registration has a key from now on.
  case sealed
  /// This Home Assistant has no keys to give.
  case sealingImpossible
  /// For this long every answer has looked as if the registration were gone.
  case registrationDoubted(after: Duration)
}
