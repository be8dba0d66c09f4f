/// Moment of the monotonic clock, which also runs while the machine sleeps (`CLOCK_BOOTTIME`), in
/// nanoseconds since the kernel started. Used for deadlines and never sent.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the kernel started.
  public let nanoseconds: Int64

  /// Creates a moment from nanoseconds since the kernel started.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Returns the moment `duration` later, clamped to the range of `Instant`.
  // A duration counts attoseconds in 128 bits: its arithmetic stays in one place.
  @inline(never)
  public static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(nanoseconds: instant.nanoseconds.addingClamped(duration.nanoseconds))
  }

  /// Returns the time from `earlier` to `later`; negative if they are in reverse order.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingClamped(earlier.nanoseconds))
  }
}

/// Returns the earlier of two deadlines; nil means no deadline.
public func earliest(_ first: Instant?, _ second: Instant?) -> Instant? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}

/// Moment of UTC, in nanoseconds since 1970-01-01. It may jump (without a battery-backed clock:
/// 1970 until GPS or NTP), so no deadline uses it.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since 1970-01-01 00:00 UTC, without leap seconds; negative before.
  public let nanoseconds: Int64

  /// Creates a moment from nanoseconds since 1970-01-01 00:00 UTC.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates a moment from seconds and nanoseconds in the form of the kernel and gpsd; nil if they
  /// do not give a moment between the years 1677 and 2262.
  public init?(seconds: Int64, nanoseconds: Int64) {
    let (product, multiplied) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, added) = product.addingReportingOverflow(nanoseconds)
    guard !multiplied, !added, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
    self.nanoseconds = sum
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Returns the wall time at the beginning of the monotonic clock, which now shows `instant`.
  public func origin(at instant: Instant) -> WallTime {
    WallTime(nanoseconds: nanoseconds.subtractingClamped(instant.nanoseconds))
  }

  /// Returns the time from `earlier` to `later`; negative if they are in reverse order.
  public static func - (later: WallTime, earlier: WallTime) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingClamped(earlier.nanoseconds))
  }

  /// Returns the moment `duration` later, clamped to the range of `WallTime`.
  public static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds.addingClamped(duration.nanoseconds))
  }

  /// Returns the moment `duration` earlier, clamped to the range of `WallTime`.
  public static func - (time: WallTime, duration: Duration) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds.subtractingClamped(duration.nanoseconds))
  }
}

extension Duration {
  /// Whole nanoseconds of the duration, clamped to ±292 years.
  // `components` divides 128-bit numbers twice, which costs as much as reading a line of gpsd.
  @inline(never)
  public var nanoseconds: Int64 {
    let attoseconds = attoseconds
    // The offset of a correct clock is zero, and every reading computes it.
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
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflowed) = addingReportingOverflow(other)
    return overflowed ? (self < 0 ? .min : .max) : sum
  }

  fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflowed) = subtractingReportingOverflow(other)
    return overflowed ? (self < 0 ? .min : .max) : difference
  }
}

/// Delays that double after each failure, with jitter, so that many agents do not call at once when
/// Home Assistant is back.
public struct BackOff: Sendable {
  private let first: Duration
  private var longest: Duration
  private var next: Duration
  private var random: SplitMix64

  /// Creates delays from `first` to `longest`, jitter included. Use another `seed` on every device.
  public init(first: Duration, longest: Duration, seed: UInt64) {
    precondition(first > .zero && first <= longest, "waits grow")
    self.first = first
    self.longest = longest
    next = first
    random = SplitMix64(seed: seed)
  }

  /// Returns the delay after one more failure, 75 % to 100 % of the step, and doubles the step.
  public mutating func failed() -> Duration {
    let step = next
    next = min(next + next, longest)
    let quarter = step.nanoseconds / 4
    return step - .nanoseconds(Int64(random.next() % UInt64(max(quarter, 1))))
  }

  /// Limits every later delay to `longest`.
  public mutating func limit(to longest: Duration) {
    precondition(first <= longest, "waits grow")
    self.longest = longest
    next = min(next, longest)
  }

  /// Resets the delay: the next failure counts as the first.
  public mutating func succeeded() { next = first }
}

/// Small pseudo-random number generator that returns the same numbers for the same seed (Steele,
/// Lea, Flood: "Fast splittable pseudorandom number generators", 2014). Not for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; the same seed gives the same numbers.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
