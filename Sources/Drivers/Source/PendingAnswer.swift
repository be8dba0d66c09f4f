import Bytes
import Sensing

/// The wait for a file that is read beside the loop: a cycle waits a limited time for the answer; a
/// later answer is part of the next cycle.
struct PendingAnswer {
  /// Time after which a driver counts as silent.
  static let silentAfter: Duration = .seconds(60)

  /// Time that a cycle waits.
  private let timeout: Duration
  /// Time of the request; nil if it is answered.
  private var askedAt: Instant?
  /// End of the wait of the current cycle; nil if it does not wait.
  private(set) var deadline: Instant?

  init(timeout: Duration) { self.timeout = timeout }

  var isAwaited: Bool { askedAt != nil }

  func isOverdue(now: Instant, after wait: Duration = Self.silentAfter) -> Bool {
    guard let askedAt else { return false }
    return now - askedAt >= wait
  }

  mutating func asked(at now: Instant) {
    askedAt = now
    deadline = now + timeout
  }

  mutating func answered() {
    askedAt = nil
    deadline = nil
  }

  mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { self.deadline = nil }
  }
}
