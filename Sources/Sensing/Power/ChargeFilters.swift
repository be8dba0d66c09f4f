import Bytes

/// Delays a charge that may be wrong: a gauge that reports 0 % once must not make a board sleep for
/// hours. A fall that no load explains, and an almost empty battery at the start, are accepted if a
/// second reading, a minute later, confirms them. On mains no reading confirms 0 %: some gauges
/// report it for as long as the battery is charged.
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
  mutating func admit(_ millionths: Int64, isOnMains: Bool, now: Instant) -> Bool {
    if isImplausible(millionths, now: now) {
      if isOnMains, millionths == 0 {
        doubtedSince = nil
        return false
      }
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

/// The remaining time of a battery at its recent rate of discharge.
///
/// It stores the charge of each hour of the last day. Solar power returns each day, so the loss of
/// a whole day counts; before a day is over, the loss since the start, if there was no charging.
/// The loss has to be at least `lossMin`: less is the noise of a gauge.
struct DischargeForecast: Sendable {
  static let day: Duration = .seconds(24 * 3600)
  /// Minimum loss, in millionths of a percent.
  static let lossMin: Int64 = 2_000_000

  /// Number of samples: one per hour of a day, and an older one.
  private static let samplesMax = 26

  private struct Sample {
    let charge: Int64
    let at: Instant
  }

  /// Samples, the oldest first.
  private var samples: [Sample] = []
  private var current: Sample?
  /// Whether the charge rose since the oldest sample.
  private var hasRisen = false

  init() { samples.reserveCapacity(Self.samplesMax) }

  mutating func chargeRead(millionths: Int64, now: Instant) {
    if let current, millionths - current.charge >= Self.lossMin { hasRisen = true }
    if let last = samples.last, now - last.at < .seconds(3600) {
      // A rise in small steps.
      if millionths - last.charge >= Self.lossMin { hasRisen = true }
    } else {
      samples.append(Sample(charge: millionths, at: now))
      while samples.count > 1, now - samples[1].at >= Self.day { samples.removeFirst() }
    }
    current = Sample(charge: millionths, at: now)
  }

  /// Hours until empty; nil without a loss, or with too little data.
  var hoursLeft: Int64? {
    guard let oldest = samples.first, let current else { return nil }
    let span = current.at - oldest.at
    guard span >= .seconds(3600), span >= Self.day || !hasRisen else { return nil }
    let loss = oldest.charge - current.charge
    guard loss >= Self.lossMin, current.charge >= 0 else { return nil }
    let seconds = span.nanoseconds / 1_000_000_000
    let (product, isTooLarge) = current.charge.multipliedReportingOverflow(by: seconds)
    return isTooLarge ? nil : product / loss / 3600
  }
}
