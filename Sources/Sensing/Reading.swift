public import Bytes

/// What a sensor says.
public enum Value: Equatable, Sendable {
  case number(FixedPoint)
  case boolean(Bool)
  case text(InlineText)
  /// The sensor is there and what it says makes no sense.
  case unknown
  /// The sensor is not there.
  case unavailable
}

/// Which sensor of this agent; its place in the order of declaration.
public struct SensorIndex: Equatable, Hashable, Sendable {
  public let value: Int

  public init(_ value: Int) { self.value = value }
}

/// One timed value of one sensor.
public struct Reading: Equatable, Sendable {
  public let sensor: SensorIndex
  public let value: Value
  /// When the value was true, as well as the machine's clock knows.
  public let time: WallTime

  public init(sensor: SensorIndex, value: Value, time: WallTime) {
    self.sensor = sensor
    self.value = value
    self.time = time
  }
}

/// What stays the same about a sensor; Home Assistant's terms.
public struct SensorDescription: Equatable, Sendable {
  public enum Kind: Sendable { case sensor, binarySensor }

  /// Unique among the sensors of this agent, and kept for ever: renaming one makes a new entity.
  public var uniqueID: [UInt8]
  public var name: [UInt8]
  public var kind: Kind
  public var unit: [UInt8]?
  public var deviceClass: [UInt8]?
  public var stateClass: [UInt8]?
  /// Nil for that of the device class.
  public var icon: [UInt8]?
  /// Whether it tells about the board rather than about the world.
  public var isDiagnostic: Bool
  /// Whether a change of it starts a cycle at once.
  public var isUrgent: Bool
  /// What it tells of the supply of the board; nil where that is nothing.
  public var powerFigure: PowerFigure?

  // Every driver describes its sensors: called, not copied to each.
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
