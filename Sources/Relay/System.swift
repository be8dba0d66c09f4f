import Bytes
import CLinux

/// Clocks of the kernel, or of a test.
struct Clocks: Sendable {
  var wall: @Sendable () -> WallTime
  /// Time that no one sets, and that goes on while the machine sleeps.
  var monotonic: @Sendable () -> Instant
}

extension Clocks {
  static let kernel = Clocks(wall: { .now }) {
    Instant(nanoseconds: clinux_boot_clock())
  }
}

extension WallTime {
  /// The kernel's time.
  static var now: WallTime { WallTime(nanoseconds: clinux_clock(CLOCK_REALTIME)) }
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

/// Returns the description of the kernel's last error.
func systemError() -> String {
  guard let words = unsafe clinux_error_description(clinux_errno()) else { return "unknown error" }
  return unsafe String(cString: words)
}

extension Text {
  /// Copies a text of C.
  init(cString text: UnsafePointer<CChar>) {
    unsafe self.init([UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text))))
  }

  /// Arguments of this process after its name.
  static var arguments: [Text] {
    (1..<max(clinux_argument_count(), 1)).compactMap { index in
      unsafe clinux_argument(index).map { unsafe Text(cString: $0) }
    }
  }
}

/// Writes text to a standard descriptor. Text that cannot be written is lost.
func say(_ text: String, on descriptor: Int32 = STDOUT_FILENO) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 || clinux_errno() == EINTR else { return }
    rest = rest.dropFirst(max(0, count))
  }
}
