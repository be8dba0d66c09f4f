public import Bytes

/// Counts the cycles in which a receiver reported without a usable fix, or with an impossible date,
/// or with a frozen place at speed. Too many in a row are reported once, and again if they are
/// another trouble for as long: a bridge or a tunnel is not worth a log line.
public struct NoFixDetector: Sendable {
  /// Number of cycles in a row without a fix, or with another trouble, after which it is reported.
  public static let cyclesMax = 3

  /// Best verdict of the running cycle; nil before the first report.
  private var verdict: FixFilter.Verdict?
  /// Verdict that was reported; nil if the receiver has fixes, or lacks them for a moment.
  private var told: FixFilter.Verdict?
  /// Number of cycles in a row with another trouble than `told`.
  private var cycleCount = 0

  public init() {}

  /// Whether a reported lack of fixes still lasts.
  public var isTold: Bool { told != nil }

  /// Records the verdict on a report. Returns whether it ends a lack of fixes that was reported.
  public mutating func judged(_ verdict: FixFilter.Verdict) -> Bool {
    // An echo of the cycle's own fix is not a lack of one.
    if case .usable? = self.verdict { return false }
    if case .rejected(.notNewer) = verdict, self.verdict?.fix != nil { return false }
    self.verdict = verdict
    guard case .usable = verdict else { return false }
    defer { (told, cycleCount) = (nil, 0) }
    return isTold
  }

  /// Starts a cycle. Returns the verdict to report, once, after one cycle too many.
  public mutating func cycleDue() -> FixFilter.Verdict? {
    defer { verdict = nil }
    if case .usable? = verdict { return nil }
    guard let verdict else { return nil }
    cycleCount = verdict.isSameTrouble(as: told) ? 0 : cycleCount + 1
    guard cycleCount == Self.cyclesMax else { return nil }
    (told, cycleCount) = (verdict, 0)
    return verdict
  }

  /// Returns why the running cycle has no fix, as a failure of the receiver `name`; nil if it has
  /// one.
  public func shortfall(of name: InlineText) -> SourceFailure? {
    guard let verdict else { return .silent(name) }
    return verdict.failure(of: name)
  }

  /// Resets the count: the end of the connection is reported separately.
  public mutating func connectionEnded() { self = NoFixDetector() }
}

extension FixFilter.Verdict {
  /// Whether both verdicts are the same trouble: no fix, a frozen place, or the same wrong date.
  fileprivate func isSameTrouble(as other: Self?) -> Bool {
    switch (self, other) {
    case (.noFix, .noFix), (.noFix, .rejected), (.rejected, .noFix), (.rejected, .rejected): true
    case (.frozen, .frozen): true
    case (.misdated(_, let flaw), .misdated(_, let otherFlaw)): flaw == otherFlaw
    default: false
    }
  }

  /// Returns the failure in words for a person; nil for a usable fix.
  func failure(of receiver: InlineText) -> SourceFailure? {
    switch self {
    case .usable: nil
    case .misdated(_, .weeksOff):
      .wrongDate(
        receiver,
        why: "off by a multiple of 1,024 weeks (GPS week rollover; update the receiver's firmware)"
      )
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
