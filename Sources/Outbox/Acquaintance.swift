import Bytes
import HomeAssistant

/// What Home Assistant told about itself, and when it is to be asked again.
struct Acquaintance {
  /// Its addresses in the cloud and its version may change without a restart that would be seen.
  static let configurationInterval: Duration = .seconds(24 * 3600)
  /// Locations that are sent on trust between two that are looked up.
  static let locationsOnTrust = 100

  private(set) var server = ServerVersion.unknown
  /// This device in Home Assistant's registry; nil where that was never told.
  private(set) var deviceID: Text?
  /// Nil: at once.
  private var configurationDueAt: Instant?
  private var trustedLocations = 0
  /// Whether locations go nowhere; nil where that is not known.
  private var isTrackerMissing: Bool?

  func isConfigurationDue(now: Instant) -> Bool { configurationDueAt.map { now >= $0 } ?? true }

  /// Whether the next location is to be looked up.
  var isReadBackDue: Bool { deviceID != nil && trustedLocations == 0 }

  /// It may be another one than before: another version, or with another memory of this device.
  mutating func doubt() {
    configurationDueAt = nil
    trustedLocations = 0
  }

  mutating func learn(_ configuration: Webhook.ServerConfiguration, now: Instant) {
    server = configuration.version
    deviceID = configuration.deviceID
    configurationDueAt = now + Self.configurationInterval
  }

  /// What it said of itself cannot be read; it would say the same again.
  mutating func learnNothing(now: Instant) {
    configurationDueAt = now + Self.configurationInterval
  }

  /// A location was sent that was not looked up.
  mutating func trust() { trustedLocations = max(trustedLocations - 1, 0) }

  /// A location was looked up. One that was dropped makes the next one be looked up as well.
  mutating func lookedUp(isDropped: Bool) {
    trustedLocations = isDropped ? 0 : Self.locationsOnTrust
  }

  /// Returns whether this is news. That there is a tracker is expected.
  mutating func learn(isTrackerMissing: Bool) -> Bool {
    defer { self.isTrackerMissing = isTrackerMissing }
    return isTrackerMissing != (self.isTrackerMissing ?? false)
  }
}
