import Bytes

/// What is due again and again. Moments that have passed by while the program was held up, as by a
/// pipe that takes nothing or a stopped process, are left out.
struct PeriodicTimer {
  let every: Duration
  /// When it is due next.
  private(set) var deadline: Instant

  /// It is due at once.
  init(every: Duration, now: Instant) {
    self.every = every
    deadline = now
  }

  /// Returns whether it is due.
  mutating func takeDue(now: Instant) -> Bool {
    guard now >= deadline else { return false }
    deadline = deadline + every
    if deadline <= now { deadline = now + every }
    return true
  }
}
