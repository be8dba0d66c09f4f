public import Bytes

/// The decision on a fix, with its reason.
public enum TrackDecision: Equatable, Sendable {
  // Reasons for a point of the track:

  /// This is the first point.
  case first
  /// The configured interval of a moving board has passed.
  case interval
  /// The configured distance from the last point is reached.
  case distance
  /// The course has turned by the configured angle.
  case turn
  /// The board was parked, and now moves.
  case startedMoving
  /// The board moved, and is now parked.
  case stopped
  /// The board is parked, but at another place than the last point: an anchor drags, a tide turns.
  case displaced
  /// The configured interval of a parked board has passed.
  case parkedInterval
  /// Fixes that were rejected as a jump agree with each other, or no others come.
  case newPlace
  /// The board has entered or left a zone of Home Assistant.
  case zone
  /// Home Assistant does not have the last point, and accepts data.
  case owed

  // Reasons for no point:

  /// The board moves, and is too near to the last point.
  case nothingNew
  /// The board is parked, or about to be.
  case standing
  /// The fix is no newer than one that was judged before.
  case older
  /// The error is too large.
  case inaccurate
  /// The board cannot have reached this place from the last one.
  case jump

  /// Whether the fix is a point of the track.
  public var isKept: Bool {
    switch self {
    case .first, .interval, .distance, .turn, .startedMoving, .stopped, .displaced, .parkedInterval,
      .newPlace, .zone, .owed:
      true
    case .nothingNew, .standing, .older, .inaccurate, .jump: false
    }
  }
}

/// Decides which fixes are points of the track, with a reason.
///
/// A moving board makes a point after a time, a distance or a turn; a parked board makes one
/// seldom, and none for the wander of its receiver. An implausible fix makes none. Only fixes cause
/// decisions, so the filter needs no deadline.
public struct TrackFilter: Sendable {
  /// The conditions for a point of the track.
  public struct Settings: Equatable, Sendable {
    /// Interval of a moving board; zero for every fix.
    public var every: Duration
    /// Distance of a moving board from the last point.
    public var distanceMeters: Double?
    /// Turn of a moving board's course since the last point, 1...170.
    public var turnDegrees: Double?
    /// Interval of a parked board.
    public var parkedEvery: Duration

    public init(
      every: Duration = .zero, distanceMeters: Double? = nil, turnDegrees: Double? = nil,
      parkedEvery: Duration = .seconds(900)
    ) {
      self.every = every
      self.distanceMeters = distanceMeters
      self.turnDegrees = turnDegrees
      self.parkedEvery = parkedEvery
    }
  }

  /// Whether the board moves.
  public enum State: Equatable, Sendable { case moving, parked }

  /// Largest error of a point, unless there is no better fix for the interval of a parked board.
  public static let errorMetersMax = 200.0
  /// Amount by which a fix may be early: fixes are not exactly a cycle apart.
  public static let earlyMax: Duration = .seconds(2)
  /// Number of fixes in a row away from the last point after which a parked board is displaced.
  static let displacedMax = 2
  /// Smallest distance between two positions that gives a course, in metres.
  static let courseMetersMin = 10.0

  private let settings: Settings
  private let turnCosine: Double?
  private var jumps = JumpFilter()
  private var rest: RestDetector?
  /// Last accepted fix.
  private var previous: TrackSighting?
  private var point: TrackSighting?
  private var judgedAt: Instant?
  /// Time since which there is no fix with a sufficiently small error.
  private var inaccurateSince: Instant?
  private var displacedCount = 0
  private var zones = ZoneWatch()
  /// Decision on the last fix, and the time of the fix.
  public private(set) var last: (decision: TrackDecision, at: Instant)?

  public init(_ settings: Settings) {
    self.settings = settings
    turnCosine = settings.turnDegrees.map { Angle(degrees: $0).cosine }
  }

  /// Nil before the first fix.
  public var state: State? { rest?.state }

  /// Whether the last judged fix is in other zones than the one before.
  public private(set) var isZoneChanged = false

  /// Replaces the zones of Home Assistant.
  public mutating func zonesKnown(_ circles: [ZoneWatch.Circle]) { zones.zonesKnown(circles) }

