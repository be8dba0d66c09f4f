public import Bytes

/// The value of a sensor.
public enum Value: Equatable, Sendable {
  case number(FixedPoint)
  case boolean(Bool)
  case text(InlineText)
  /// The sensor is present and its value is invalid.
  case unknown
  /// The sensor is absent.
  case unavailable
}

/// Index of a sensor of this agent, in the order of declaration.
public struct SensorIndex: Equatable, Hashable, Sendable {
  public let value: Int

  public init(_ value: Int) { self.value = value }
}

/// A timed value of a sensor.
public struct Reading: Equatable, Sendable {
  public let sensor: SensorIndex
  public let value: Value
  /// Time at which the value was valid, by the machine's clock.
  public let time: WallTime

  public init(sensor: SensorIndex, value: Value, time: WallTime) {
    self.sensor = sensor
    self.value = value
    self.time = time
  }
}

/// The constant properties of a sensor, in Home Assistant's terms.
public struct SensorDescription: Equatable, Sendable {
  public enum Kind: Sendable { case sensor, binarySensor }

  /// Unique among the sensors of this agent, and permanent: another id makes a new entity.
  public var uniqueID: [UInt8]
  public var name: [UInt8]
  public var kind: Kind
  public var unit: [UInt8]?
  public var deviceClass: [UInt8]?
  public var stateClass: [UInt8]?
  /// Nil for the icon of the device class.
  public var icon: [UInt8]?
  /// Whether the sensor describes the board rather than the world.
  public var isDiagnostic: Bool
  /// Whether a change starts a cycle at once.
  public var isUrgent: Bool
  /// Part of the board's power status that the sensor reports; nil if it reports none.
  public var powerFigure: PowerFigure?

  // Every driver describes its sensors: called, not inlined into each.
  @inline(never)
  public init(
    uniqueID: [UInt8], name: [UInt8], kind: Kind = .sensor, unit: [UInt8]? = nil,
    deviceClass: [UInt8]? = nil, stateClass: [UInt8]? = nil, icon: [UInt8]? = nil,
    isDiagnostic: Bool = false, isUrgent: Bool = false
  ) {
    self.uniqueID = uniqueID
    self.name = name
    self.kind = kind
    self.unit = unit
    self.deviceClass = deviceClass
    self.stateClass = stateClass
    self.icon = icon
    self.isDiagnostic = isDiagnostic
    self.isUrgent = isUrgent
  }
}

extension SensorDescription {
  // Not inlined into each source.
  /// Describes a diagnostic sensor of the board itself in literals.
  @inline(never)
  public static func diagnostic(
    _ uniqueID: StaticString, _ name: StaticString, unit: StaticString? = nil,
    deviceClass: StaticString? = nil, stateClass: StaticString? = nil, icon: StaticString? = nil
  ) -> SensorDescription {
    SensorDescription(
      uniqueID: [UInt8](uniqueID), name: [UInt8](name), unit: unit.map { [UInt8]($0) },
      deviceClass: deviceClass.map { [UInt8]($0) }, stateClass: stateClass.map { [UInt8]($0) },
      icon: icon.map { [UInt8]($0) }, isDiagnostic: true)
  }
}

/// Destination of the sensors and values of the sources.
public protocol ReadingSink: AnyObject {
  /// Declares a sensor, or finds the one with the same `uniqueID`.
  /// - Returns: nil if no more sensors fit, which is then already reported.
  func declare(_ sensor: SensorDescription) -> SensorIndex?

  /// Stores a value; the latest one of each sensor counts.
  func record(_ reading: Reading)

  /// Stores the best fix since the last cycle.
  func record(_ fix: Fix)
}

/// Part of the board's power status that a sensor reports.
public enum PowerFigure: Equatable, Sendable {
  /// State of charge of the battery, in percent.
  case charge
  /// Voltage of the battery, in V or mV.
  case voltage
  /// Whether external power is present: mains or a charger.
  case mains
  /// The kernel's battery status; `Charging` implies external power.
  case batteryStatus
}

extension SensorDescription {
  /// Number of decimals of this unit at a resolution of a millionth of percent, volts or amperes;
  /// nil for other units.
  public var decimalsOfMillionths: UInt8? {
    guard let unit else { return nil }
    let words = unit.span
    if words.elementsEqual("%") || words.elementsEqual("V") || words.elementsEqual("A") { return 6 }
    return words.elementsEqual("mV") || words.elementsEqual("mA") ? 3 : nil
  }
}

extension Value {
  /// Returns the value in millionths of percent, volts or amperes; `decimals` is
  /// `decimalsOfMillionths` of the unit. Nil if the value is not a number, or too large.
  public func millionths(decimals: UInt8) -> Int64? {
    guard case .number(let number) = self else { return nil }
    let scaled = number.rounded(to: decimals)
    return scaled.decimals == decimals ? scaled.coefficient : nil
  }
}

/// Returns a unique id from a fixed prefix and an external name: in lower case, with `_` for every
/// byte that is neither a letter nor a digit of ASCII.
public func uniqueID(_ prefix: StaticString, _ name: Span<UInt8>) -> [UInt8] {
  var identifier = [UInt8](prefix)
  for index in name.indices {
    switch name[index] {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      identifier.append(name[index])
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): identifier.append(name[index] | 0x20)
    default: identifier.append(UInt8(ascii: "_"))
    }
  }
  return identifier
}

/// Pace at which the sources are read until it is changed.
public struct SamplingPace: Equatable, Sendable {
  /// Time between two cycles.
  public var cycle: Duration
  /// Whether a position is wanted. If not, a receiver can be switched off.
  public var wantsPosition: Bool

  public init(cycle: Duration, wantsPosition: Bool = true) {
    self.cycle = cycle
    self.wantsPosition = wantsPosition
  }
}
