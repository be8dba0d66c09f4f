public import Bytes

/// The user's conversion of a device's number, such as volts of a probe to percent.
///
/// Invariants: the user's numbers are at most `numberMax` in size, so that their differences are
/// exact; the points are in strictly rising order of `measured`.
public struct Calibration: Equatable, Sendable {
  /// A measured number and its meaning.
  public struct Point: Equatable, Sendable {
    public let measured: FixedPoint
    public let meant: FixedPoint

    public init(_ measured: FixedPoint, _ meant: FixedPoint) {
      self.measured = measured
      self.meant = meant
    }
  }

  /// Reason why numbers are not a calibration.
  public enum Flaw: Error, Equatable, Sendable {
    /// A number is further from zero than `numberMax`.
    case tooLarge
    /// There are fewer than two points, or more than `pointsMax`.
    case wrongCount
    /// The measured numbers neither rise nor fall from each point to the next, such as two equal
    /// ones.
    case notMonotonic
  }

  private enum Rule: Equatable {
    case line(factor: FixedPoint, offset: FixedPoint)
    case points([Point], isClamped: Bool)
  }

  /// Maximum number of points of a table.
  public static let pointsMax = 32
  /// Maximum size of a number in a calibration, which fits with nine decimals.
  public static let numberMax: Int64 = 1_000_000_000

  private let rule: Rule

  /// The conversion `factor` × number + `offset`.
  public init(factor: FixedPoint, offset: FixedPoint) throws(Flaw) {
    guard factor.isUsable, offset.isUsable else { throw .tooLarge }
    rule = .line(factor: factor, offset: offset)
  }

  /// Straight lines from each point to the next. The measured numbers rise from point to point, or
  /// fall. Outside of the points, the result is that of the nearest one if `isClamped`; otherwise
  /// the lines at the ends continue.
  public init(points: [Point], isClamped: Bool) throws(Flaw) {
    guard (2...Self.pointsMax).contains(points.count) else { throw .wrongCount }
    guard points.allSatisfy({ $0.measured.isUsable && $0.meant.isUsable }) else { throw .tooLarge }
    var points = points
    if points[1].measured.isLess(than: points[0].measured) { points.reverse() }
    for index in 1..<points.count
    where !points[index - 1].measured.isLess(than: points[index].measured) {
      throw .notMonotonic
    }
    rule = .points(points, isClamped: isClamped)
  }

  /// Returns the meaning of a number; nil if it is too large.
  public func meaning(of number: FixedPoint) -> FixedPoint? {
    switch rule {
    case .line(let factor, let offset): number.times(factor)?.plus(offset)
    case .points(let points, let isClamped):
      Self.meaning(of: number, among: points, isClamped: isClamped)
    }
  }

  private static func meaning(
    of number: FixedPoint, among points: [Point], isClamped: Bool
  ) -> FixedPoint? {
    let last = points.count - 1
    if isClamped {
      if !points[0].measured.isLess(than: number) { return points[0].meant }
      if !number.isLess(than: points[last].measured) { return points[last].meant }
    }
    var upper = 1
    while upper < last, points[upper].measured.isLess(than: number) { upper += 1 }
    return line(from: points[upper - 1], to: points[upper], at: number)
  }

  private static func line(from low: Point, to high: Point, at number: FixedPoint) -> FixedPoint? {
    guard let way = number.minus(low.measured), let rise = high.meant.minus(low.meant),
      let run = high.measured.minus(low.measured)
    else { return nil }
    return way.times(rise, over: run)?.plus(low.meant)
  }
}

extension FixedPoint {
  fileprivate var isUsable: Bool {
    !FixedPoint(Calibration.numberMax).isLess(than: self)
      && !isLess(than: FixedPoint(-Calibration.numberMax))
  }
}
