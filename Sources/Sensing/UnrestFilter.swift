public import Bytes

/// Keeps a sensor that comes and goes from being two rows of Home Assistant's database each time:
/// from the third failure on, its last value stands in for the failures, unless they last, or the
/// value is old.
public struct UnrestFilter: Sendable {
  /// A failure is forgotten after this many readings in a row of one kind.
  static let memory = 16
  /// This many failures in a row can have a value in their place.
  public static let standInMax = 8
  /// A value that was read longer ago stands in for none.
  public static let standInTime: Duration = .seconds(600)

  /// How many readings it takes to be calm again.
  private var unrest = 0
  private var last: (value: Value, at: WallTime)?
  private var failures = 0

  public init() {}

  /// What is told if `new` was read at that time.
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
