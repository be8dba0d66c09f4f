import Bytes

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
