/// How long a radio is awake because of what was sent and received.
public struct RadioTail: Equatable, Sendable {
  /// So long before the first byte the radio is awake already.
  public let setupSeconds: Double
  /// So long after the last byte it stays awake; the network decides that.
  public let tailSeconds: Double

  public init(setupSeconds: Double, tailSeconds: Double) {
    self.setupSeconds = setupSeconds
    self.tailSeconds = tailSeconds
  }

  /// How long the radio is awake in a window of so many seconds that comes again and again, with
  /// bytes at these `moments` of it, in any order.
  public func awakeSeconds(moments: [Double], windowSeconds: Double) -> Double {
    let sorted = moments.sorted()
    guard let first = sorted.first else { return 0 }
    let following = sorted.dropFirst() + [first + windowSeconds]
    var seconds = 0.0
    for (moment, next) in zip(sorted, following) {
      let gap = max(0, next - moment)
      // Where the tail and the setup of what follows meet, the radio does not rest.
      seconds += min(gap, tailSeconds + setupSeconds)
    }
    return min(seconds, windowSeconds)
  }
}
