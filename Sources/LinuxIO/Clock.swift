public import Bytes
import CLinux

/// Now, on both clocks. It is read once for each turn of the loop and handed down from there.
public struct Moment: Sendable {
  public let instant: Instant
  public let wallTime: WallTime

  public init(instant: Instant, wallTime: WallTime) {
    self.instant = instant
    self.wallTime = wallTime
  }

  /// What the wall clock, as it goes now, showed at another moment.
  public func wallTime(of other: Instant) -> WallTime { wallTime - (instant - other) }

  /// Reads the kernel's clocks.
  public static var now: Moment {
    Moment(
      instant: Instant(nanoseconds: clinux_clock(CLOCK_MONOTONIC)),
      wallTime: WallTime(nanoseconds: clinux_clock(CLOCK_REALTIME)))
  }
}

/// Whether the kernel's clock was set by a clock that is right, such as NTP or a receiver, and has
/// been kept so (`adjtimex(2)`).
public var isClockSynchronized: Bool { clinux_clock_is_synchronized() }

extension WallTime {
  /// How far the clocks of people here are ahead of UTC at this moment: the system's time zone, or
  /// `TZ`.
  public var localOffset: Duration {
    .seconds(clinux_seconds_ahead_of_utc(nanoseconds / 1_000_000_000))
  }
}

/// Bytes that no attacker can guess, from the kernel.
public func randomBytes<let count: Int>() -> InlineArray<count, UInt8> {
  var bytes = InlineArray<count, UInt8>(repeating: 0)
  var span = bytes.mutableSpan
  let filled = unsafe span.withUnsafeMutableBytes { unsafe getrandom($0.baseAddress, $0.count, 0) }
  precondition(filled == count, "the kernel gives up to 256 bytes in one go once it has started")
  return bytes
}

/// Where the jitter of waits starts, another one in every process.
public func randomSeed() -> UInt64 {
  let bytes: InlineArray<8, UInt8> = randomBytes()
  var seed: UInt64 = 0
  for index in 0..<8 { seed = seed << 8 | UInt64(bytes[index]) }
  return seed
}
