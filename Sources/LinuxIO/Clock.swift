public import Bytes
import CLinux

/// Present time of both clocks. It is read once for each turn of the loop and passed on from there.
///
/// The monotonic clock is `CLOCK_BOOTTIME`: it includes the time in which the board sleeps, so that
/// a sleep changes no time of day relative to it, and timeouts continue.
public struct Moment: Sendable {
  public let instant: Instant
  public let wallTime: WallTime

  public init(instant: Instant, wallTime: WallTime) {
    self.instant = instant
    self.wallTime = wallTime
  }

  /// Returns the wall time at another moment, by the present setting of the wall clock.
  public func wallTime(of other: Instant) -> WallTime { wallTime - (instant - other) }

  /// Present time of the kernel's clocks.
  public static var now: Moment {
    @inline(never)
    get {
      Moment(
        instant: Instant(nanoseconds: clinux_boot_clock()),
        wallTime: WallTime(nanoseconds: clinux_clock(CLOCK_REALTIME)))
    }
  }
}

/// Duration of all sleeps of the board since the kernel started: timestamps of `CLOCK_MONOTONIC`,
/// which kernel drivers write, are behind an `Instant` by this duration.
public var timeAsleep: Duration {
  let monotonic = clinux_clock(CLOCK_MONOTONIC)
  let difference = clinux_boot_clock() - monotonic
  // The time between the two readings is not a sleep.
  return difference < 1_000_000 ? .zero : .nanoseconds(difference)
}

/// Returns a number of this start of the kernel: an `Instant` is only valid within it. If the
/// kernel has no number, it is unique to this process.
public func kernelStart() -> UInt64 {
  let id = (try? readFile(at: Path("/proc/sys/kernel/random/boot_id"), byteCountMax: 64)) ?? []
  let digits = [UInt8](id.filter { hexadecimalValue(of: $0) != nil }.prefix(16))
  guard digits.count == 16 else { return randomSeed() }
  return UInt64(hexadecimal: digits.span) ?? randomSeed()
}

/// Whether a correct source, such as NTP or a receiver, has set the kernel's clock and keeps it
/// synchronised (`adjtimex(2)`).
public var isClockSynchronized: Bool { clinux_clock_is_synchronized() }

extension WallTime {
  /// Offset of local time from UTC at this moment: the system's time zone, or `TZ`.
  public var localOffset: Duration {
    .seconds(clinux_seconds_ahead_of_utc(nanoseconds / 1_000_000_000))
  }
}

/// Returns unpredictable bytes from the kernel.
public func randomBytes<let count: Int>() -> InlineArray<count, UInt8> {
  var bytes = InlineArray<count, UInt8>(repeating: 0)
  var span = bytes.mutableSpan
  let filled = unsafe span.withUnsafeMutableBytes { unsafe getrandom($0.baseAddress, $0.count, 0) }
  precondition(filled == count, "the kernel gives up to 256 bytes in one go once it has started")
  return bytes
}

/// Returns a seed for the jitter of delays, different in every process.
public func randomSeed() -> UInt64 {
  let bytes: InlineArray<8, UInt8> = randomBytes()
  var seed: UInt64 = 0
  for index in 0..<8 { seed = seed << 8 | UInt64(bytes[index]) }
  return seed
}
