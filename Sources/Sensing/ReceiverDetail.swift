public import Bytes

/// What a receiver tells beside its position, each a sensor of its own.
public enum ReceiverDetail: Int, CaseIterable, Sendable {
  /// `no fix`, `2D` or `3D`.
  case fix
  case satellitesSeen
  case satellitesUsed
  /// Upward, in metres per second.
  case climb
  /// Of a compass, from true north.
  case heading
  /// Of a compass, from magnetic north.
  case magneticHeading

  /// What the configuration calls them, in their order.
  public static let keys: [StaticString] = [
    "fix", "satellites_seen", "satellites_used", "climb", "heading", "magnetic_heading",
  ]
  private static let names: [StaticString] = [
    "GPS fix", "GPS satellites seen", "GPS satellites used", "GPS climb", "Compass heading",
    "Compass magnetic heading",
  ]

  /// What Home Assistant is told of it. None has a state class: Home Assistant would keep means of
  /// it for ever.
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

  /// The least change that counts; nil where each one does, or where it is told in steps.
  public var minChange: FixedPoint? {
    switch self {
    case .satellitesSeen, .satellitesUsed: FixedPoint(2)
    case .climb: FixedPoint(5, decimals: 1)
    case .fix, .heading, .magneticHeading: nil
    }
  }
}

/// Some of them.
public struct ReceiverDetailSet: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public init(_ detail: ReceiverDetail) { rawValue = 1 << UInt8(detail.rawValue) }

  public static let all = ReceiverDetailSet(rawValue: 1 << 6 - 1)
}

/// What a TPV says beside the position.
struct ReceiverState: Equatable {
  /// gpsd's mode.
  let mode: Int32
  /// Upward, in metres per second; NaN where it is not known.
  let climb: Double

  init(_ report: FixReport) {
    mode = report.mode
    climb = report.climbMetersPerSecond
  }
}
