public import Bytes

/// Counts the cycles in which a receiver reported and gave no fix that can be used, or one with a
/// date that cannot be right or a place that stands still at speed, and tells it once when there
/// are too many in a row: a bridge or a tunnel is not worth a line.
public struct NoFixDetector: Sendable {
  /// Cycles in a row without a fix after which it is told.
  public static let cyclesMax = 3

  /// The best verdict of the running cycle, or nil before there is a report.
  private var verdict: FixFilter.Verdict?
  private var cycleCount = 0

  public init() {}

  /// Whether a lack of fixes was told that has not ended.
  public var isTold: Bool { cycleCount >= Self.cyclesMax }

  /// The receiver reported, and this is what became of it. Returns whether this ends a lack of
  /// fixes that was told.
  public mutating func judged(_ verdict: FixFilter.Verdict) -> Bool {
    // An echo of the cycle's own fix is no lack of one.
    if case .usable? = self.verdict { return false }
    if self.verdict?.fix != nil, case .rejected(.notNewer) = verdict { return false }
    self.verdict = verdict
    guard case .usable = verdict else { return false }
    defer { cycleCount = 0 }
    return isTold
  }

  /// A cycle begins. Returns what is wrong, once, when the cycle before was one too many.
  public mutating func cycleDue() -> FixFilter.Verdict? {
    defer { verdict = nil }
    guard let verdict else { return nil }
    if case .usable = verdict { return nil }
    cycleCount += 1
    return cycleCount == Self.cyclesMax ? verdict : nil
  }

  /// Why the running cycle has no fix, as a failure of the receiver `name`; nil where it has one.
  public func shortfall(of name: InlineText) -> SourceFailure? {
    guard let verdict else { return .silent(name) }
    return verdict.failure(of: name)
  }

  /// The connection ended, which is told by itself.
  public mutating func connectionEnded() { self = NoFixDetector() }
}

extension FixFilter.Verdict {
  /// What is wrong, in words for a person; nil for a fix.
  func failure(of receiver: InlineText) -> SourceFailure? {
    switch self {
    case .usable: nil
    case .misdated(_, .weeksOff):
      .wrongDate(
        receiver, why: "1,024 weeks behind (GPS week rollover; update the receiver's firmware)")
    case .misdated(_, .impossible): .wrongDate(receiver, why: "long before or after the present")
    case .frozen: .frozen(receiver)
    case .noFix: .withoutFix(receiver, why: "its receiver has none; does the antenna see the sky?")
    case .rejected(let flaw): .withoutFix(receiver, why: flaw.words)
    }
  }
}

extension FixFilter.Flaw {
  fileprivate var words: StaticText {
    switch self {
    case .unknownMode: "it has a mode that gpsd does not document"
    case .noPosition: "its latitude or longitude is missing, or not on Earth"
    case .emptyPosition:
      "it reports position 0, 0 at height 0 or without an accuracy, which means no position"
    case .contradictory: "its latitude and longitude contradict its ECEF coordinates"
    case .notNewer: "its clock stopped or went back"
    case .unreadable: "gpsd reports it in invalid JSON; gpspipe -w shows it"
    case .otherReceiver: "only receivers other than location.device report; gpspipe -w names them"
    }
  }
}
