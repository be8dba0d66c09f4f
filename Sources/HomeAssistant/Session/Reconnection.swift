import Bytes

/// When to connect again.
struct Reconnection {
  private let waits: [Duration]
  private let stableAfter: Duration
  private var random: SplitMix64
  /// Failures since the last connection that lasted.
  private(set) var attempt = 0

  init(policy: SessionPolicy, seed: UInt64) {
    precondition(!policy.reconnectWaits.isEmpty, "there is a first wait")
    waits = policy.reconnectWaits
    stableAfter = policy.stableAfter
    random = SplitMix64(seed: seed)
  }

  /// The moment of the next attempt.
  ///
  /// Up to a second, or a fifth of the wait where that is more, is added: after a restart of Home
  /// Assistant not all devices in the house come back at the same moment.
  mutating func failed(readySince: Instant?, now: Instant) -> Instant {
    if let readySince, now - readySince >= stableAfter { attempt = 0 }
    let wait = waits[min(attempt, waits.count - 1)]
    attempt += 1
    let jitter = max(wait / 5, .seconds(1))
    return now + wait + .nanoseconds(Int64(random.next() % UInt64(jitter.nanoseconds)))
  }

  mutating func startOver() { attempt = 0 }
}
