public import Bytes
public import Sensing

extension TrackDecision {
  /// Decision on a fix and its reason, for people.
  public var words: StaticString { row.words }

  /// Code of the decision, for scripts.
  public var code: StaticString { row.code }

  private var row: (code: StaticString, words: StaticString) {
    switch self {
    case .first: ("first", "kept: the first point")
    case .interval: ("interval", "kept: moving.every has passed")
    case .distance: ("distance", "kept: the last point is moving.or_distance away")
    case .turn: ("turn", "kept: the course has changed by moving.or_turn")
    case .startedMoving: ("started_moving", "kept: the board started to move")
    case .stopped: ("stopped", "kept: the board stopped")
    case .displaced: ("displaced", "kept: the board stands, away from the last point")
    case .parkedInterval: ("parked_interval", "kept: parked.every has passed")
    case .newPlace: ("new_place", "kept: later fixes confirm an apparent jump")
    case .zone: ("zone", "kept: the board entered or left a zone")
    case .owed: ("owed", "kept: Home Assistant does not have the last point")
    case .nothingNew: ("nothing_new", "left out: too near to the last point")
    case .standing: ("standing", "left out: the board stands")
    case .older: ("older", "rejected: older than an earlier fix")
    case .inaccurate: ("inaccurate", "rejected: it may be off by more than 200 m")
    case .jump: ("jump", "rejected: the board cannot have moved there so fast")
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

extension AnchorMonitor.State {
  /// Code of the state, for scripts.
  public var code: StaticString {
    switch self {
    case .unset: "unset"
    case .awaitingPlace: "waiting"
    case .inside: "inside"
    case .outside: "outside"
    case .unknown: "unknown"
    }
  }
}

extension AnchorMonitor.Status {
  /// Status of the watch with its reason, for people, without a position.
  public var words: MessageText {
    switch state {
    case .unset: return hasLine ? "not set" : "not set; the command command_anchor sets it"
    case .awaitingPlace:
      return "set by \(setterWords); it waits for a reliable fix to set its position"
    case .inside: return "inside, \(distanceWords)"
    case .outside: return "OUTSIDE, \(distanceWords)"
    case .unknown:
      return "there is no reliable fix; it is not known whether the boat is within \(radius) m of"
        + " its anchor"
    }
  }

  private var radius: Int { wholeMeters(radiusMeters) }

  private var setterWords: StaticString { setter == .line ? "its line" : "a command" }

  private var distanceWords: MessageText {
    guard let distanceMeters else { return "by an earlier fix; \(radius) m are allowed" }
    return "\(wholeMeters(distanceMeters)) m from the anchor; \(radius) m are allowed"
  }
}

/// Returns whole metres; the maximum if the number is too large.
public func wholeMeters(_ meters: Double) -> Int {
  Int(clamping: FixedPoint(rounding: meters, decimals: 0)?.coefficient ?? .max)
}

extension PowerLevel.Condition {
  /// Condition for people, such as `below 30 %`.
  public var words: MessageText {
    switch self {
    case .chargeBelow(let percent): "below \(Int(clamping: percent)) %"
    case .voltageBelow(let microvolts): "below \(bytes: Self.volts(microvolts)) V"
    case .withoutMains: "without mains"
    }
  }

  /// Returns volts without trailing zeros.
  private static func volts(_ microvolts: Int64) -> [UInt8] {
    var (coefficient, decimals) = (microvolts, UInt8(6))
    while decimals > 0, coefficient.isMultiple(of: 10) {
      coefficient /= 10
      decimals -= 1
    }
    let volts = FixedPoint(coefficient, decimals: decimals)
    return [UInt8](byteCountMax: 32) { $0.append(volts) }
  }
}

extension PowerMonitor {
  /// Current level of the configuration, for people.
  public var levelWords: MessageText { condition?.words ?? "normal" }
}

extension SSID {
  /// Name in printable form.
  public var words: MessageText {
    MessageText(bytes: [UInt8](byteCountMax: Self.printableByteCountMax) { $0.append(self) })
  }
}

extension HardwareAddress {
  /// Address as `aa:bb:cc:dd:ee:ff`.
  public var words: MessageText {
    MessageText(bytes: [UInt8](byteCountMax: Self.textByteCount) { $0.append(self) })
  }
}
