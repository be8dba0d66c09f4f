public import Bytes

/// How fast pulses come, from the time between them.
///
/// In each cycle it is the pulses since the last one of the cycles before, divided by the time
/// between that one and the newest: so one pulse in ten minutes is told as exactly as a thousand in
/// one, which a count within a window is not. Without a new pulse the rate is what it would be if
/// one came now, and falls; after `span` it is 0. Of the pulses that come first then the first one
/// only begins the time; a single one is one within `span`.
public struct PulseRate: Sendable {
  /// Digits after the point of a rate.
  static let decimals: UInt8 = 3

  /// What a rate is counted in, such as an hour; and how long a pulse is remembered.
  private let span: Duration
  private var reference: Instant?
  private var count: Int64
  private var pulsesPerSpan: (pulses: Int64, nanoseconds: Int64)?

  /// There were so many pulses before.
  ///
  /// - Precondition: `span` is from 1 s to a day.
  public init(per span: Duration, count: Int64) {
    precondition(span >= .seconds(1) && span <= .seconds(86_400), "no other rate is known")
    self.span = span
    self.count = count
  }

  /// A cycle has come.
  ///
  /// - Parameters:
  ///   - newCount: all pulses so far.
  ///   - firstPulse: when the first one came since the last cycle; nil where none did.
  ///   - lastPulse: when the last one came; nil where none did since the line was opened.
  ///   - perPulse: what one pulse stands for.
  ///   - now: when it came.
  /// - Returns: how much there is in one span; nil where that is too large a number.
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
    // What lies longer ago is another rain.
    if let reference, last > reference, first - reference < span {
      return (pulses, (last - reference).nanoseconds)
    }
    if pulses > 1, last > first { return (pulses - 1, (last - first).nanoseconds) }
    return (1, span.nanoseconds)
  }

  /// Of two pulses so far apart, or of the last one and one that comes now, what is less.
  private func rate(_ perPulse: FixedPoint, silence: Int64) -> FixedPoint? {
    guard let (pulses, nanoseconds) = pulsesPerSpan else { return nil }
    let known = product(perPulse, pulses: pulses, nanoseconds: nanoseconds)
    // A pulse that came a moment ago says nothing about the next one.
    guard silence > nanoseconds / max(1, pulses) else { return known }
    return product(perPulse, pulses: 1, nanoseconds: silence)
  }

  /// `perPulse` × `pulses` × span / `nanoseconds`, to the nearest with `decimals`.
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
  /// The same so many times; nil where that is too large a number.
  public func times(_ count: Int64) -> FixedPoint? {
    let (product, overflowed) = coefficient.multipliedReportingOverflow(by: count)
    return overflowed ? nil : FixedPoint(product, decimals: decimals)
  }
}
