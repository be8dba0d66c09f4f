public import Bytes
public import Sensing

extension PowerLevel.Condition {
  /// When the level holds, for people, such as `below 30 %`.
  public var words: MessageText {
    switch self {
    case .chargeBelow(let percent): "below \(percent) %"
    case .voltageBelow(let microvolts):
      "below \(FixedPoint(microvolts, decimals: 6).rounded(to: 3)) V"
    case .withoutMains: "without mains"
    }
  }
}

extension PowerMonitor {
  /// Which level of the configuration holds, for people.
  public var levelWords: MessageText { condition?.words ?? "normal" }
}
