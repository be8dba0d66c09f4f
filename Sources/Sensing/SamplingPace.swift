/// How the sources are asked until they are told otherwise.
public struct SamplingPace: Equatable, Sendable {
  /// How far apart the cycles are.
  public var cycle: Duration
  /// Whether a position is wanted. Where it is not, a receiver can be switched off.
  public var wantsPosition: Bool

  public init(cycle: Duration, wantsPosition: Bool = true) {
    self.cycle = cycle
    self.wantsPosition = wantsPosition
  }
}
