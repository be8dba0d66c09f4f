import Bytes

/// The clock of a receiver: its last time, and its distance from the board's clock.
///
/// Neither clock needs to be right. A report that is read as soon as it was made sets the distance;
/// a report that is read later seems further away, and the difference is its age.
struct ReceiverClock: Sendable {
  /// Number of rising times in a row after which an earlier clock is accepted: receivers correct
  /// their date after a cold start.
  static let earlierReportsMax = 3
  /// The two clocks drift apart by at most one part in this number: the kernel slews the board's
  /// clock by 500 millionths.
  static let driftDivisor: Int64 = 2000

  private var lastTime: WallTime?
  private var earlier: (time: WallTime, count: Int)?
  /// The board's clock minus the receiver's, in nanoseconds, from a report without delay.
  private var distance: (nanoseconds: Int64, at: Instant)?

  /// Returns whether this is the time of a new fix.
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

  /// Returns the age of this receiver time in nanoseconds; nil for the first time.
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
