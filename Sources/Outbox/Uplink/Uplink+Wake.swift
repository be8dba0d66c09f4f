import Sensing

// What a board that is switched off between two reports asks.

extension Uplink {
  /// From one report of such a board to the next, as the configuration and the power policy have
  /// it: an upload takes what one run reads.
  public var reportInterval: Duration {
    let intervals = settings.usualIntervals(for: power.effect)
    return intervals.uploadEvery ?? intervals.every
  }

  /// How many uploads ended with a proof since the start, while nothing more is under way; nil
  /// while something is, the statistics included, which follow a proof.
  public var settledUploadCount: Int? {
    delivery.isIdle && statistics?.isUnderWay != true ? tally.proven : nil
  }
}
