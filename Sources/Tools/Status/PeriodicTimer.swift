import Bytes

/// Timer of a periodic event. It skips events that passed while the program was held up, as by a
/// pipe that accepts nothing or a stopped process.
struct PeriodicTimer {
  let every: Duration
  /// Time of the next event.
  private(set) var deadline: Instant

  /// Creates a timer that is due at once.
  init(every: Duration, now: Instant) {
    self.every = every
    deadline = now
  }

  /// Returns whether the event is due, and if it is, sets the next deadline.
  mutating func takeDue(now: Instant) -> Bool {
    guard now >= deadline else { return false }
    deadline = deadline + every
    if deadline <= now { deadline = now + every }
    return true
  }
}
