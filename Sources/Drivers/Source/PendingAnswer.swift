import Bytes
import Sensing

/// The wait for a file that is read beside the loop: a cycle waits for its answer, and not for
/// long; what comes later goes with the next one.
struct PendingAnswer {
  /// A driver that was asked so long ago does not answer any more.
  static let silentAfter: Duration = .seconds(60)

  /// How long a cycle waits.
  private let timeout: Duration
  /// When the driver was asked, while it has not answered.
  private var askedAt: Instant?
  /// Until when the cycle waits, while it does.
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
