import Bytes
import HomeAssistant

extension Delivery {
  /// Limits of the delay between two attempts of an outage.
  public static let firstRetryDelay: Duration = .seconds(5)
  public static let longestRetryDelay: Duration = .seconds(120)
  /// Maximum delay on a battery: an attempt wakes the radio, which costs a modem about 6 J.
  public static let longestRetryDelayOnBattery: Duration = .seconds(3600)
  /// Maximum delay after a link is back, and the number of these delays: its address and its name
  /// server come within a minute, or not soon.
  static let quickRetryDelay: Duration = .seconds(15)
  static let quickRetriesMax = 4
  /// Default time for which messages may be dropped silently before the registration is reported as
  /// probably deleted; a start of Home Assistant can look the same.
  public static let doubtAfter: Duration = .seconds(300)
  /// Time after which entries that wait for an upload are written to the disk, at the next cycle.
  public static let unwrittenMax: Duration = .seconds(900)
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
/// 3. The doubt is reported once, after a total of `doubtAfter` between consecutive answers that
///    look as if the registration were deleted; a sleep of the board does not count. An attempt
///    without an answer interrupts that time; another answer ends the doubt, as does silence for
///    longer than `doubtAfter`. It is reported again only after a new registration was refused.
struct Outage {
  private struct Course {
    let since: Instant
    var cause: OutageCause
    /// End of the last attempt; nil without one.
    var attemptedAt: Instant?
    /// Time of the next attempt; nil during an attempt.
    var retryAt: Instant?
    /// Nil if the last answer did not look as if the registration were deleted.
    var doubt: Doubt?
    var isDoubtTold = false
  }

  private struct Doubt {
    /// Time since which each answer looked as if the registration were deleted, moved forward by
    /// the time that does not count.
    var since: Instant
    /// End of the last attempt with an answer, moved forward by a sleep after it.
    var until: Instant
    /// Whether the last attempt had an answer.
    var isConfirmed = true
  }

  /// Nil without an outage.
  private var course: Course?
  /// Time since which there is no registration; kept until the first proof with a new one.
  private(set) var unregisteredSince: Instant?
  private var backOff: BackOff
  /// Number of short delays that are left since a link is back.
  private var quickRetriesLeft = 0
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
  var since: Instant? { course?.since ?? unregisteredSince }

  var status: DeliveryStatus? {
    course.map { .outage($0.cause, since: $0.since, isDoubted: $0.isDoubtTold) }
  }

  /// Whether the doubt can be reported before `end`, if the next attempts are answered in the same
  /// way.
  func isDoubtDue(before end: Instant) -> Bool {
    guard course?.isDoubtTold == false, let doubt = course?.doubt else { return false }
    // During an attempt its answer is not known.
    guard let next = course?.retryAt else { return doubt.since + doubtAfter < end }
    return next < end && confirmed(doubt, now: next).since + doubtAfter < end
  }

  // MARK: Events

  mutating func attemptBegan(now: Instant) {
    // A time in which the board slept instead of asking Home Assistant does not count.
    if let retryAt = course?.retryAt, now > retryAt, let doubt = course?.doubt, doubt.isConfirmed {
      let sleep = now - retryAt
      course?.doubt = Doubt(since: doubt.since + sleep, until: doubt.until + sleep)
    }
    course?.retryAt = nil
  }

  /// Handles an attempt that failed over every route. `isDoubtful` if an answer looked as if the
  /// registration were deleted.
  mutating func attemptFailed(_ cause: OutageCause, isDoubtful: Bool, now: Instant) {
    let former = self.course
    var course = former ?? Course(since: now, cause: cause)
    course.cause = cause
    course.retryAt = now + delay(after: cause)
    // Without a route there was no attempt.
    if cause != .noRoute { course.attemptedAt = now }
    if former?.cause != cause { events.append(.outage(cause)) }
    if isDoubtful {
      let doubt = confirmed(course.doubt, now: now)
      course.doubt = doubt
      if now - doubt.since >= doubtAfter, !course.isDoubtTold {
        course.isDoubtTold = true
        events.append(.registrationDoubted(after: now - doubt.since))
      }
    } else if cause.isSilence {
      course.doubt?.isConfirmed = false
    } else {
      course.doubt = nil
    }
    self.course = course
  }

  /// Returns the delay until the next attempt. An answer shows that the network is complete.
  private mutating func delay(after cause: OutageCause) -> Duration {
    let usual = backOff.failed()
    guard cause.isSilence, quickRetriesLeft > 0 else {
      quickRetriesLeft = 0
      return usual
    }
    quickRetriesLeft -= 1
    return min(usual, Delivery.quickRetryDelay)
  }

