public import Bytes
public import HomeAssistant
public import Sensing

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
  indirect case configurationRead(Webhook.ServerConfiguration)
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
