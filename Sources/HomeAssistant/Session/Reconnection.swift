import Bytes

/// Schedule of reconnections, and time limit of a login.
struct Reconnection {
  private static let timeoutDoublingsMax = 3

  private var waits: [Duration]
  private let unansweredLoginWaits: [Duration]
  private let authenticationTimeout: Duration
  private let stableAfter: Duration
  private var random: SplitMix64
  /// Number of failures since the last stable connection.
  private(set) var attempt = 0
  /// Number of tokens sent since the last verdict on one.
  private var unansweredLoginCount = 0

  init(policy: SessionPolicy, seed: UInt64) {
    precondition(!policy.unansweredLoginWaits.isEmpty, "there is a first wait")
    waits = []
    unansweredLoginWaits = policy.unansweredLoginWaits
    authenticationTimeout = policy.authenticationTimeout
    stableAfter = policy.stableAfter
    random = SplitMix64(seed: seed)
    setWaits(policy.reconnectWaits)
  }

  /// Replaces the waits before the first, second, … attempt; the last one repeats.
  mutating func setWaits(_ waits: [Duration]) {
    precondition(!waits.isEmpty, "there is a first wait")
    self.waits = waits
  }

  /// Returns the instant of the next attempt.
  ///
  /// The jitter is up to a second, or a fifth of the wait if that is more: after a restart of Home
  /// Assistant not all devices of the house reconnect at once.
  mutating func failed(readySince: Instant?, now: Instant) -> Instant {
    if let readySince, now - readySince >= stableAfter { attempt = 0 }
    var wait = waits[min(attempt, waits.count - 1)]
    if unansweredLoginCount > 0 {
      let index = min(unansweredLoginCount, unansweredLoginWaits.count) - 1
      wait = max(wait, unansweredLoginWaits[index])
    }
    attempt += 1
    let jitter = max(wait / 5, .seconds(1))
    return now + wait + .nanoseconds(Int64(random.next() % UInt64(jitter.nanoseconds)))
  }

  mutating func startOver() { attempt = 0 }

  // MARK: Logins

  /// Time from the open socket to Home Assistant's verdict on the token.
  var loginTimeout: Duration {
    authenticationTimeout * (1 << min(unansweredLoginCount, Self.timeoutDoublingsMax))
  }

  /// Counts a sent token whose connection ended without a verdict.
  mutating func loginUnanswered() { unansweredLoginCount += 1 }

  mutating func loginAnswered() { unansweredLoginCount = 0 }
}

/// Pings of a ready connection, as commands: Home Assistant itself answers them, not a proxy in
/// front of it.
///
/// Whatever arrives is a sign of life: over a slow link, a pong comes behind all that Home
/// Assistant sent before it. Meanwhile the pings go on, because Home Assistant drops a connection
/// over which it receives nothing for a minute and a half.
struct KeepAlive {
  private enum State {
    case off
    case resting(until: Instant)
    /// Times of the last ping, and of the last sign of life since the first one.
    case awaitingPong(id: Int64, since: Instant, heardAt: Instant)
  }

  enum Verdict: Equatable {
    case ping
    case dead(ConnectionFailure)
  }

  private let policy: SessionPolicy
  private var state = State.off
  private(set) var latency: Duration?

  init(policy: SessionPolicy) { self.policy = policy }

  var deadline: Instant? {
    switch state {
    case .off: nil
    case .resting(let until): until
    case .awaitingPong(_, let since, let heardAt):
      min(heardAt + policy.pongTimeout, since + policy.pingInterval)
    }
  }

  mutating func start(now: Instant) { state = .resting(until: now + policy.pingInterval) }
  mutating func stop() { state = .off }

  /// Makes the next ping due at once.
  mutating func hurry(now: Instant) {
    if case .resting(let until) = state { state = .resting(until: min(until, now)) }
  }

  mutating func deadlineReached(now: Instant) -> Verdict? {
    guard let deadline, now >= deadline else { return nil }
    if case .awaitingPong(_, _, let heardAt) = state {
      return now >= heardAt + policy.pongTimeout ? .dead(.unanswered) : .ping
    }
    return now - deadline > policy.sleepAfter ? .dead(.slept) : .ping
  }

  mutating func pingSent(id: Int64, now: Instant) {
    var heardAt = now
    if case .awaitingPong(_, _, let earlier) = state { heardAt = earlier }
    state = .awaitingPong(id: id, since: now, heardAt: heardAt)
  }

  /// Notes a sign of life.
  mutating func heard(now: Instant) {
    guard case .awaitingPong(let id, let since, _) = state else { return }
    state = .awaitingPong(id: id, since: since, heardAt: now)
  }

  mutating func pongReceived(id: Int64, now: Instant) {
    guard case .awaitingPong(id, let since, _) = state else { return }
    latency = now - since
    start(now: now)
  }
}
