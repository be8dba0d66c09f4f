import Bytes
public import HomeAssistant

/// Fetches the notifications that wait at a push relay, after an upload.
///
/// While the local channel is open, Home Assistant sends notifications there, and to the relay only
/// those that are not confirmed. The relay is then asked once an hour, and at each sign that
/// something may wait there: the channel was opened or lost, or a confirmation was refused.
///
/// Each notification is acknowledged before it is handed on: the relay has forgotten it then, so a
/// board that loses its power during a command does not carry it out again. In return, a
/// notification is lost if the power is cut in that moment.
///
/// Invariants:
/// 1. At most one request is in progress.
/// 2. A notification is handed on once, and only after the relay's answer to its acknowledgement.
/// 3. Nothing is fetched while a notification waits to be handed on: at most two answers are in
///    memory.
/// 4. After such a sign one request begins, at the latest after the next upload that comes
///    `intervalMin` after the last request.
/// 5. A problem is reported once, until a request succeeds or there is another problem.
public struct PushFetcher: ~Copyable {
  /// Minimum time from one fetch to the next.
  static let intervalMin: Duration = .seconds(60)
  /// Time from one fetch to the next while the local channel is open.
  static let channelInterval: Duration = .seconds(3600)
  /// Maximum delay after failures.
  static let delayMax: Duration = .seconds(3600)
  /// Maximum number of requests after an upload; the rest waits for the next one.
  static let requestCountMax = 16

  enum Action {
    case fetch
    case tell(Event)
  }

  public enum Event: Equatable, Sendable {
    /// Reported once; nil after the end of a problem.
    case problem(PushFetch.Problem?)
    /// Notifications that cannot be read are dropped: they were sealed to an earlier key, or are
    /// not of Home Assistant.
    case unreadable(count: Int)
  }

  private enum State {
    case resting(until: Instant)
    case due
    case underWay
  }

  let keys: PushKeys
  private var state: State
  /// Time of the last request; nil before the first.
  private var askedAt: Instant?
  private var isChannelOpen = false
  /// Whether there was a sign since the last request that something may wait.
  private var isWanted = false
  private var requestCount = 0
  private var acknowledged: Int64 = 0
  /// Notifications whose acknowledgement was not answered yet.
  private var unacknowledged: [PushNotification] = []
  /// Notifications to hand on.
  private var waiting: [PushNotification] = []
  private var backOff: BackOff
  private var events: [Event] = []
  /// Problem of the last request; nil after a success.
  private(set) var problem: PushFetch.Problem?
  /// Time of the last answer; nil before the first.
  private(set) var answeredAt: Instant?
  var status: (answeredAt: Instant?, problem: PushFetch.Problem?) { (answeredAt, problem) }

  init(_ keys: PushKeys, seed: UInt64, now: Instant) {
    self.keys = keys
    state = .resting(until: now)
    backOff = BackOff(first: Self.intervalMin, longest: Self.delayMax, seed: seed)
  }

  /// Whether a request is due or in progress, or notifications wait here.
  var isAtWork: Bool {
    if case .resting = state { !waiting.isEmpty } else { true }
  }

  var isUnderWay: Bool { if case .underWay = state { true } else { false } }

  // MARK: Events

  /// Handles the proof that the board reaches Home Assistant, which is the time to fetch.
  mutating func uploadProven(now: Instant) {
    guard case .resting(let until) = state, now >= until else { return }
    requestCount = 0
    state = .due
  }

  /// Handles the opening or the loss of the local channel; a report of the present state changes
  /// nothing.
  mutating func channelChanged(isOpen: Bool, now: Instant) {
    guard isOpen != isChannelOpen else { return }
    isChannelOpen = isOpen
    wanted(now: now)
    // The connection has just worked. The next upload may be hours away.
    if isOpen { uploadProven(now: now) }
  }

  /// Handles a sign that something may wait at the relay.
  mutating func wanted(now: Instant) {
    isWanted = true
    guard case .resting(let until) = state, let askedAt else { return }
    state = .resting(until: min(until, max(now, askedAt + Self.intervalMin)))
  }

  mutating func answered(_ head: AnswerHead, _ body: inout ByteBuffer, now: Instant) {
    guard isUnderWay else { return }
    switch PushFetch.read(head, &body, after: acknowledged, with: keys, now: now) {
    case .success(let answer): succeeded(answer, now: now)
    case .failure(let problem): failed(problem, now: now)
    }
    body.wipe()
  }

  private mutating func succeeded(_ answer: PushFetch.Answer, now: Instant) {
    backOff.succeeded()
    answeredAt = now
    tell(nil)
    if answer.unreadableCount > 0 { events.append(.unreadable(count: answer.unreadableCount)) }
    waiting += unacknowledged
    unacknowledged = answer.notifications
    guard let newest = answer.newest else {
      let isHourly = isChannelOpen && !isWanted
      return rest(for: isHourly ? Self.channelInterval : Self.intervalMin, now: now)
    }
    acknowledged = newest
    guard requestCount < Self.requestCountMax else { return rest(for: Self.intervalMin, now: now) }
    state = .due
  }

  mutating func failed(_ problem: PushFetch.Problem, now: Instant) {
    guard isUnderWay else { return }
    tell(problem)
    rest(for: backOff.failed(), now: now)
  }

  /// Handles a request that is not made or was ended, because of the network of the board.
  mutating func postponed(now: Instant) { rest(for: .zero, now: now) }

  private mutating func rest(for delay: Duration, now: Instant) {
    state = .resting(until: now + delay)
  }

  private mutating func tell(_ problem: PushFetch.Problem?) {
    guard problem != self.problem else { return }
    self.problem = problem
    events.append(.problem(problem))
  }

  // MARK: Actions

  mutating func nextAction(now: Instant) -> Action? {
    if !events.isEmpty { return .tell(events.removeFirst()) }
    guard case .due = state, waiting.isEmpty else { return nil }
    requestCount += 1
    askedAt = now
    isWanted = false
    state = .underWay
    return .fetch
  }

  func writeRequest(into buffer: inout ByteBuffer) {
    PushFetch.write(acknowledged: acknowledged, keys, into: &buffer)
  }

  /// Returns the next notification to hand on, if `mayTake` allows it; the rest waits behind it.
  mutating func takeNotification(if mayTake: (PushNotification) -> Bool) -> PushNotification? {
    guard let next = waiting.first, mayTake(next) else { return nil }
    return waiting.removeFirst()
  }
}
