import Bytes

/// Lines of which a person wants each, such as which pump was switched when, as far as a card can
/// bear: so many in an hour, and behind that how many were left out.
struct LineRateLimiter {
  static let linesMax = 20
  static let window: Duration = .seconds(3600)

  /// When the hour ends that began with a line; nil before the first one.
  private var end: Instant?
  private var lineCount = 0
  private var leftOutCount = 0

  /// Returns whether to tell it.
  mutating func happened(now: Instant) -> Bool {
    if end.map({ now >= $0 }) ?? true {
      end = now + Self.window
      lineCount = 0
    }
    guard lineCount < Self.linesMax else {
      leftOutCount += 1
      return false
    }
    lineCount += 1
    return true
  }

  /// How many were left out, once the hour is over or the agent ends; nothing where that was told.
  mutating func takeLeftOut(now: Instant, isEnding: Bool = false) -> Int {
    guard leftOutCount > 0, let end, isEnding || now >= end else { return 0 }
    defer { leftOutCount = 0 }
    return leftOutCount
  }
}
