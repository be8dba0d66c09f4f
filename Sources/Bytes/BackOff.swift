/// Waits that double, with jitter, so that a house full of agents does not call all at once when
/// Home Assistant is back.
public struct BackOff: Sendable {
  private let first: Duration
  private var longest: Duration
  private var next: Duration
  private var random: SplitMix64

  /// - Parameters:
  ///   - first: the wait after the first failure.
  ///   - longest: no wait is longer, jitter included.
  ///   - seed: where the jitter starts; another one on every device.
  public init(first: Duration, longest: Duration, seed: UInt64) {
    precondition(first > .zero && first <= longest, "waits grow")
    self.first = first
    self.longest = longest
    next = first
    random = SplitMix64(seed: seed)
  }

  /// The wait after one more failure: between three quarters and all of the doubling step.
  public mutating func failed() -> Duration {
    let step = next
    next = min(next + next, longest)
    let quarter = step.nanoseconds / 4
    return step - .nanoseconds(Int64(random.next() % UInt64(max(quarter, 1))))
  }

  /// No wait is longer from now on.
  public mutating func limit(to longest: Duration) {
    precondition(first <= longest, "waits grow")
    self.longest = longest
    next = min(next, longest)
  }

  /// It worked: the next failure is the first again.
  public mutating func succeeded() { next = first }
}
