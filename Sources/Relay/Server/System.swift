import Bytes
import Glibc

/// Clocks of the kernel, or of a test.
struct Clocks: Sendable {
  var wall: @Sendable () -> WallTime
  /// Time that no one sets, and that goes on while the machine sleeps.
  var monotonic: @Sendable () -> Instant
}

extension Clocks {
  static let kernel = Clocks(wall: { .now }) {
    let (seconds, nanoseconds) = read(CLOCK_BOOTTIME)
    return Instant(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
  }

  fileprivate static func read(_ clock: clockid_t) -> (seconds: Int64, nanoseconds: Int64) {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}

extension WallTime {
  /// The kernel's time; 1970 if it has none that can be counted.
  static var now: WallTime {
    let (seconds, nanoseconds) = Clocks.read(CLOCK_REALTIME)
    return WallTime(seconds: seconds, nanoseconds: nanoseconds) ?? WallTime(nanoseconds: 0)
  }
}

/// Comparison of the two clocks, which finds that the wall clock was set.
struct ClockWatch {
  /// Smaller steps change no age that matters.
  static let stepMin: Duration = .seconds(300)

  private var wall: WallTime
  private var monotonic: Instant

  init(_ wall: WallTime, _ monotonic: Instant) {
    self.wall = wall
    self.monotonic = monotonic
  }

  /// Seconds by which the wall clock was set since the last call; nil if it was not.
  mutating func step(_ wall: WallTime, _ monotonic: Instant) -> Int64? {
    let step = (wall - self.wall) - (monotonic - self.monotonic)
    guard step >= Self.stepMin || step <= .zero - Self.stepMin else { return nil }
    self.wall = wall
    self.monotonic = monotonic
    return step.components.seconds
  }
}

/// Writes text to a standard descriptor. Text that cannot be written is lost.
func say(_ text: String, on descriptor: Int32 = STDOUT_FILENO) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 || errno == EINTR else { return }
    rest = rest.dropFirst(max(0, count))
  }
}
