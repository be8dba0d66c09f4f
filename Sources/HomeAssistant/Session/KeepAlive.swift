import Bytes

/// Pings of a ready connection, as commands: Home Assistant itself answers them, not a proxy in
/// front of it.
struct KeepAlive {
  private enum State {
    case off
    case resting(until: Instant)
    case awaitingPong(id: Int64, since: Instant)
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
    case .awaitingPong(_, let since): since + policy.pongTimeout
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
    if case .awaitingPong = state { return .dead(.unanswered) }
    return now - deadline > policy.sleepAfter ? .dead(.slept) : .ping
  }

  mutating func pingSent(id: Int64, now: Instant) { state = .awaitingPong(id: id, since: now) }

  mutating func pongReceived(id: Int64, now: Instant) {
    guard case .awaitingPong(id, let since) = state else { return }
    latency = now - since
    start(now: now)
  }
}
