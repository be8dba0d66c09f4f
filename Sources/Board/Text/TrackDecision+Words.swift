public import Sensing

extension TrackDecision {
  /// Decision on a fix and its reason, for people.
  public var words: StaticString {
    switch self {
    case .first: "kept: the first point"
    case .interval: "kept: moving.every has passed"
    case .distance: "kept: the last point is moving.or_distance away"
    case .turn: "kept: the course has changed by moving.or_turn"
    case .startedMoving: "kept: the board started to move"
    case .stopped: "kept: the board stopped"
    case .displaced: "kept: the board stands, away from the last point"
    case .parkedInterval: "kept: parked.every has passed"
    case .newPlace: "kept: later fixes confirm an apparent jump"
    case .zone: "kept: the board entered or left a zone"
    case .owed: "kept: Home Assistant does not have the last point"
    case .nothingNew: "left out: too near to the last point"
    case .standing: "left out: the board stands"
    case .older: "rejected: older than an earlier fix"
    case .inaccurate: "rejected: it may be off by more than 200 m"
    case .jump: "rejected: the board cannot have moved there so fast"
    }
  }

  /// Code of the decision, for scripts.
  public var code: StaticString {
    switch self {
    case .first: "first"
    case .interval: "interval"
    case .distance: "distance"
    case .turn: "turn"
    case .startedMoving: "started_moving"
    case .stopped: "stopped"
    case .displaced: "displaced"
    case .parkedInterval: "parked_interval"
    case .newPlace: "new_place"
    case .zone: "zone"
    case .owed: "owed"
    case .nothingNew: "nothing_new"
    case .standing: "standing"
    case .older: "older"
    case .inaccurate: "inaccurate"
    case .jump: "jump"
    }
  }
}

extension Fix.ErrorSource {
  /// Name in gpsd.
  public var code: StaticString {
    switch self {
    case .estimate: "eph"
    case .parts: "epx_epy"
    case .dilution: "hdop"
    }
  }
}
