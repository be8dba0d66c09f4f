import Bytes
import HomeAssistant
import Sensing

/// Information of Home Assistant about itself and this device, and the time of the next request.
///
/// Invariants:
/// 1. Information is kept until it is replaced: doubt only causes a new request.
/// 2. At least one of every `locationsOnTrust` + 1 locations is verified, if that is possible.
struct KnownServer {
  /// Interval of requests: cloud addresses, version and zones may change without a visible restart.
  static let requestInterval: Duration = .seconds(24 * 3600)
  /// Number of unverified locations between two that are verified by reading them back.
  static let locationsOnTrust = 100

  /// Unique id of Home Assistant's tracker of this device.
  private let trackerID: [UInt8]
  private let events: DeliveryEvents
  private(set) var version = ServerVersion.unknown
  /// Id of this device in Home Assistant's registry; nil until it is received.
  private(set) var deviceID: Text?
  private var configurationDueAt = Instant(nanoseconds: 0)
  private let wantsZones: Bool
  private var zonesDueAt = Instant(nanoseconds: 0)
  private var trustedLocations = 0
  /// Whether the tracker is missing, so that locations are lost. Initially it is expected to exist.
  private var isTrackerMissing = false

  init(trackerID: [UInt8], wantsZones: Bool, _ events: DeliveryEvents) {
    self.trackerID = trackerID
    self.wantsZones = wantsZones
    self.events = events
  }

  func isConfigurationDue(now: Instant) -> Bool { now >= configurationDueAt }

  /// Requests the configuration in the first cycle after `moment`.
  mutating func configurationWanted(at moment: Instant) { configurationDueAt = moment }

  /// Whether the next location must be verified.
  var isReadBackDue: Bool { deviceID != nil && trustedLocations == 0 }

  func writeReadBack(_ challenge: Challenge, into data: inout ByteBuffer) {
    guard let deviceID else {
      preconditionFailure("a location is looked up by the id of its device")
    }
    Webhook.LocationReadBack(deviceID: deviceID, challenge: challenge).write(into: &data)
  }

  /// Handles a possible change of the server: another version, or other data about this device.
  mutating func doubted() {
    configurationDueAt = Instant(nanoseconds: 0)
    zonesDueAt = Instant(nanoseconds: 0)
    trustedLocations = 0
  }

  /// Handles the configuration. Returns it, or nil if it cannot be read; a repeated request would
  /// get the same answer.
  mutating func configurationAnswered(
    _ content: Span<UInt8>, now: Instant
  ) -> Webhook.ServerConfiguration? {
    configurationDueAt = now + Self.requestInterval
    do throws(JSONDecodingError) {
      let configuration = try Webhook.ServerConfiguration(content)
      let isDisabled = try Webhook.ServerConfiguration.isDisabled(trackerID, in: content)
      version = configuration.version
      deviceID = configuration.deviceID
      events.append(.configurationRead(configuration))
      // A missing tracker appears with the first location.
      if let isDisabled { trackerSeen(isMissing: isDisabled) }
      return configuration
    } catch {
      events.append(.configurationUnreadable)
      return nil
    }
  }

  // MARK: Zones

  func areZonesDue(now: Instant) -> Bool { wantsZones && now >= zonesDueAt }

  mutating func zonesAsked(now: Instant) { zonesDueAt = now + Self.requestInterval }

  /// Reports the zones without passive ones, which a board never enters, and without those that
  /// cannot be read: Home Assistant also has zones that are not loaded, which are nowhere. If none
  /// can be read, the known zones stay valid.
  func zonesAnswered(_ content: Span<UInt8>) {
    guard let zones = try? LossyArray<Webhook.Zone>(decoding: content),
      !zones.isEmpty || zones.skippedCount == 0
    else { return }
    let circles = zones.filter { !$0.isPassive }.map {
      ZoneWatch.Circle(
        center: EarthPoint(latitudeDegrees: $0.latitude, longitudeDegrees: $0.longitude),
        radiusMeters: $0.radiusMeters)
    }
    events.append(.zonesRead(circles))
  }

  // MARK: Locations

  /// Counts a location that is not verified.
  mutating func locationTrusted() { trustedLocations = max(trustedLocations - 1, 0) }

  /// Handles the verification of a location. After a dropped one the next one is verified too; a
  /// failed template is not a verdict, and would fail again.
  mutating func locationLookedUp(_ verdict: Webhook.LocationReadBack.Verdict?) {
    trustedLocations = verdict == .dropped ? 0 : Self.locationsOnTrust
    if let verdict { trackerSeen(isMissing: verdict == .noTracker) }
  }

  private mutating func trackerSeen(isMissing: Bool) {
    guard isMissing != isTrackerMissing else { return }
    isTrackerMissing = isMissing
    events.append(isMissing ? .trackerMissing : .trackerFound)
  }
}
