public import Bytes

/// What a sensor measured in one hour of UTC.
public struct SensorHour: Equatable, Sendable {
  /// Which hour, counted from 1970.
  public let number: Int64
  /// Weighted by time.
  public let mean: Double
  public let lowest: Double
  public let highest: Double

  public init(number: Int64, mean: Double, lowest: Double, highest: Double) {
    self.number = number
    self.mean = mean
    self.lowest = lowest
    self.highest = highest
  }

  public var start: WallTime { WallTime(startOfHour: number) }
  public var end: WallTime { WallTime(startOfHour: number + 1) }
}

extension WallTime {
  static let nanosecondsPerHour: Int64 = 3_600_000_000_000

  /// - Precondition: the hour lies in the time that a wall clock can show.
  init(startOfHour number: Int64) { self.init(nanoseconds: number * Self.nanosecondsPerHour) }

  /// The hour that it lies in, counted from 1970.
  var hour: Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(
      dividingBy: Self.nanosecondsPerHour)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
