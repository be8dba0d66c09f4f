import Bytes

/// The values of a fix that the track filter needs.
struct TrackSighting {
  let point: EarthPoint
  let instant: Instant
  /// Speed that the receiver reports.
  let speedMetersPerSecond: Double?
  let errorMeters: Double
  /// Course that the receiver reports, of a moving board.
  var direction: Direction?

  /// Error assumed for a fix that has none.
  static let unknownErrorMeters = 50.0

  init(_ fix: Fix) {
    point = EarthPoint(latitudeDegrees: fix.latitude, longitudeDegrees: fix.longitude)
    instant = fix.notBefore
    speedMetersPerSecond = fix.speedMetersPerSecond
    errorMeters = fix.horizontalErrorMeters ?? Self.unknownErrorMeters
    // The course of a standing board is noise.
    let hasCourse = fix.speedMetersPerSecond.map { $0 >= RestDetector.movingSpeed } ?? false
    direction = hasCourse ? fix.trackDegrees.map(Direction.init(degrees:)) : nil
  }

  func seconds(since other: TrackSighting) -> Double {
    Double((instant - other.instant).nanoseconds) / 1e9
  }

  func meters(from other: TrackSighting) -> Double { other.point.distanceMeters(to: point) }

  /// Returns the mean speed since `earlier`, in metres per second, over at least half a second: the
  /// clocks of receivers are coarse.
  func derivedSpeed(since earlier: TrackSighting) -> Double {
    meters(from: earlier) / max(seconds(since: earlier), 0.5)
  }
}

/// Rejects fixes that the board cannot have reached from its last place: reflected, spoofed, or
/// from a receiver that has lost its position.
///
/// It never rejects forever: rejected fixes are accepted once they agree with each other, and after
/// some minutes in any case.
struct JumpFilter {
  enum Verdict { case plausible, refused, newPlace }

  /// Number of rejected fixes in a row that agree with each other before they are accepted.
  static let agreeingMax = 3
  /// Longest time for which fixes are rejected that agree neither with the accepted place nor with
  /// each other.
  static let refusalMax: Duration = .seconds(300)
  /// Time in seconds for which a reported speed counts.
  static let speedIsKnownFor = 60.0
  /// Margin over the speeds that the receiver reported before and after, in metres per second.
  static let speedMargin = 15.0
  static let speedFactor = 1.5
  /// Assumed speed of a board without a reported one: a fast train, in metres per second.
  static let unknownSpeedMax = 70.0

  private var believed: TrackSighting?
  private var suspect: TrackSighting?
  private var agreeingCount = 0
  /// Time of the first of the rejected fixes.
  private var refusedSince: Instant?

  mutating func judge(_ sighting: TrackSighting) -> Verdict {
    guard let believed, !Self.canReach(sighting, from: believed) else {
      believe(sighting)
      return .plausible
    }
    let agrees = suspect.map { Self.canReach(sighting, from: $0) } ?? false
    agreeingCount = agrees ? agreeingCount + 1 : 1
    suspect = sighting
    let since = refusedSince ?? sighting.instant
    refusedSince = since
    guard agreeingCount >= Self.agreeingMax || sighting.instant - since >= Self.refusalMax else {
      return .refused
    }
    believe(sighting)
    return .newPlace
  }

  private mutating func believe(_ sighting: TrackSighting) {
    believed = sighting
    (suspect, agreeingCount, refusedSince) = (nil, 0, nil)
  }

  private static func canReach(_ here: TrackSighting, from there: TrackSighting) -> Bool {
    let way = here.meters(from: there) - here.errorMeters - there.errorMeters
    let seconds = max(here.seconds(since: there), 1)
    return way <= seconds * speedMax(here, there, seconds)
  }

  private static func speedMax(
    _ here: TrackSighting, _ there: TrackSighting, _ seconds: Double
  ) -> Double {
    guard let now = here.speedMetersPerSecond, let before = there.speedMetersPerSecond else {
      return unknownSpeedMax
    }
    let said = max(now, before) * speedFactor
    return seconds <= speedIsKnownFor ? said + speedMargin : max(said, unknownSpeedMax)
  }
}

/// Detects whether the board moves or is parked.
///
/// At rest a receiver wanders and an anchored boat swings: to start takes a speed that the
/// positions confirm, and to be parked takes a minute at one place.
struct RestDetector {
  /// Lowest speed of a moving board, in metres per second.
  static let movingSpeed = 1.0
  /// Speed below which the board stands, in metres per second.
  static let standingSpeed = 0.5
  /// Time of standing after which a board is parked.
  static let parkedAfter: Duration = .seconds(60)
  /// Largest distance from the place of standing meanwhile, in metres; or the error, if larger.
  static let standingMetersMax = 20.0
  /// Smallest distance of a parked board from the last point when it starts, in metres.
  static let startMeters = 10.0
  /// Distance from the last point within which a parked board makes no new one, in metres; or the
  /// error, if larger.
  static let driftMeters = 50.0

