import Foundation

/// A time that goes faster than the clock, for programs that are started with it: so hours of the
/// agent take minutes. What a processor does is not accelerated.
struct FasterClock {
  let rate: Int

  /// What the programs that live in one time are started with; `Tests/System/Soak/clock.c` reads
  /// it.
  func environment(_ options: Options) throws -> [String] {
    guard rate > 1 else { return [] }
    let origins = "\(nanoseconds(of: CLOCK_MONOTONIC)) \(nanoseconds(of: CLOCK_REALTIME))"
    return ["LD_PRELOAD=\(try options.file("clock"))", "HOMEWARD_CLOCK=\(origins) \(rate)"]
  }

  private func nanoseconds(of clock: clockid_t) -> Int {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
