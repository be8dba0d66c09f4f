import Bytes

/// Limits for what others ask of a relay.
struct Limits: Sendable {
  /// Accepted notifications of a board in a day.
  var notificationsADay: Int64 = 150
  /// Notifications that wait for a board.
  var waitingCountMax: Int64 = 1000
  /// Time after which a notification that waits is dropped.
  var waitingFor: Duration = .seconds(30 * 86_400)
  /// Bytes of a request's body. Home Assistant's own limit of an event is half of that.
  var bodyByteCountMax = 64 * 1024
  /// Bytes of sealed notifications in one answer to a board.
  var answerByteCountMax = 96 * 1024
  /// Notifications in one answer to a board.
  var answerCountMax = 100
  /// Old notifications that are dropped at once, so that others do not wait for that.
  var droppedCountMax: Int64 = 500
  /// Largest difference between the clock of a store elsewhere and the relay's.
  var clockDifferenceMax: Duration = .seconds(300)
}

/// Counts of a board, without its secrets: the machine that decides whether a notification is
/// accepted.
struct Account: Equatable {
  /// Day of `successful` and `errors`.
  var day: Day
  var successful: Int64 = 0
  var errors: Int64 = 0
  /// Notifications that wait.
  var waiting: Int64 = 0
  /// Number of the newest notification; 0 before the first. Numbers rise. They are milliseconds
  /// since 1970 if the clock allows it, so that a store from a backup gives no number twice.
  var newest: Int64 = 0
  /// Whether the board has said to which key its notifications are sealed.
  var hasKey: Bool

  enum Verdict: Equatable {
    /// Accepted under a number.
    case accepted(number: Int64)
    case overLimit
    case hasNoKey
    case isFull
  }

  /// Judges a notification that comes at `now`, and counts it.
  mutating func notificationArrived(at now: WallTime, limits: Limits) -> Verdict {
    beginDay(at: now)
    // First of all: a board over its limit costs nothing more.
    guard successful < limits.notificationsADay else {
      errors &+= 1
      return .overLimit
    }
    guard hasKey, waiting < limits.waitingCountMax, newest < .max else {
      errors &+= 1
      return hasKey ? .isFull : .hasNoKey
    }
    successful += 1
    waiting += 1
    newest = max(newest + 1, now.nanoseconds / 1_000_000)
    return .accepted(number: newest)
  }

  /// Begins a new day at midnight in UTC. A clock that steps back over midnight, as when it is
  /// corrected, does not give another day's notifications: that day goes on. If it steps back by
  /// more, the day that was counted was never today.
  mutating func beginDay(at now: WallTime) {
    let today = Day(of: now)
    guard today != day, today.number != day.number &- 1 else { return }
    day = today
    successful = 0
    errors = 0
  }

  func rateLimits(_ limits: Limits) -> RateLimits {
    RateLimits(
      successful: successful, errors: errors, maximum: limits.notificationsADay, resetsAt: day.end)
  }
}
