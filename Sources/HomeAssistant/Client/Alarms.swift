import Bytes

/// Moments that parts of a client wait for, beside those of its session.
struct Alarms {
  private var entries: [(number: UInt64, at: Instant, handler: () -> Void)] = []
  private var lastNumber: UInt64 = 0

  var deadline: Instant? { entries.map { $0.at }.min() }

  /// Its number is never used again.
  mutating func add(at instant: Instant, _ handler: @escaping () -> Void) -> UInt64 {
    lastNumber += 1
    entries.append((lastNumber, instant, handler))
    return lastNumber
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

  /// The first of those that are due, which is then over.
  mutating func takeDue(now: Instant) -> (() -> Void)? {
    guard let first = entries.indices.min(by: { entries[$0].at < entries[$1].at }),
      entries[first].at <= now
    else { return nil }
    return entries.remove(at: first).handler
  }
}
