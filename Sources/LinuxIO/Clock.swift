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

  /// Reads the kernel's clocks.
  public static var now: Moment {
    Moment(
      instant: Instant(nanoseconds: clinux_clock(CLOCK_MONOTONIC)),
      wallTime: WallTime(nanoseconds: clinux_clock(CLOCK_REALTIME)))
  }
}

/// Bytes that nobody can guess, from the kernel.
public func randomBytes<let count: Int>() -> InlineArray<count, UInt8> {
  var bytes = InlineArray<count, UInt8>(repeating: 0)
  var span = bytes.mutableSpan
  let filled = unsafe span.withUnsafeMutableBytes { unsafe getrandom($0.baseAddress, $0.count, 0) }
  precondition(filled == count, "the kernel gives up to 256 bytes in one go once it has started")
  return bytes
}
