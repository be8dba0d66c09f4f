import Bytes

/// Detects whether the board moves or is parked.
///
/// At rest a receiver wanders by metres and reports low speeds; an anchored boat swings around its
/// anchor. Neither is a journey: to start takes a speed that the positions confirm, and to be
/// parked takes a minute at one place. Between the two speeds the state does not change.
struct RestDetector {
  enum State: Equatable, Sendable { case moving, parked }
  enum Change: Equatable { case startedMoving, stopped }

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

  private(set) var state: State
  /// Place at which the board came to stand.
  private var stand: TrackSighting?

  /// Whether the board stands at `stand`, and is not parked yet.
  private(set) var isStanding = false

  init(_ sighting: TrackSighting) {
    state = sighting.speedMetersPerSecond.map { $0 < Self.movingSpeed } ?? false ? .parked : .moving
  }

  /// - Returns: the change of the state; nil if there is none.
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

  /// Returns the part of the speed between two positions that their error cannot explain.
  private static func leastSpeed(_ sighting: TrackSighting, since previous: TrackSighting) -> Double
  {
    let way = sighting.meters(from: previous) - sighting.errorMeters
    return max(way, 0) / max(sighting.seconds(since: previous), 0.5)
  }
}
