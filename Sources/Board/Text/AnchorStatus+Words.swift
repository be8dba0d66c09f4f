public import Bytes
public import Sensing

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
