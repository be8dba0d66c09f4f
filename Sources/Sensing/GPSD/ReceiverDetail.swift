public import Bytes

/// A value of a receiver besides its position, each a sensor.
public enum ReceiverDetail: Int, CaseIterable, Sendable {
  /// `no fix`, `2D` or `3D`.
  case fix
  case satellitesSeen
  case satellitesUsed
  /// Vertical speed, upward, in metres per second.
  case climb
  /// Compass heading from true north.
  case heading
  /// Compass heading from magnetic north.
  case magneticHeading

  /// Keys of the configuration, in the order of the cases.
  public static let keys: [StaticString] = [
    "fix", "satellites_seen", "satellites_used", "climb", "heading", "magnetic_heading",
  ]
  private static let names: [StaticString] = [
    "GPS fix", "GPS satellites seen", "GPS satellites used", "GPS climb", "Compass heading",
    "Compass magnetic heading",
  ]

  /// Description for Home Assistant. No detail has a state class: Home Assistant would keep its
  /// statistics without limit.
  public var description: SensorDescription {
    let isAngle = self == .heading || self == .magneticHeading
    return SensorDescription(
      uniqueID: [UInt8]("gps_") + [UInt8](Self.keys[rawValue]),
      name: [UInt8](Self.names[rawValue]),
      unit: isAngle ? [UInt8]("°") : self == .climb ? [UInt8]("m/s") : nil,
      deviceClass: self == .fix ? [UInt8]("enum") : self == .climb ? [UInt8]("speed") : nil,
      icon: self == .climb
        ? nil : isAngle ? [UInt8]("mdi:compass-outline") : [UInt8]("mdi:satellite-variant"),
      isDiagnostic: true)
  }

  /// Smallest change to report; nil if every change counts, or if the value is reported in steps.
  public var minChange: FixedPoint? {
    switch self {
    case .satellitesSeen, .satellitesUsed: FixedPoint(2)
    case .climb: FixedPoint(5, decimals: 1)
    case .fix, .heading, .magneticHeading: nil
    }
  }
}

/// A set of receiver details.
public struct ReceiverDetailSet: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ detail: ReceiverDetail) { rawValue = 1 << UInt8(detail.rawValue) }

  public static let all = ReceiverDetailSet(rawValue: 1 << 6 - 1)
}
