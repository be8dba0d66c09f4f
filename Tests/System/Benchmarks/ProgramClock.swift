import Foundation

/// The time that programs live in; `Tests/System/Soak/clock.c` gives it to them.
enum ProgramClock {
  /// As fast as the kernel's; it stands still while a program works. A slow read moves to another
  /// thread, and under Valgrind every read might be slow.
  case whileWaiting
  /// So many times faster than the kernel's: hours of the agent take minutes. What a processor does
  /// is not accelerated.
  case faster(Int)

  /// What all programs that live in this time are started with.
  func environment(_ options: Options) throws -> [String] {
    guard let rate else { return [] }
    let origins = "\(nanoseconds(of: CLOCK_MONOTONIC)) \(nanoseconds(of: CLOCK_REALTIME))"
    return ["LD_PRELOAD=\(try options.file("clock"))", "HOMEWARD_CLOCK=\(origins) \(rate)"]
  }

  /// As `clock.c` has it; nil for the kernel's own time.
  private var rate: Int? {
    switch self {
    case .whileWaiting: 0
    case .faster(let rate): rate > 1 ? rate : nil
    }
  }

  private func nanoseconds(of clock: clockid_t) -> Int {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
