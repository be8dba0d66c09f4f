public import Sensing

extension TrackDecision {
  /// Decision on a fix and its reason, for people.
  public var words: StaticString {
    switch self {
    case .first: "kept, as the first"
    case .interval: "kept, for moving.every has passed"
    case .distance: "kept, for the last point is as far as moving.or_distance says"
    case .turn: "kept, for the course has turned as moving.or_turn says"
    case .startedMoving: "kept, for the board moves"
    case .stopped: "kept, for the board has stopped"
    case .displaced: "kept, for the board stands, but not where the last point is"
    case .parkedInterval: "kept, for parked.every has passed"
    case .newPlace: "kept, for what seemed to be a jump agrees with itself"
    case .zone: "kept, for the board has come into a zone, or left one"
    case .owed: "kept, for Home Assistant does not have the last point"
    case .nothingNew: "left out, too near to the last point"
    case .standing: "left out, for the board stands"
    case .older: "refused, as older than one before"
    case .inaccurate: "refused, for it may be off by more than 200 m"
    case .jump: "refused, for the board cannot have come there so fast"
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
