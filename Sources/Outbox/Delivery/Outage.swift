import Bytes

extension Delivery {
  /// Limits of the delay between two attempts of an outage.
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// Maximum delay on a battery: an attempt wakes the radio, which costs a modem about 6 J.
  public static let longestRetryDelayOnBattery: Duration = .seconds(3600)
  /// Default time for which messages may be dropped silently before the registration is reported as
  /// probably deleted; a start of Home Assistant can look the same.
  public static let doubtAfter: Duration = .seconds(300)
}

/// Time from the first unproven attempt to the next proof: the time of the next attempt, and
/// whether the registration seems to be deleted.
///
/// A failure to get a registration is a part of it: its cost, too, ends with a proof.
///
/// Invariants:
/// 1. There is a `deadline` from the end of each attempt of an outage to the beginning of the next,
///    and at no other time.
/// 2. A cause is reported once until it changes.
/// 3. The doubt is reported once, after `doubtAfter` in which each attempt ended as if the
///    registration were deleted; a sleep of the board does not count. It is reported again only
///    after a new registration was refused.
struct Outage {
  private enum State {
    case none
    /// A necessary registration could not be obtained.
    case unregistered(since: Instant)
    case underWay(Course)
  }

  private struct Course {
    let since: Instant
    var cause: OutageCause
    /// End of the last attempt; nil without one.
    var attemptedAt: Instant?
    /// Time of the next attempt; nil during an attempt.
    var retryAt: Instant?
    var doubt = Doubt.none
    var unregisteredSince: Instant?
  }

  private enum Doubt {
    case none
    case growing(since: Instant)
    case told

    var isTold: Bool { if case .told = self { true } else { false } }

    /// Returns the time for which each attempt has ended as if the registration were deleted; nil
    /// if that is already reported, or if this one did not.
    mutating func attemptEnded(_ isDoubtful: Bool, now: Instant) -> Duration? {
      switch self {
      case .told: return nil
      case .growing(let since) where isDoubtful: return now - since
      case .none where isDoubtful:
        self = .growing(since: now)
        return .zero
      case .none, .growing:
        self = .none
        return nil
      }
    }

    /// Leaves out a time in which the board slept instead of asking Home Assistant.
    mutating func attemptDelayed(by delay: Duration) {
      if case .growing(let since) = self { self = .growing(since: since + delay) }
    }
  }

  private var state = State.none
  private var backOff: BackOff
  private let doubtAfter: Duration
  private let events: DeliveryEvents
  private var isOnBattery = false

  init(doubtAfter: Duration, seed: UInt64, _ events: DeliveryEvents) {
    self.doubtAfter = doubtAfter
    self.events = events
    backOff = BackOff(
      first: Delivery.firstRetryDelay, longest: Delivery.longestRetryDelay, seed: seed)
  }

  // MARK: Queries

  /// Time of the next attempt; nil without an outage and during an attempt.
  var deadline: Instant? { course?.retryAt }

  var isUnderWay: Bool { course != nil }

  /// Time since which readings do not arrive; nil without an obstacle.
  var since: Instant? {
    switch state {
    case .none: nil
    case .unregistered(let since): since
    case .underWay(let course): course.since
    }
  }

  /// Time since which there is no registration; kept until the first proof with a new one.
  var unregisteredSince: Instant? {
    switch state {
    case .none: nil
    case .unregistered(let since): since
    case .underWay(let course): course.unregisteredSince
    }
  }

  var status: DeliveryStatus? {
    course.map { .outage($0.cause, since: $0.since, isDoubted: $0.doubt.isTold) }
  }

  private var course: Course? {
    guard case .underWay(let course) = state else { return nil }
    return course
  }

  // MARK: Events

  mutating func attemptBegan(now: Instant) {
    guard var course else { return }
    if let retryAt = course.retryAt, now > retryAt {
      course.doubt.attemptDelayed(by: now - retryAt)
    }
    course.retryAt = nil
    state = .underWay(course)
  }

  /// Handles an attempt that failed over every route. `isDoubtful` if an answer looked as if the
  /// registration were deleted.
  mutating func attemptFailed(_ cause: OutageCause, isDoubtful: Bool, now: Instant) {
    let former = course
    var course =
      former ?? Course(since: now, cause: cause, unregisteredSince: unregisteredSince)
    course.cause = cause
    course.retryAt = now + backOff.failed()
    // Without a route there was no attempt.
    if cause != .noRoute { course.attemptedAt = now }
    if former?.cause != cause { events.append(.outage(cause)) }
    if let doubtedFor = course.doubt.attemptEnded(isDoubtful, now: now), doubtedFor >= doubtAfter {
      course.doubt = .told
      events.append(.registrationDoubted(after: doubtedFor))
    }
    state = .underWay(course)
  }

  /// Handles a due cycle: with mains power it makes an attempt.
  mutating func cycleDue(now: Instant) { if !isOnBattery { tryEarlier(now: now) } }

  /// Sets the limits for battery or mains power. Returns whether the supply changed.
  mutating func supplyChanged(isOnBattery: Bool, now: Instant) -> Bool {
    guard isOnBattery != self.isOnBattery else { return false }
    self.isOnBattery = isOnBattery
    backOff.limit(
      to: isOnBattery ? Delivery.longestRetryDelayOnBattery : Delivery.longestRetryDelay)
    if !isOnBattery { tryEarlier(now: now) }
    return true
  }

  /// Makes the next attempt due at once, but not within the first delay after the last one, because
  /// at the edge of a network the board comes and goes all the time.
  mutating func tryEarlier(now: Instant) {
    guard var course, let retryAt = course.retryAt else { return }
    let soonest = course.attemptedAt.map { $0 + Delivery.firstRetryDelay } ?? now
    course.retryAt = min(retryAt, max(soonest, now))
    state = .underWay(course)
  }

  mutating func proven() {
    state = .none
    backOff.succeeded()
  }

  /// Records that a necessary registration could not be obtained.
  mutating func registrationFailed(now: Instant) {
    switch state {
    case .none: state = .unregistered(since: now)
    case .unregistered: break
    case .underWay(var course):
      course.unregisteredSince = course.unregisteredSince ?? now
      state = .underWay(course)
    }
  }

  /// Handles a refused new registration: the existing one is doubted again.
  mutating func registrationRefused(now: Instant) {
    guard var course else { return }
    course.doubt = .growing(since: now)
    state = .underWay(course)
  }

  /// Handles a new registration. Its first proof reports the cost of the old one's loss.
  mutating func registrationReplaced() {
    state = since.map { .unregistered(since: $0) } ?? .none
    backOff.succeeded()
  }
}
