/// Pace at which the sources are read until it is changed.
public struct SamplingPace: Equatable, Sendable {
  /// Time between two cycles.
  public var cycle: Duration
  /// Whether a position is wanted. If not, a receiver can be switched off.
  public var wantsPosition: Bool

  public init(cycle: Duration, wantsPosition: Bool = true) {
    self.cycle = cycle
    self.wantsPosition = wantsPosition
  }
}
