public import Bytes

/// What a person makes of a number that a device gives: volts of a probe become percent.
///
/// Invariants: the numbers of the person are at most `numberMax` in size, so differences of them
/// are exact; the points are in the order of what is measured, which is never the same twice.
public struct Calibration: Equatable, Sendable {
  /// What is measured, and what that means.
  public struct Point: Equatable, Sendable {
    public let measured: FixedPoint
    public let meant: FixedPoint

    public init(_ measured: FixedPoint, _ meant: FixedPoint) {
      self.measured = measured
      self.meant = meant
    }
  }

  /// Why numbers make no calibration.
  public enum Flaw: Error, Equatable, Sendable {
    /// A number is further from zero than `numberMax`.
    case tooLarge
    /// There are fewer points than two, or more than `pointsMax`.
    case wrongCount
    /// What is measured neither rises nor falls from each point to the next, such as twice the
    /// same.
    case notMonotonic
  }

  private enum Rule: Equatable {
    case line(factor: FixedPoint, offset: FixedPoint)
    case points([Point], isClamped: Bool)
  }

  /// The points of a table, at most.
  public static let pointsMax = 32
  /// How far from zero a number of a calibration is, at most: with nine decimals it fits.
  public static let numberMax: Int64 = 1_000_000_000

  private let rule: Rule

  /// `factor` times what is measured, and `offset` more.
  public init(factor: FixedPoint, offset: FixedPoint) throws(Flaw) {
    guard factor.isUsable, offset.isUsable else { throw .tooLarge }
    rule = .line(factor: factor, offset: offset)
  }

  /// Straight lines from each point to the next. What is measured rises from point to point, or it
  /// falls. Outside of the points, the meaning is that of the nearest one where `isClamped`; else
  /// the lines at the ends go on.
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

  /// What the number means; nil where that is too large for a number.
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
