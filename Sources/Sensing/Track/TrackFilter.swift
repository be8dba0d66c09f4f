public import Bytes

/// Decides which fixes are points of the track, and says why.
///
/// A board that moves makes a point after a time, a way or a turn; one that is parked makes one
/// seldom, and none because its receiver wanders. A fix that cannot be right makes none. There is
/// nothing to decide where there is no fix, so it needs no deadline.
public struct TrackFilter: Sendable {
  /// When a fix is a point of the track.
  public struct Settings: Equatable, Sendable {
    /// Of a board that moves: after so long. Zero: every fix.
    public var every: Duration
    /// Of a board that moves: so far from the last point.
    public var distanceMeters: Double?
    /// Of a board that moves: when its course has turned by so much since the last point, 1...170.
    public var turnDegrees: Double?
    /// Of a board that is parked: after so long.
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
  public enum State: Sendable { case moving, parked }

  /// A larger error makes no point, unless there is nothing better for as long as a parked board
  /// makes none.
  public static let errorMetersMax = 200.0
  /// Fixes are not exactly a cycle apart: one that is early by so much counts.
  public static let earlyMax: Duration = .seconds(2)
  /// Fixes in a row of a parked board that are away from the last point, before that is believed.
  static let displacedMax = 2
  /// From nearer than this no course is read from positions, in metres.
  static let courseMetersMin = 10.0

  private let settings: Settings
  private let turnCosine: Double?
  private var jumps = JumpFilter()
  private var rest: RestDetector?
  /// The last fix that was believed.
  private var previous: TrackSighting?
  /// The last point of the track.
  private var point: TrackSighting?
  /// When the last fix was judged.
  private var judgedAt: Instant?
  /// Since when there is no fix whose error is small enough.
  private var inaccurateSince: Instant?
  private var displacedCount = 0
  private var zones = ZoneWatch()
  /// What became of the last fix, and when it was a fix.
  public private(set) var last: (decision: TrackDecision, at: Instant)?

  public init(_ settings: Settings) {
    self.settings = settings
    turnCosine = settings.turnDegrees.map { Angle(degrees: $0).cosine }
  }

  /// Nil before there is a fix.
  public var state: State? { rest.map { $0.state == .moving ? .moving : .parked } }

  /// Whether the board was in other zones at the fix before the last one that was judged.
  public private(set) var isZoneChanged = false

  /// Home Assistant has these zones, and no others.
  public mutating func zonesKnown(_ circles: [ZoneWatch.Circle]) { zones.zonesKnown(circles) }

  /// Judges a fix.
  ///
  /// - Parameters:
  ///   - fix: what the receiver says; a fix is judged once.
  ///   - isOwed: whether Home Assistant does not have the last point, and takes data.
  /// - Returns: whether it is a point of the track, and why.
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
      // No way leads from there to here.
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
    switch rest?.sighted(sighting, after: previous, from: point) {
    case .startedMoving: return .startedMoving
    case .stopped: return .stopped
    case nil: break
    }
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

  /// Where the board is heading, as its receiver says or as its positions do.
  private func course(to sighting: TrackSighting) -> Direction? {
    if let direction = sighting.direction { return direction }
    guard let previous,
      sighting.meters(from: previous) >= max(Self.courseMetersMin, sighting.errorMeters)
    else { return nil }
    return previous.point.direction(to: sighting.point)
  }
}
