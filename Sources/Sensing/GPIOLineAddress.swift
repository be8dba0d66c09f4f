public import Bytes

/// Which line of which GPIO chip, in words that mean the same after a kernel update. Chip
/// numbers are not among them: they change with the order in which drivers are loaded.
public enum GPIOLineAddress: Equatable, Hashable, Sendable {
  /// The line's own name, such as `GPIO17`, on whatever chip it is found.
  case name([UInt8])
  /// The label of the chip, such as `pinctrl-bcm2711`, and the line's number on it.
  case chip(label: [UInt8], offset: UInt32)

  /// No chip has more lines than this and one.
  public static let offsetMax: UInt32 = 4095

  /// Such as `GPIO17` or `pinctrl-bcm2711/17`.
  public var text: [UInt8] {
    switch self {
    case .name(let name): return name
    case .chip(let label, let offset):
      var number = ByteBuffer(capacity: 11)
      number.append(UInt8(ascii: "/"))
      number.append(decimal: offset)
      return label + [UInt8](number.bytes)
    }
  }

  /// The unique id of the sensor that this line is.
  public var uniqueID: [UInt8] {
    let text = text
    return Sensing.uniqueID("gpio_", text.span)
  }
}

/// The resistor of the chip that a line is connected to.
public enum GPIOBias: Sendable {
  /// Whatever was set before.
  case asIs
  case pullUp, pullDown
  /// None.
  case disabled
}

/// The logical state of a line; of an active-low one, low voltage is `active`.
public enum Level: Sendable {
  case inactive, active
}

/// A change of a line, with the level that it led to.
public struct Edge: Equatable, Sendable {
  public let level: Level
  public let instant: Instant

  public init(to level: Level, at instant: Instant) {
    self.level = level
    self.instant = instant
  }
}
