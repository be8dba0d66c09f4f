import Bytes

/// Whether the board moves or is parked.
///
/// At rest a receiver wanders by metres, and says small speeds; an anchored boat swings around its
/// anchor. Neither is a journey: to start takes a speed that the positions confirm, and to be
/// parked takes a minute at one place. Between the two speeds the state stays as it is.
struct RestDetector {
  enum State: Equatable, Sendable { case moving, parked }
  enum Change: Equatable { case startedMoving, stopped }

  /// From this speed on a board moves, in metres per second.
  static let movingSpeed = 1.0
  /// Below this one it stands.
  static let standingSpeed = 0.5
  /// How long it stands before it is parked.
  static let parkedAfter: Duration = .seconds(60)
  /// How far it may be meanwhile from where it came to stand, in metres; or its error, if larger.
  static let standingMetersMax = 20.0
  /// How far a parked board has to be from where it was when it starts, in metres.
  static let startMeters = 10.0
  /// Around the last point nothing that a parked board does is worth another; or its error, if
  /// larger.
  static let driftMeters = 50.0

  private(set) var state: State
  /// Where it came to stand.
  private var stand: TrackSighting?

  /// Whether it stands where it came to stand, and is not parked yet.
  private(set) var isStanding = false

  init(_ sighting: TrackSighting) {
    state = sighting.speedMetersPerSecond.map { $0 < Self.movingSpeed } ?? false ? .parked : .moving
  }

  /// - Parameters:
  ///   - sighting: what is known now.
  ///   - previous: what was known before.
  ///   - point: the last point of the track.
  /// - Returns: what is another way now; nil where nothing is.
  mutating func sighted(
    _ sighting: TrackSighting, after previous: TrackSighting, from point: TrackSighting
  ) -> Change? {
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

  private init(state: State) { self.state = state }

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

  /// What of the speed between two positions cannot be their error.
  private static func leastSpeed(_ sighting: TrackSighting, since previous: TrackSighting) -> Double
  {
    let way = sighting.meters(from: previous) - sighting.errorMeters
    return max(way, 0) / max(sighting.seconds(since: previous), 0.5)
  }
}
