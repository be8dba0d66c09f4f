import Bytes

/// Limits the rate of log lines that all matter, such as the switching of a pump, to spare the SD
/// card: `linesMax` in an hour, then the number of suppressed lines.
struct LineRateLimiter {
  static let linesMax = 20
  static let window: Duration = .seconds(3600)

  /// End of the hour that began with a line; nil before the first one.
  private var end: Instant?
  private var lineCount = 0
  private var leftOutCount = 0

  /// Records an event. Returns whether to log it.
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

  /// Returns the number of suppressed lines, once, when the hour is over or the agent ends.
  mutating func takeLeftOut(now: Instant, isEnding: Bool = false) -> Int {
    guard leftOutCount > 0, let end, isEnding || now >= end else { return 0 }
    defer { leftOutCount = 0 }
    return leftOutCount
  }
}