  private(set) var state: TrackFilter.State
  /// Place at which the board came to stand.
  private var stand: TrackSighting?

  /// Whether the board stands at `stand`, and is not parked yet.
  private(set) var isStanding = false

  init(_ sighting: TrackSighting) {
    state = sighting.speedMetersPerSecond.map { $0 < Self.movingSpeed } ?? false ? .parked : .moving
  }

  /// Returns the change of the state; nil if there is none.
  mutating func sighted(
    _ sighting: TrackSighting, after previous: TrackSighting, from point: TrackSighting
  ) -> TrackDecision? {
    switch state {
    case .parked:
      guard Self.hasStarted(sighting, after: previous, from: point) else { return nil }
      self = RestDetector(state: .moving)
      return .startedMoving
    case .moving:
      stands(sighting, after: previous)
      guard isStanding, let stand, sighting.instant - stand.instant >= Self.parkedAfter else {
        return nil
      }
      self = RestDetector(state: .parked)
      return .stopped
    }
  }

  private init(state: TrackFilter.State) { self.state = state }

  private static func hasStarted(
    _ sighting: TrackSighting, after previous: TrackSighting, from point: TrackSighting
  ) -> Bool {
    let way = sighting.meters(from: point)
    let derived = sighting.derivedSpeed(since: previous)
    guard let speed = sighting.speedMetersPerSecond else {
      return derived >= movingSpeed && way > driftMeters + sighting.errorMeters
    }
    guard speed >= movingSpeed, way >= startMeters else { return false }
    return derived >= movingSpeed / 2 || way >= driftMeters
  }

  private mutating func stands(_ sighting: TrackSighting, after previous: TrackSighting) {
    isStanding = false
    let speed = sighting.speedMetersPerSecond ?? Self.leastSpeed(sighting, since: previous)
    if speed >= Self.movingSpeed { stand = nil }
    if let stand,
      sighting.meters(from: stand) <= max(Self.standingMetersMax, sighting.errorMeters)
    {
      isStanding = true
    } else {
      stand = speed < Self.standingSpeed ? sighting : nil
    }
  }

  /// Returns the part of the speed between two positions that their error cannot explain.
  private static func leastSpeed(_ sighting: TrackSighting, since previous: TrackSighting) -> Double
  {
    let way = sighting.meters(from: previous) - sighting.errorMeters
    return max(way, 0) / max(sighting.seconds(since: previous), 0.5)
  }
}

/// Detects that the board enters or leaves a zone of Home Assistant.
///
/// Home Assistant counts a device as in a zone if the distance to the centre is less than the
/// radius plus the error of the fix (`homeassistant.components.zone.in_zone`). This filter uses the
/// same rule with a margin on either side: Home Assistant then confirms each change, and a board
/// that is parked at the edge does not enter and leave repeatedly.
public struct ZoneWatch: Sendable {
  /// A circular zone.
  public struct Circle: Equatable, Sendable {
    public let center: EarthPoint
    /// 0 or more.
    public let radiusMeters: Double

    public init(center: EarthPoint, radiusMeters: Double) {
      self.center = center
      self.radiusMeters = radiusMeters
    }
  }

  private struct Zone {
    let circle: Circle
    /// Nil before the first fix.
    var isInside: Bool?
  }

  /// Maximum number of zones; Home Assistant has no limit.
  public static let zonesMax = 256
  /// Margin in metres, or half the error, if larger; at most half the radius.
  static let marginMeters = 10.0

  private var zones: [Zone] = []

  init() {}

  mutating func zonesKnown(_ circles: [Circle]) {
    let former = zones
    zones = circles.prefix(Self.zonesMax).map { circle in
      Zone(circle: circle, isInside: former.first { $0.circle == circle }?.isInside)
    }
  }

  /// Records a sighting. Returns whether a zone was entered or left.
  mutating func sighted(_ sighting: TrackSighting) -> Bool {
    var hasCrossed = false
    for index in zones.indices {
      let isInside = zones[index].circle.holds(sighting, before: zones[index].isInside)
      if let before = zones[index].isInside, before != isInside { hasCrossed = true }
      zones[index].isInside = isInside
    }
    return hasCrossed
  }
}

extension ZoneWatch.Circle {
  fileprivate func holds(_ sighting: TrackSighting, before wasInside: Bool?) -> Bool {
    let least = center.distanceMeters(to: sighting.point) - sighting.errorMeters
    let margin = min(max(ZoneWatch.marginMeters, sighting.errorMeters / 2), radiusMeters / 2)
    switch wasInside {
    case nil: return least < radiusMeters
    case true?: return least < radiusMeters + margin
    case false?: return least < radiusMeters - margin
    }
  }
}