  /// Decides whether a fix is a point of the track; each fix is judged once. `isOwed` means that
  /// Home Assistant does not have the last point, and accepts data.
  public mutating func fixReported(_ fix: Fix, isOwed: Bool = false) -> TrackDecision {
    let sighting = TrackSighting(fix)
    let decision = decide(sighting, isOwed: isOwed)
    last = (decision, fix.notBefore)
    return decision
  }

  private mutating func decide(_ sighting: TrackSighting, isOwed: Bool) -> TrackDecision {
    if let judgedAt, sighting.instant <= judgedAt { return .older }
    judgedAt = sighting.instant
    isZoneChanged = false
    guard isAccurate(sighting) else { return .inaccurate }
    var decision: TrackDecision?
    switch jumps.judge(sighting) {
    case .refused: return .jump
    case .newPlace:
      // No course leads from the old place to this one.
      previous = nil
      decision = .newPlace
    case .plausible: decision = reason(for: sighting)
    }
    isZoneChanged = zones.sighted(sighting)
    if isZoneChanged, decision == nil { decision = .zone }
    if decision == nil, isOwed { decision = .owed }
    if decision != nil { keep(sighting) }
    let isParked = rest?.state == .parked || rest?.isStanding == true
    previous = sighting
    return decision ?? (isParked ? .standing : .nothingNew)
  }

  private mutating func isAccurate(_ sighting: TrackSighting) -> Bool {
    guard sighting.errorMeters > Self.errorMetersMax else {
      inaccurateSince = nil
      return true
    }
    let since = inaccurateSince ?? sighting.instant
    inaccurateSince = since
    return sighting.instant - since >= settings.parkedEvery
  }

  private mutating func keep(_ sighting: TrackSighting) {
    var sighting = sighting
    sighting.direction = course(to: sighting)
    point = sighting
    displacedCount = 0
  }

  // MARK: Reasons

  private mutating func reason(for sighting: TrackSighting) -> TrackDecision? {
    guard let previous, let point, rest != nil else {
      rest = RestDetector(sighting)
      return .first
    }
    if let change = rest?.sighted(sighting, after: previous, from: point) { return change }
    guard let rest else { return nil }
    return rest.state == .moving
      ? reasonOfMoving(sighting, from: point, isStanding: rest.isStanding)
      : reasonOfParked(sighting, from: point)
  }

  private mutating func reasonOfMoving(
    _ sighting: TrackSighting, from point: TrackSighting, isStanding: Bool
  ) -> TrackDecision? {
    if isStanding { return nil }
    if let turnCosine, let course = course(to: sighting) {
      guard let before = point.direction else {
        self.point?.direction = course
        return reasonOfWay(sighting, from: point)
      }
      if course.isTurned(from: before, byCosine: turnCosine) { return .turn }
    }
    return reasonOfWay(sighting, from: point)
  }

  private func reasonOfWay(
    _ sighting: TrackSighting, from point: TrackSighting
  ) -> TrackDecision? {
    if let distance = settings.distanceMeters, sighting.meters(from: point) >= distance {
      return .distance
    }
    return isDue(sighting, since: point, after: settings.every) ? .interval : nil
  }

  private mutating func reasonOfParked(
    _ sighting: TrackSighting, from point: TrackSighting
  ) -> TrackDecision? {
    let drift = max(RestDetector.driftMeters, sighting.errorMeters)
    guard sighting.meters(from: point) <= drift else {
      displacedCount += 1
      return displacedCount >= Self.displacedMax ? .displaced : nil
    }
    displacedCount = 0
    return isDue(sighting, since: point, after: settings.parkedEvery) ? .parkedInterval : nil
  }

  private func isDue(
    _ sighting: TrackSighting, since point: TrackSighting, after interval: Duration
  ) -> Bool {
    let early = min(Duration.nanoseconds(interval.nanoseconds / 4), Self.earlyMax)
    return sighting.instant - point.instant >= interval - early
  }

  /// Returns the course of the board, from the receiver or from the positions.
  private func course(to sighting: TrackSighting) -> Direction? {
    if let direction = sighting.direction { return direction }
    guard let previous,
      sighting.meters(from: previous) >= max(Self.courseMetersMin, sighting.errorMeters)
    else { return nil }
    return previous.point.direction(to: sighting.point)
  }
}
