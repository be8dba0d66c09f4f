import Bytes

/// Holds back a fall of the charge that no load explains: a gauge that says 0 % once must not make
/// a board sleep for hours. It is believed if a second look, a minute later, still finds it.
struct FallFilter: Sendable {
  static let secondLookAfter: Duration = .seconds(60)
  /// In millionths of a percent: what a gauge may correct at once, and what a load takes in a
  /// second, which is a percent a minute.
  static let stepMax: Int64 = 5_000_000
  static let stepPerSecond: Int64 = 1_000_000 / 60
  /// After two hours any fall can be.
  private static let secondsMax: Int64 = 7200

  private var believed: (millionths: Int64, at: Instant)?
  /// Since when the charge is lower than it can be; nil if it is not.
  private var doubtedSince: Instant?

  /// When to look again; nil without a doubt.
  var secondLookAt: Instant? { doubtedSince.map { $0 + Self.secondLookAfter } }

  /// Returns whether it counts.
  mutating func admit(_ millionths: Int64, now: Instant) -> Bool {
    if let believed, isImplausible(millionths, after: believed, now: now) {
      let since = doubtedSince ?? now
      doubtedSince = since
      guard now - since >= Self.secondLookAfter else { return false }
    }
    doubtedSince = nil
    believed = (millionths, now)
    return true
  }

  private func isImplausible(
    _ millionths: Int64, after believed: (millionths: Int64, at: Instant), now: Instant
  ) -> Bool {
    let seconds = (now - believed.at).nanoseconds / 1_000_000_000
    let step = Self.stepMax + min(max(seconds, 0), Self.secondsMax) * Self.stepPerSecond
    let (fall, isTooLarge) = believed.millionths.subtractingReportingOverflow(millionths)
    return isTooLarge ? millionths < believed.millionths : fall > step
  }
}
