import Bytes

/// Delays a charge that may be wrong: a gauge that reports 0 % once must not make a board sleep for
/// hours. A fall that no load explains, and an almost empty battery at the start, are accepted if a
/// second reading, a minute later, confirms them.
struct FallFilter: Sendable {
  static let secondLookAfter: Duration = .seconds(60)
  /// Largest correction of a gauge at once, in millionths of a percent, and largest loss to a load
  /// per second, which is a percent a minute.
  static let stepMax: Int64 = 5_000_000
  static let stepPerSecond: Int64 = 1_000_000 / 60
  /// Largest fall without a second reading, whatever the time since the last one.
  static let fallMax: Int64 = 20_000_000
  /// Largest first charge that needs a second reading.
  static let emptyMax: Int64 = 5_000_000

  private var believed: (millionths: Int64, at: Instant)?
  /// Start of the doubt; nil if the charge is plausible.
  private var doubtedSince: Instant?

  /// Time of the second reading; nil without a doubt.
  var secondLookAt: Instant? { doubtedSince.map { $0 + Self.secondLookAfter } }

  /// Returns whether the charge is accepted.
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
