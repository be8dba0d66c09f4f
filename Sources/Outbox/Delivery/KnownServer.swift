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
  static let configurationInterval: Duration = .seconds(24 * 3600)
  /// Number of unverified locations between two that are verified by reading them back.
  static let locationsOnTrust = 100

  /// Unique id of Home Assistant's tracker of this device.
  private let trackerID: [UInt8]
  private(set) var version = ServerVersion.unknown
  /// Id of this device in Home Assistant's registry; nil until it is received.
  private(set) var deviceID: Text?
  /// Time of the next request; nil means at once.
  private var configurationDueAt: Instant?
  private let wantsZones: Bool
  /// Time of the next request; nil means at once.
  private var zonesDueAt: Instant?
  /// Zones received since the last `takeZones`.
  private var toldZones: [ZoneWatch.Circle]?
  private var trustedLocations = 0
  /// Whether the tracker is missing, so that locations are lost. Initially it is expected to exist.
  private var isTrackerMissing = false

  init(trackerID: [UInt8], wantsZones: Bool = false) {
    self.trackerID = trackerID
    self.wantsZones = wantsZones
  }

  func isConfigurationDue(now: Instant) -> Bool { configurationDueAt.map { now >= $0 } ?? true }

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
    configurationDueAt = nil
    zonesDueAt = nil
    trustedLocations = 0
  }

  /// Handles the configuration. Returns it, or nil if it cannot be read; a repeated request would
  /// get the same answer.
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
      // A missing tracker appears with the first location.
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

  /// Stores the zones without passive ones, which a board never enters. If they cannot be read, the
  /// known zones stay valid.
  mutating func zonesAnswered(_ content: Span<UInt8>) {
    guard let zones = try? [Webhook.Zone](decoding: content) else { return }
    toldZones = zones.filter { !$0.isPassive }.map {
      ZoneWatch.Circle(
        center: EarthPoint(latitudeDegrees: $0.latitude, longitudeDegrees: $0.longitude),
        radiusMeters: $0.radiusMeters)
    }
  }

  /// Returns the zones, if they were received since the last call.
  mutating func takeZones() -> [ZoneWatch.Circle]? {
    defer { toldZones = nil }
    return toldZones
  }

  // MARK: Locations

  /// Counts a location that is not verified.
  mutating func locationTrusted() { trustedLocations = max(trustedLocations - 1, 0) }

  /// Handles the verification of a location. After a dropped one the next one is verified too; a
  /// failed template is not a verdict, and would fail again.
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
