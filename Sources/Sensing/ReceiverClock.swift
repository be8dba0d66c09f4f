import Bytes

/// What is known of the clock of a receiver: which time it said last, and how far it is from ours.
///
/// Neither clock needs to be right for that. A report that is read as soon as it was made sets the
/// distance; one that is read later seems to be farther away, and by so much it is old.
struct ReceiverClock: Sendable {
  /// Rising times in a row after which an earlier clock is believed: receivers correct their date
  /// after a cold start.
  static let earlierReportsMax = 3
  /// The two clocks drift apart by at most a part in so many: the kernel slews ours by 500
  /// millionths.
  static let driftDivisor: Int64 = 2000

  private var lastTime: WallTime?
  private var earlier: (time: WallTime, count: Int)?
  /// Our clock less the receiver's, in nanoseconds, where a report was not late.
  private var distance: (nanoseconds: Int64, at: Instant)?

  /// Whether this is the time of a new fix.
  mutating func isNews(_ time: WallTime) -> Bool {
    guard let lastTime, time <= lastTime else {
      lastTime = time
      earlier = nil
      return true
    }
    guard time < lastTime else { return false }
    let count = earlier.map { time > $0.time ? $0.count + 1 : 1 } ?? 1
    earlier = (time, count)
    guard count >= Self.earlierReportsMax else { return false }
    self = ReceiverClock()
    self.lastTime = time
    return true
  }

  /// How many nanoseconds ago the receiver said this time; nil where it is the first.
  mutating func age(of time: WallTime, now: Instant) -> Int64? {
    let (difference, overflowed) = now.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
    guard !overflowed else { return nil }
    guard let distance else {
      distance = (difference, now)
      return nil
    }
    let drift = (now - distance.at).nanoseconds / Self.driftDivisor
    let (age, isTooLong) = difference.subtractingReportingOverflow(
      distance.nanoseconds &+ max(0, drift))
    guard !isTooLong, age > 0 else {
      self.distance = (difference, now)
      return 0
    }
    return age
  }
}
