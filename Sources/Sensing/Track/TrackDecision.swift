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
