import Bytes

/// Holds back a charge that may be none: a gauge that says 0 % once must not make a board sleep for
/// hours. A fall that no load explains, and an almost empty battery at the start, are believed if a
/// second look, a minute later, still finds them.
struct FallFilter: Sendable {
  static let secondLookAfter: Duration = .seconds(60)
  /// In millionths of a percent: what a gauge may correct at once, and what a load takes in a
  /// second, which is a percent a minute.
  static let stepMax: Int64 = 5_000_000
  static let stepPerSecond: Int64 = 1_000_000 / 60
  /// A larger fall is looked at twice, however long ago the charge was read before.
  static let fallMax: Int64 = 20_000_000
  /// A first charge has to be more than that to count at once.
  static let emptyMax: Int64 = 5_000_000

  private var believed: (millionths: Int64, at: Instant)?
  /// Since when the charge is lower than it can be; nil if it is not.
  private var doubtedSince: Instant?

  /// When to look again; nil without a doubt.
  var secondLookAt: Instant? { doubtedSince.map { $0 + Self.secondLookAfter } }

  /// Returns whether it counts.
  mutating func admit(_ millionths: Int64, now: Instant) -> Bool {
    if isImplausible(millionths, now: now) {
      let since = doubtedSince ?? now
      doubtedSince = since
      guard now - since >= Self.secondLookAfter else { return false }
    }
    doubtedSince = nil
    believed = (millionths, now)
    return true
  }

  private func isImplausible(_ millionths: Int64, now: Instant) -> Bool {
    guard let believed else { return millionths <= Self.emptyMax }
    let seconds = max((now - believed.at).nanoseconds / 1_000_000_000, 0)
    let step = min(Self.stepMax + seconds * Self.stepPerSecond, Self.fallMax)
    let (fall, isTooLarge) = believed.millionths.subtractingReportingOverflow(millionths)
    return isTooLarge ? millionths < believed.millionths : fall > step
  }
}
