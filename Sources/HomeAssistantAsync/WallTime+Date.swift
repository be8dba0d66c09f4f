public import Bytes
public import FoundationEssentials

extension WallTime {
  /// Converts a date, to the microsecond that a `Date` of these years can hold. Dates outside the
  /// years 1678 to 2261 are clamped.
  public init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    let limit = 9_200_000_000.0
    let whole = seconds.isNaN ? 0 : min(max(seconds, -limit), limit)
    self.init(nanoseconds: Int64((whole * 1e6).rounded()) * 1000)
  }

  /// Date of this instant.
  public var date: Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }
}
