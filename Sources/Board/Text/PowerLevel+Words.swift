public import Bytes
public import Sensing

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
    var text = ByteBuffer(capacity: 32)
    text.append(FixedPoint(coefficient, decimals: decimals))
    return [UInt8](text.bytes)
  }
}

extension PowerMonitor {
  /// Current level of the configuration, for people.
  public var levelWords: MessageText { condition?.words ?? "normal" }
}
