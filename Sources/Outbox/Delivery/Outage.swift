import Bytes

extension Delivery {
  /// Waits between the attempts of an outage.
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// The same on a battery: an attempt wakes the radio, which costs a modem some 6 J.
  public static let longestRetryDelayOnBattery: Duration = .seconds(3600)
  /// Messages may be dropped without a word for this long before we say that the registration
  /// is probably gone, unless the configuration says otherwise; Home Assistant's start can look the
  /// same.
  public static let doubtAfter: Duration = .seconds(300)
}

/// The time from the first attempt that was not proven to the next proof: when the next attempt is
/// due, and whether the registration seems to be gone.
///
/// That a registration was not to be had belongs to it: what it costs ends with a proof, too.
///
/// Invariants:
/// 1. There is a `deadline` from the end of each attempt of an outage to the begin of the next, and
///    at no other time.
/// 2. A cause is told once in a row.
/// 3. The doubt is told once, after `doubtAfter` in which each attempt ended as if the registration
///    were gone. It is told again only after no new registration was to be had.
struct Outage {
  private enum State {
    case none
    /// A registration was needed and could not be had.
    case unregistered(since: Instant)
    case underWay(Course)
  }

  private struct Course {
    let since: Instant
    var cause: OutageCause
    /// When the last attempt ended; nil where none was made.
    var attemptedAt: Instant?
    /// When the next one is due; nil while one is under way.
    var retryAt: Instant?
    var doubt = Doubt.none
    var unregisteredSince: Instant?
  }

  private enum Doubt {
    case none
    case growing(since: Instant)
    case told

    var isTold: Bool { if case .told = self { true } else { false } }

    /// Returns for how long each attempt has ended as if the registration were gone; nil where that
    /// is told already, and where this one did not.
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
  }

  private var state = State.none
  private var backOff: BackOff
  private let doubtAfter: Duration
  private var isOnBattery = false

  init(doubtAfter: Duration = Delivery.doubtAfter, seed: UInt64) {
    self.doubtAfter = doubtAfter
    backOff = BackOff(
      first: Delivery.firstRetryDelay, longest: Delivery.longestRetryDelay, seed: seed)
  }

  // MARK: Queries

  /// When the next attempt is due; nil where there is no outage, and while an attempt is under way.
  var deadline: Instant? { course?.retryAt }

  var isUnderWay: Bool { course != nil }

  /// Since when readings do not arrive; nil where nothing hinders them.
  var since: Instant? {
    switch state {
    case .none: nil
    case .unregistered(let since): since
    case .underWay(let course): course.since
    }
  }

  /// Since when there is no registration to deliver with; kept until the first proof with one.
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

  mutating func attemptBegan() {
    guard var course else { return }
    course.retryAt = nil
    state = .underWay(course)
  }

  /// Nothing was proven over any route. `isDoubtful` where an answer looked as if the registration
  /// were gone.
  mutating func attemptFailed(
    _ cause: OutageCause, isDoubtful: Bool, now: Instant,
    telling tellings: inout Queue<DeliveryEvent>
  ) {
    let former = course
    var course =
      former ?? Course(since: now, cause: cause, unregisteredSince: unregisteredSince)
    course.cause = cause
    course.retryAt = now + backOff.failed()
    // Without a route nothing was attempted.
    if cause != .noRoute { course.attemptedAt = now }
    if former?.cause != cause { tellings.append(.outage(cause)) }
    if let doubtedFor = course.doubt.attemptEnded(isDoubtful, now: now), doubtedFor >= doubtAfter {
      course.doubt = .told
      tellings.append(.registrationDoubted(after: doubtedFor))
    }
    state = .underWay(course)
  }

  /// A cycle is due: with mains power it makes an attempt.
  mutating func cycleDue(now: Instant) { if !isOnBattery { tryEarlier(now: now) } }

  /// The board lives on its battery from now on, or has mains again. Returns whether it was
  /// otherwise before.
  mutating func supplyChanged(isOnBattery: Bool, now: Instant) -> Bool {
    guard isOnBattery != self.isOnBattery else { return false }
    self.isOnBattery = isOnBattery
    backOff.limit(
      to: isOnBattery ? Delivery.longestRetryDelayOnBattery : Delivery.longestRetryDelay)
    if !isOnBattery { tryEarlier(now: now) }
    return true
  }

  /// The next attempt is due at once, but at the edge of a network, where the board comes and goes
  /// all the time, no sooner after the last one than the first wait.
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

  /// A registration is needed and could not be had.
  mutating func registrationFailed(now: Instant) {
    switch state {
    case .none: state = .unregistered(since: now)
    case .unregistered: break
    case .underWay(var course):
      course.unregisteredSince = course.unregisteredSince ?? now
      state = .underWay(course)
    }
  }

  /// No new registration is to be had for now: the one there is is doubted anew.
  mutating func registrationRefused(now: Instant) {
    guard var course else { return }
    course.doubt = .growing(since: now)
    state = .underWay(course)
  }

  /// There is a new registration. What the loss of the old one cost is told with its first proof.
  mutating func registrationReplaced() {
    state = since.map { .unregistered(since: $0) } ?? .none
    backOff.succeeded()
  }
}
