/// A moment of the machine's clock that only goes on, also while the machine sleeps
/// (`CLOCK_BOOTTIME`), in nanoseconds since the kernel started. Deadlines are made of it. It is
/// never sent anywhere.
public struct Instant: Comparable, Hashable, Sendable {
  /// Since the kernel started; never sent anywhere.
  public let nanoseconds: Int64

  /// The moment so many nanoseconds after the origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The moment `duration` later; held at the end of time rather than wrapped around it.
  // A duration counts attoseconds in 128 bits: its arithmetic is kept in one place.
  @inline(never)
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let nanoseconds = duration.nanoseconds
    let (sum, overflowed) = instant.nanoseconds.addingReportingOverflow(nanoseconds)
    return Instant(nanoseconds: overflowed ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The time from `earlier` to `later`; negative where they are the other way round.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingClamped(earlier.nanoseconds))
  }
}

/// The earlier of two deadlines, where nil is none.
public func earliest(_ first: Instant?, _ second: Instant?) -> Instant? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}

/// A moment of UTC, in nanoseconds since 1970-01-01. It may jump (no battery-backed clock: 1970
/// until GPS or NTP), so nothing waits for it.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Since 1970-01-01 00:00 UTC, without leap seconds; negative before.
  public let nanoseconds: Int64

  /// The moment so many nanoseconds after 1970-01-01 00:00 UTC.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// A moment from seconds and nanoseconds as the kernel and gpsd give them, or nil where the
  /// two do not make a moment between the years 1677 and 2262.
  public init?(seconds: Int64, nanoseconds: Int64) {
    let (product, multiplied) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, added) = product.addingReportingOverflow(nanoseconds)
    guard !multiplied, !added, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
    self.nanoseconds = sum
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The time from `earlier` to `later`; negative where they are the other way round.
  public static func - (later: WallTime, earlier: WallTime) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingClamped(earlier.nanoseconds))
  }

  /// The moment `duration` later; held at the end of time rather than wrapped around it.
  public static func + (time: WallTime, duration: Duration) -> WallTime {
    let (sum, overflowed) = time.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return WallTime(nanoseconds: overflowed ? (duration < .zero ? .min : .max) : sum)
  }

  /// The moment `duration` earlier; held at the beginning of time rather than wrapped around it.
  public static func - (time: WallTime, duration: Duration) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds.subtractingClamped(duration.nanoseconds))
  }
}

extension Duration {
  /// The whole nanoseconds of the duration, held within ±292 years.
  // `components` divides numbers of 128 bits twice, which costs as much as reading a line of gpsd.
  @inline(never)
  public var nanoseconds: Int64 {
    let attoseconds = attoseconds
    // A clock that is right is ahead by nothing, which is asked for every reading.
    guard attoseconds != 0 else { return 0 }
    let magnitude = attoseconds.magnitude
    let attosecondsPerNanosecond: UInt64 = 1_000_000_000
    let high = UInt64(truncatingIfNeeded: magnitude >> 64)
    guard high < attosecondsPerNanosecond else { return attoseconds < 0 ? .min : .max }
    let (nanoseconds, _) = attosecondsPerNanosecond.dividingFullWidth(
      (high, UInt64(truncatingIfNeeded: magnitude)))
    if attoseconds < 0 { return Int64(exactly: nanoseconds).map { -$0 } ?? .min }
    return Int64(clamping: nanoseconds)
  }
}

extension Int64 {
  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflowed) = subtractingReportingOverflow(other)
    return overflowed ? (self < 0 ? .min : .max) : difference
  }
}
