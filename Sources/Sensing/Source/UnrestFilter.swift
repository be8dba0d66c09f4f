public import Bytes

/// Keeps an unreliable sensor from adding two rows to Home Assistant's database at each failure:
/// from the third failure on, its last value replaces the failures, unless they last or the value
/// is old.
public struct UnrestFilter: Sendable {
  /// Number of readings of one kind in a row after which a failure is forgotten.
  static let memory = 16
  /// Maximum number of failures in a row that the last value replaces.
  public static let standInMax = 8
  /// Maximum age of a value that replaces a failure.
  public static let standInTime: Duration = .seconds(600)

  /// Number of readings until the sensor counts as reliable.
  private var unrest = 0
  private var last: (value: Value, at: WallTime)?
  private var failures = 0

  public init() {}

  /// Returns the value to report for `new`, read at `time`.
  public mutating func admit(_ new: Value, at time: WallTime) -> Value {
    switch new {
    case .number, .boolean, .text:
      if failures == 0, unrest > 0 { unrest -= 1 }
      failures = 0
      last = (new, time)
      return new
    case .unknown, .unavailable: break
    }
    if failures == 0 {
      unrest = min(unrest + Self.memory, 3 * Self.memory)
    } else if unrest > 0 {
      unrest -= 1
    }
    if failures <= Self.standInMax { failures += 1 }
    guard let last, unrest > 2 * Self.memory, failures <= Self.standInMax,
      time - last.at <= Self.standInTime
    else {
      last = nil
      return new
    }
    return last.value
  }
}
