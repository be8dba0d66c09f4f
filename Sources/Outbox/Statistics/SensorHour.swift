public import Bytes

/// Figures of a sensor for one hour of UTC.
public struct SensorHour: Equatable, Sendable {
  public enum Figures: Equatable, Sendable {
    /// Figures of a measurement; the mean is weighted by time.
    case measured(mean: Double, lowest: Double, highest: Double)
    /// Value of a counter at the end of the hour.
    case counted(Double)
  }

  /// Number of the hour, counted from 1970.
  public let number: Int64
  public let figures: Figures

  public init(number: Int64, _ figures: Figures) {
    self.number = number
    self.figures = figures
  }

  public var start: WallTime { WallTime(startOfHour: number) }
  public var end: WallTime { WallTime(startOfHour: number + 1) }
}

extension WallTime {
  static let nanosecondsPerHour: Int64 = 3_600_000_000_000

  /// - Precondition: the hour is within the range of `WallTime`.
  init(startOfHour number: Int64) { self.init(nanoseconds: number * Self.nanosecondsPerHour) }

  /// Number of the hour that contains this time, counted from 1970.
  var hour: Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(
      dividingBy: Self.nanosecondsPerHour)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