  /// Returns the doubt after one more answer. The time in which answers were lost does not count.
  private func confirmed(_ former: Doubt?, now: Instant) -> Doubt {
    var doubt = former ?? Doubt(since: now, until: now)
    if !doubt.isConfirmed {
      let silence = now - doubt.until
      doubt.since = silence > doubtAfter ? now : doubt.since + silence
    }
    (doubt.until, doubt.isConfirmed) = (now, true)
    return doubt
  }

  /// Handles a due cycle: with mains power it makes an attempt.
  mutating func cycleDue(now: Instant) { if !isOnBattery { changed(now: now) } }

  /// Makes the next attempt due, because there is something new, unless only a person can end the
  /// refusal: a guard before Home Assistant, such as CrowdSec, counts refused requests, and bans an
  /// address that makes one every few seconds.
  mutating func changed(now: Instant) {
    if case .server(let refusal)? = course?.cause, refusal.isLasting { return }
    tryEarlier(now: now)
  }

  /// Sets the limits for battery or mains power: on a battery the attempts become rarer, on mains
  /// each cycle makes one. Returns whether the supply changed.
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
    guard let retryAt = course?.retryAt else { return }
    let soonest = course?.attemptedAt.map { $0 + Delivery.firstRetryDelay } ?? now
    course?.retryAt = min(retryAt, max(soonest, now))
  }

  /// Handles a link that is back, or if `isOther`, another network: the next attempt is due, unless
  /// the same network leads to the same refusal. The next delays are short as long as there is no
  /// answer, because the address and the name server may come seconds after the route.
  mutating func networkChanged(isOther: Bool, now: Instant) {
    quickRetriesLeft = Delivery.quickRetriesMax
    if isOther { tryEarlier(now: now) } else { changed(now: now) }
  }

  mutating func proven() {
    course = nil
    unregisteredSince = nil
    quickRetriesLeft = 0
    backOff.succeeded()
  }

  /// Records that a necessary registration could not be obtained.
  mutating func registrationFailed(now: Instant) {
    unregisteredSince = unregisteredSince ?? now
  }

  /// Handles a refused new registration: the existing one is doubted again.
  mutating func registrationRefused(now: Instant) {
    course?.doubt = Doubt(since: now, until: now)
    course?.isDoubtTold = false
  }

  /// Handles a new registration. Its first proof reports the cost of the old one's loss.
  mutating func registrationReplaced() {
    unregisteredSince = since
    course = nil
    backOff.succeeded()
  }
}

/// Timer of the recorded entries that are not proven yet: when to write them to the disk, and
/// whether another cycle must follow.
///
/// Invariants:
/// 1. `closesAt` is set only during the wait for a proof or a registration.
/// 2. Entries recorded before a cycle was due are proven within `Delivery.proofTimeout`, or due to
///    be written then.
struct OpenBatch {
  /// Time at which the entries are written, unless they are proven before.
  private(set) var closesAt: Instant?
  /// Whether a cycle became due while the one before was not proven.
  private var isCycleOwed = false
  /// Time since which entries wait for the next upload.
  private var waitsSince: Instant?

  /// Starts the timeout for a proof of the entries recorded so far, if it is not running.
  mutating func cycleDue(now: Instant) { closesAt = closesAt ?? now + Delivery.proofTimeout }

  /// Postpones the entries to the next upload. Returns whether they must be written now.
  mutating func uploadPutOff(now: Instant) -> Bool {
    let since = waitsSince ?? now
    let isLong = now - since >= Delivery.unwrittenMax
    waitsSince = isLong ? nil : since
    return isLong
  }

  /// Records that the due cycle must wait for the end of the present one.
  mutating func cyclePutOff() { isCycleOwed = true }

  /// Handles the beginning of a cycle, which includes all entries recorded so far.
  mutating func cycleBegan() {
    isCycleOwed = false
    waitsSince = nil
  }

  /// Returns whether the entries must be written now. A proof may still come.
  mutating func isClosing(now: Instant) -> Bool {
    guard let moment = closesAt, now >= moment else { return false }
    closesAt = nil
    return true
  }

  /// Handles the proof of the present cycle. Returns whether the postponed one follows at once,
  /// because of newer entries.
  mutating func proven(hasNews: Bool) -> Bool {
    if isCycleOwed, hasNews { return true }
    close()
    return false
  }

  /// Ends the wait for a proof.
  mutating func close() {
    closesAt = nil
    isCycleOwed = false
    waitsSince = nil
  }
}
