public import Bytes

/// The address of a GPIO line, stable across kernel updates. It has no chip number, because chip
/// numbers change with the order in which drivers are loaded.
public enum GPIOLineAddress: Equatable, Hashable, Sendable {
  /// The line's own name, such as `GPIO17`, on any chip.
  case name([UInt8])
  /// The label of the chip, such as `pinctrl-bcm2711`, and the line's offset on it.
  case chip(label: [UInt8], offset: UInt32)

  /// Highest offset; no chip has more lines.
  public static let offsetMax: UInt32 = 4095

  /// Text form, such as `GPIO17` or `pinctrl-bcm2711/17`.
  public var text: [UInt8] {
    switch self {
    case .name(let name): return name
    case .chip(let label, let offset):
      return label + ("/\(Int64(offset))" as MessageText).bytes
    }
  }

  /// Unique id of the sensor for this line.
  public var uniqueID: [UInt8] {
    let text = text
    return Sensing.uniqueID("gpio_", text.span)
  }
}

/// The resistor that the chip connects to a line.
public enum GPIOBias: Sendable {
  /// The bias that was set before.
  case asIs
  case pullUp, pullDown
  /// No resistor.
  case disabled
}

/// The logical state of a line; on an active-low line, low voltage is `active`.
public enum Level: Sendable {
  case inactive, active
}

/// A change of a line, with the new level.
public struct Edge: Equatable, Sendable {
  public let level: Level
  public let instant: Instant

  public init(to level: Level, at instant: Instant) {
    self.level = level
    self.instant = instant
  }
}
