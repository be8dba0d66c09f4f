/// Delays that double after each failure, with jitter, so that many agents do not call at once when
/// Home Assistant is back.
public struct BackOff: Sendable {
  private let first: Duration
  private var longest: Duration
  private var next: Duration
  private var random: SplitMix64

  /// - Parameters:
  ///   - first: delay after the first failure.
  ///   - longest: maximum delay, jitter included.
  ///   - seed: start of the jitter; use a different one on every device.
  public init(first: Duration, longest: Duration, seed: UInt64) {
    precondition(first > .zero && first <= longest, "waits grow")
    self.first = first
    self.longest = longest
    next = first
    random = SplitMix64(seed: seed)
  }

  /// Returns the delay after one more failure, 75 % to 100 % of the step, and doubles the step.
  public mutating func failed() -> Duration {
    let step = next
    next = min(next + next, longest)
    let quarter = step.nanoseconds / 4
    return step - .nanoseconds(Int64(random.next() % UInt64(max(quarter, 1))))
  }

  /// Limits every later delay to `longest`.
  public mutating func limit(to longest: Duration) {
    precondition(first <= longest, "waits grow")
    self.longest = longest
    next = min(next, longest)
  }

  /// Resets the delay: the next failure counts as the first.
  public mutating func succeeded() { next = first }
}
