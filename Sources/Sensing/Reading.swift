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
