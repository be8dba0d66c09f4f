import Bytes

/// Limits for what others ask of a relay.
public struct Limits: Sendable {
  /// Accepted notifications of a board in a day.
  public var notificationsADay: Int64 = 150
  /// Notifications that wait for a board.
  public var waitingCountMax: Int64 = 1000
  /// Time after which a notification that waits is dropped.
  public var waitingFor: Duration = .seconds(30 * 86_400)
  /// Bytes of a request's body. Home Assistant's own limit of an event is half of that.
  public var bodyByteCountMax = 64 * 1024
  /// Bytes of sealed notifications in one answer to a board.
  public var answerByteCountMax = 96 * 1024
  /// Notifications in one answer to a board.
  public var answerCountMax = 100

  public init() {}
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
  /// Number of the newest notification; 0 before the first. It never falls, and no number is given
  /// twice.
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
    turnPage(at: now)
    // First of all: who is over the limit costs nothing more.
    guard successful < limits.notificationsADay else {
      errors += 1
      return .overLimit
    }
    guard hasKey, waiting < limits.waitingCountMax, newest < .max else {
      errors += 1
      return hasKey ? .isFull : .hasNoKey
    }
    successful += 1
    waiting += 1
    newest += 1
    return .accepted(number: newest)
  }

  /// Begins a new day at midnight in UTC. A clock that steps back over midnight, as when it is
  /// corrected, does not give another day's notifications: that day goes on. If it steps back by
  /// more, the day that was counted was never today.
  mutating func turnPage(at now: WallTime) {
    let today = Day(of: now)
    guard today != day, today.number != day.number - 1 else { return }
    day = today
    successful = 0
    errors = 0
  }

  func rateLimits(_ limits: Limits) -> RateLimits {
    RateLimits(
      successful: successful, errors: errors, maximum: limits.notificationsADay, resetsAt: day.end)
  }
}
