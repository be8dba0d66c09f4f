import Bytes
import HomeAssistant
import Sensing

/// What Home Assistant told about itself and this device, and when it is to be asked again.
///
/// Invariants:
/// 1. What was told is kept until something else is told: doubt only makes it be asked for again.
/// 2. Of `locationsOnTrust` locations and one, at least one is looked up, where that is possible.
struct KnownServer {
  /// Its addresses in the cloud, its version and its zones may change without a restart that would
  /// be seen.
  static let configurationInterval: Duration = .seconds(24 * 3600)
  /// Locations that are sent on trust between two that are looked up.
  static let locationsOnTrust = 100

  /// Home Assistant's tracker of this device, by its unique id.
  private let trackerID: [UInt8]
  private(set) var version = ServerVersion.unknown
  /// This device in Home Assistant's registry; nil where that was never told.
  private(set) var deviceID: Text?
  /// Nil: at once.
  private var configurationDueAt: Instant?
  private let wantsZones: Bool
  /// Nil: at once.
  private var zonesDueAt: Instant?
  /// Those that were told last, once.
  private var toldZones: [ZoneWatch.Circle]?
  private var trustedLocations = 0
  /// Whether locations go nowhere. That there is a tracker is expected.
  private var isTrackerMissing = false

  init(trackerID: [UInt8], wantsZones: Bool = false) {
    self.trackerID = trackerID
    self.wantsZones = wantsZones
  }

  func isConfigurationDue(now: Instant) -> Bool { configurationDueAt.map { now >= $0 } ?? true }

  /// Whether the next location is to be looked up.
  var isReadBackDue: Bool { deviceID != nil && trustedLocations == 0 }

  func writeReadBack(_ challenge: Challenge, into data: inout ByteBuffer) {
    guard let deviceID else {
      preconditionFailure("a location is looked up by the id of its device")
    }
    Webhook.LocationReadBack(deviceID: deviceID, challenge: challenge).write(into: &data)
  }

  /// It may be another one than before: another version, or with another memory of this device.
  mutating func doubted() {
    configurationDueAt = nil
    zonesDueAt = nil
    trustedLocations = 0
  }

  /// Returns what it said of itself; nil where that cannot be read, because it would say the same
  /// again.
  mutating func configurationAnswered(
    _ content: Span<UInt8>, now: Instant, telling tellings: inout Queue<DeliveryEvent>
  ) -> Webhook.ServerConfiguration? {
    configurationDueAt = now + Self.configurationInterval
    do throws(JSONDecodingError) {
      let configuration = try Webhook.ServerConfiguration(content)
      let isDisabled = try Webhook.ServerConfiguration.isDisabled(trackerID, in: content)
      version = configuration.version
      deviceID = configuration.deviceID
      tellings.append(.configurationRead(configuration))
      // One that is not there yet comes with the first location.
      if let isDisabled { trackerSeen(isMissing: isDisabled, telling: &tellings) }
      return configuration
    } catch {
      tellings.append(.configurationUnreadable)
      return nil
    }
  }

  // MARK: Zones

  func areZonesDue(now: Instant) -> Bool {
    wantsZones && (zonesDueAt.map { now >= $0 } ?? true)
  }

  mutating func zonesAsked(now: Instant) { zonesDueAt = now + Self.configurationInterval }

  /// Where they cannot be read, those that are known hold. No board is ever said to be in a passive
  /// one.
  mutating func zonesAnswered(_ content: Span<UInt8>) {
    guard let zones = try? Webhook.GetZones.read(content) else { return }
    toldZones = zones.filter { !$0.isPassive }.map {
      ZoneWatch.Circle(
        center: EarthPoint(latitudeDegrees: $0.latitude, longitudeDegrees: $0.longitude),
        radiusMeters: $0.radiusMeters)
    }
  }

  /// The zones, where they were told since the last time that this was asked.
  mutating func takeZones() -> [ZoneWatch.Circle]? {
    defer { toldZones = nil }
    return toldZones
  }

  // MARK: Locations

  /// A location was sent and is not looked up.
  mutating func locationTrusted() { trustedLocations = max(trustedLocations - 1, 0) }

  /// A location was looked up. One that was dropped makes the next one be looked up as well; a
  /// template that failed, which is no verdict, would fail again.
  mutating func locationLookedUp(
    _ verdict: Webhook.LocationReadBack.Verdict?, telling tellings: inout Queue<DeliveryEvent>
  ) {
    trustedLocations = verdict == .dropped ? 0 : Self.locationsOnTrust
    if let verdict { trackerSeen(isMissing: verdict == .noTracker, telling: &tellings) }
  }

  private mutating func trackerSeen(
    isMissing: Bool, telling tellings: inout Queue<DeliveryEvent>
  ) {
    guard isMissing != isTrackerMissing else { return }
    isTrackerMissing = isMissing
    tellings.append(isMissing ? .trackerMissing : .trackerFound)
  }
}
