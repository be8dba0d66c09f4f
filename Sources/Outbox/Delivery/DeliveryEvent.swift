public import Bytes
public import HomeAssistant
public import Sensing

/// Events of a delivery that wait to be reported.
final class DeliveryEvents {
  private var queue = Queue<DeliveryEvent>(capacity: 64)

  func append(_ event: DeliveryEvent) { queue.append(event) }
  func takeFirst() -> DeliveryEvent? { queue.takeFirst() }
}

/// Event that a `Delivery` reports.
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
  /// Home Assistant's configuration cannot be read.
  case configurationUnreadable
  /// Home Assistant knows the changes of the device; the receiver must store the fingerprint.
  indirect case registrationTold(fingerprint: Text)
  /// Home Assistant ignored the changes of the device.
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
