public import Bytes

/// Rate of pulses, from the time between them.
///
/// In each cycle the rate is the number of pulses since the last pulse of the earlier cycles,
/// divided by the time between that pulse and the newest: one pulse in ten minutes gives as exact a
/// rate as a thousand in one minute, which a count within a window does not. Without a new pulse
/// the rate is the one for a pulse that comes now, and falls; after `span` it is 0. Of the first
/// pulses after that, the first only starts the time; a single pulse counts as one within `span`.
public struct PulseRate: Sendable {
  static let decimals: UInt8 = 3

  /// Time unit of the rate, such as an hour, and maximum age of a pulse.
  private let span: Duration
  private var reference: Instant?
  private var count: Int64
  private var pulsesPerSpan: (pulses: Int64, nanoseconds: Int64)?

  /// Starts with the number of earlier pulses.
  ///
  /// - Precondition: `span` is from 1 s to a day.
  public init(per span: Duration, count: Int64) {
    precondition(span >= .seconds(1) && span <= .seconds(86_400), "no other rate is known")
    self.span = span
    self.count = count
  }

  /// Returns the rate at a cycle.
  ///
  /// - Parameters:
  ///   - newCount: number of all pulses so far.
  ///   - firstPulse: first pulse since the last cycle; nil if there was none.
  ///   - lastPulse: last pulse; nil if there was none since the line was opened.
  ///   - perPulse: amount that one pulse stands for.
  ///   - now: instant of the cycle.
  /// - Returns: amount per span; nil if the number is too large.
  public mutating func sampled(
    count newCount: Int64, firstPulse: Instant?, lastPulse: Instant?, perPulse: FixedPoint,
    now: Instant
  ) -> FixedPoint? {
    let pulses = newCount - count
    count = newCount
    guard let lastPulse, now - lastPulse < span else {
      reference = nil
      pulsesPerSpan = nil
      return FixedPoint(0, decimals: Self.decimals)
    }
    if pulses > 0 {
      pulsesPerSpan = period(of: pulses, firstPulse ?? lastPulse, lastPulse)
      reference = lastPulse
    }
    return rate(perPulse, silence: (now - lastPulse).nanoseconds)
  }

  private func period(
    of pulses: Int64, _ first: Instant, _ last: Instant
  ) -> (pulses: Int64, nanoseconds: Int64) {
    // An older pulse belongs to another rain.
    if let reference, last > reference, first - reference < span {
      return (pulses, (last - reference).nanoseconds)
    }
    if pulses > 1, last > first { return (pulses - 1, (last - first).nanoseconds) }
    return (1, span.nanoseconds)
  }

  /// Returns the known rate, or the one for a pulse that comes now, if that is lower.
  private func rate(_ perPulse: FixedPoint, silence: Int64) -> FixedPoint? {
    guard let (pulses, nanoseconds) = pulsesPerSpan else { return nil }
    let known = product(perPulse, pulses: pulses, nanoseconds: nanoseconds)
    // A pulse that came a moment ago does not predict the next one.
    guard silence > nanoseconds / max(1, pulses) else { return known }
    return product(perPulse, pulses: 1, nanoseconds: silence)
  }

  /// Returns `perPulse` × `pulses` × span / `nanoseconds`, rounded to `decimals`.
  private func product(_ perPulse: FixedPoint, pulses: Int64, nanoseconds: Int64) -> FixedPoint? {
    let scaled = perPulse.decimals < Self.decimals ? perPulse.rounded(to: Self.decimals) : perPulse
    guard scaled.decimals >= Self.decimals, scaled.coefficient >= 0 else { return nil }
    var divisor = UInt64(max(1, nanoseconds))
    for _ in Self.decimals..<scaled.decimals {
      let (longer, overflowed) = divisor.multipliedReportingOverflow(by: 10)
      guard !overflowed else { return FixedPoint(0, decimals: Self.decimals) }
      divisor = longer
    }
    let (amount, overflowed) = UInt64(scaled.coefficient).multipliedReportingOverflow(
      by: UInt64(max(0, pulses)))
    guard !overflowed else { return nil }
    var (high, low) = amount.multipliedFullWidth(by: UInt64(span.nanoseconds))
    let (sum, carried) = low.addingReportingOverflow(divisor / 2)
    low = sum
    if carried { high += 1 }
    guard high < divisor else { return nil }
    return Int64(exactly: divisor.dividingFullWidth((high, low)).quotient)
      .map { FixedPoint($0, decimals: Self.decimals) }
  }
}

extension FixedPoint {
  /// Returns the product with `count`; nil if it is too large.
  public func times(_ count: Int64) -> FixedPoint? {
    let (product, overflowed) = coefficient.multipliedReportingOverflow(by: count)
    return overflowed ? nil : FixedPoint(product, decimals: decimals)
  }
}
