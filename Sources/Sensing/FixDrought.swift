/// Counts the cycles in which a receiver reported and gave no fix that can be used, and says so
/// once when there are too many in a row: a bridge or a tunnel is not worth a line.
public struct FixDrought: Sendable {
  /// Cycles in a row without a fix after which it is told.
  public static let cyclesMax = 3

  /// The best verdict of the running cycle, or nil before there is a report.
  private var verdict: FixJudge.Verdict?
  private var cycleCount = 0

  public init() {}

  /// The receiver reported, and this is what became of it. Returns whether a drought that was told
  /// has ended.
  public mutating func judged(_ verdict: FixJudge.Verdict) -> Bool {
    // An echo of the cycle's own fix is no lack of one.
    if case .usable? = self.verdict { return false }
    self.verdict = verdict
    guard case .usable = verdict else { return false }
    defer { cycleCount = 0 }
    return cycleCount >= Self.cyclesMax
  }

  /// A cycle begins. Returns why there is no fix, once, when the cycle before was one too many.
  public mutating func cycleDue() -> StaticText? {
    defer { verdict = nil }
    guard let reason = verdict?.reasonForNoFix else { return nil }
    cycleCount += 1
    return cycleCount == Self.cyclesMax ? reason : nil
  }

  /// The connection ended, which is told by itself.
  public mutating func connectionEnded() { self = FixDrought() }
}

extension FixJudge.Verdict {
  /// Why the report is of no use, in words for the user; nil for one that is.
  fileprivate var reasonForNoFix: StaticText? {
    switch self {
    case .usable: nil
    case .noFix: "its receiver has none; does the antenna see the sky?"
    case .rejected(.unknownMode): "it has a mode that gpsd does not document"
    case .rejected(.noPosition): "its position is no place on Earth"
    case .rejected(.noTime): "it has no time, and may be an old one"
    case .rejected(.notNewer): "its clock stands still or went back"
    }
  }
}
