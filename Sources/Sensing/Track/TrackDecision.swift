/// What becomes of a fix, and why.
public enum TrackDecision: Equatable, Sendable {
  // It is a point of the track:

  /// There is no point yet.
  case first
  /// As much time has passed as the configuration says for a board that moves.
  case interval
  /// It is as far from the last point as the configuration says.
  case distance
  /// The course has turned by as much as the configuration says.
  case turn
  /// The board was parked, and moves.
  case startedMoving
  /// The board moved, and is parked.
  case stopped
  /// The board is parked, and yet at another place than the last point: an anchor drags, a tide
  /// turns.
  case displaced
  /// As much time has passed as the configuration says for a board that is parked.
  case parkedInterval
  /// Fixes that were refused as a jump agree with each other, or are all there is.
  case newPlace
  /// The board has come into a zone of Home Assistant, or has left one.
  case zone
  /// Home Assistant does not have the last point, and takes data.
  case owed

  // It is none:

  /// The board moves, and this is too near to the last point.
  case nothingNew
  /// The board is parked, or about to be.
  case standing
  /// It is no newer than one that was judged before.
  case older
  /// Its error is too large.
  case inaccurate
  /// The board cannot have come there from where it was.
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
