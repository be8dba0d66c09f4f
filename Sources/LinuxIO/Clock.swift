public import Bytes
import CLinux

/// Now, on both clocks. It is read once for each turn of the loop and handed down from there.
///
/// The one that only goes on is `CLOCK_BOOTTIME`: it counts the time in which the board sleeps, so
/// that a sleep moves no time of day against it, and no limit stands still.
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
    @inline(never)
    get {
      Moment(
        instant: Instant(nanoseconds: clinux_boot_clock()),
        wallTime: WallTime(nanoseconds: clinux_clock(CLOCK_REALTIME)))
    }
  }
}

/// How long the board slept since the kernel started: by so much are timestamps of
/// `CLOCK_MONOTONIC`, which drivers of the kernel write, behind an `Instant`.
public var timeAsleep: Duration {
  let monotonic = clinux_clock(CLOCK_MONOTONIC)
  let difference = clinux_boot_clock() - monotonic
  // What passes between the two readings is no sleep.
  return difference < 1_000_000 ? .zero : .nanoseconds(difference)
}

/// Which start of the kernel this is: what is known of `Instant` holds for no other. A number of
/// this process where the kernel does not say.
public func kernelStart() -> UInt64 {
  var id = ByteBuffer(capacity: 64)
  try? readBeginning(ofFileAt: Path("/proc/sys/kernel/random/boot_id"), into: &id)
  var (number, digitCount) = (UInt64(0), 0)
  for index in id.bytes.indices where digitCount < 16 {
    guard let digit = hexadecimalValue(of: id.bytes[index]) else { continue }
    number = number << 4 | UInt64(digit)
    digitCount += 1
  }
  return digitCount == 16 ? number : randomSeed()
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
