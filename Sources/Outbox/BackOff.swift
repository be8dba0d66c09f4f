import Bytes

/// Waits that double, with jitter, so that a house full of agents does not call all at once when
/// Home Assistant is back.
public struct BackOff: Sendable {
  private let first: Duration
  private let longest: Duration
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

  public mutating func succeeded() { next = first }
}

/// A small generator of numbers that look random and are the same for the same seed (Steele,
/// Lea, Flood: "Fast splittable pseudorandom number generators", 2014). Not for secrets.
struct SplitMix64: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
