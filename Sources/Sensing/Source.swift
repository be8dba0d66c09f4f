public import Bytes

/// The failure of a source: the cause, who is at fault, and what to do about it.
///
/// A failure passes through many functions and is rare: stored inline, its texts made each of them
/// copy a hundred bytes, and the code for that was a fifteenth of the shipped binary.
public indirect enum SourceFailure: Error, Equatable, Sendable {
  /// The device, file or server does not exist. The source looks for it again.
  case missing(InlineText)
  /// The agent must not open it: a group or a permission is missing.
  case notPermitted(InlineText)
  /// Another program uses it.
  case busy(InlineText)
  /// The kernel or the connection failed with this error number.
  case failed(InlineText, errno: Int32)
  /// Its output is not in the documented form.
  case malformed(InlineText, found: InlineText)
  /// Its output is impossible; `why` is a clause behind what was found.
  case implausible(InlineText, found: InlineText, why: InlineText)
  /// Its output has a meaning that nothing confirms.
  case distrusted(InlineText, why: StaticText, remedy: StaticText)
  /// The source was silent for longer than the timeout.
  case silent(InlineText)
  /// A receiver reports without a usable fix.
  case withoutFix(InlineText, why: StaticText)
  /// Its fixes are used with the time of their arrival, because their date is impossible.
  case wrongDate(InlineText, why: StaticText)
  /// Its fixes are used, and their place is the same to the last digit at speed.
  case frozen(InlineText)
  /// Its output is this many seconds old, and grows older.
  case behind(InlineText, seconds: Int)
  /// Its line has more edges per second than are read.
  case flooded(InlineText, edgesPerSecond: Int)
  /// The source answers with an error.
  case refused(InlineText, found: InlineText)
  /// The item that the configuration names exists more than once, at these places.
  case ambiguous(InlineText, found: InlineText)
  /// The configuration asks for something that this machine cannot do.
  case unsupported(InlineText, remedy: StaticText)
  /// The source fails and recovers in turns; the associated failure is the last one.
  case intermittent(SourceFailure)
}

extension SourceFailure {
  /// Whether the failure is already reported as `known`: invalid text, the seconds behind and the
  /// number of edges may differ in every cycle.
  fileprivate func isSameTrouble(as known: SourceFailure) -> Bool {
    if let subject = unreadable, let knownSubject = known.unreadable {
      return subject == knownSubject
    }
    if case .behind(let subject, _) = self, case .behind(let knownSubject, _) = known {
      return subject == knownSubject
    }
    if case .flooded(let subject, _) = self, case .flooded(let knownSubject, _) = known {
      return subject == knownSubject
    }
    return self == known
  }

  /// Source whose output is not a value.
  private var unreadable: InlineText? {
    switch self {
    case .malformed(let subject, _), .implausible(let subject, _, _): subject
    default: nil
    }
  }
}

/// Destination of the sensors and values of the sources.
public protocol ReadingSink: AnyObject {
  /// Declares a sensor, or finds the one with the same `uniqueID`.
  /// - Returns: nil if no more sensors fit, which is then already reported.
  func declare(_ sensor: SensorDescription) -> SensorIndex?

  /// Stores a value; the latest one of each sensor counts.
  func record(_ reading: Reading)

  /// Stores the best fix since the last cycle.
  func record(_ fix: Fix)
}

/// Supervises one source: reports a failure once, and limits how often a failing source is read.
///
/// A source that fails again and again is intermittent, which is reported once, and ends when the
/// source was steady for `steadyTime`.
public struct Supervision: Sendable {
  /// First delay after a failure; each further failure doubles it.
  public static let firstDelay: Duration = .seconds(5)
  public static let longestDelay: Duration = .seconds(60)

  /// Number of new failures within `steadyTime` of the last one after which the source is reported
  /// as intermittent.
  public static let returnsMax = 2
  public static let steadyTime: Duration = .seconds(3600)

  public enum Report: Equatable, Sendable {
    case failed(SourceFailure)
    case recovered
  }

  private enum State {
    case working
    /// A nil failure means an absent source that need not be present, which is not reported.
    case failing(SourceFailure?, delay: Duration, retryAt: Instant)
  }

  private var state = State.working
  private var returns = 0
  private var isIntermittent = false
  /// Instants of the last failure, and of the first one since the source last worked.
  private var failedAt: Instant?
  private var failingSince: Instant?

  public init() {}

  /// Whether the source is due to be read; true while it works.
  public func isDue(now: Instant) -> Bool {
    guard case .failing(_, _, let retryAt) = state else { return true }
    return now >= retryAt
  }

  /// Instant at which a failing source is read again; nil while it works.
  public var retryAt: Instant? {
    guard case .failing(_, _, let retryAt) = state else { return nil }
    return retryAt
  }

  /// Whether the delay has reached its maximum, so that the failure is more than momentary.
  public var isLasting: Bool {
    guard case .failing(_, let delay, _) = state else { return false }
    return delay >= Self.longestDelay
  }

  /// Records a failure. `isUnplugged` means that people plug the source in and out, which is not a
  /// fault.
  public mutating func failed(
    _ failure: SourceFailure, now: Instant, isUnplugged: Bool = false
  ) -> Report? {
    let known = known
    let comesAndGoes = known == nil && !isUnplugged && isReturn(now: now)
    failedAt = now
    pause(failure, now: now)
    if isIntermittent {
      guard let failingSince, now - failingSince >= Self.steadyTime else { return nil }
      isIntermittent = false
      return .failed(failure)
    }
    isIntermittent = comesAndGoes
    if comesAndGoes { return .failed(.intermittent(failure)) }
    if let known, failure.isSameTrouble(as: known) { return nil }
    return .failed(failure)
  }

  /// Records that a working source fails. Returns whether that happened often enough.
  private mutating func isReturn(now: Instant) -> Bool {
    let isSoon = failedAt.map { now - $0 < Self.steadyTime } ?? false
    returns = isSoon ? returns + 1 : 0
    failingSince = now
    return returns >= Self.returnsMax
  }

  /// Records that an optional source is absent. An earlier report remains.
  public mutating func absent(now: Instant) { pause(known, now: now) }

  public mutating func succeeded() -> Report? {
    defer { state = .working }
    return known == nil || isIntermittent ? nil : .recovered
  }

  /// Instant at which an intermittent source counts as steady; nil if the source is not
  /// intermittent, or fails.
  public var steadyAt: Instant? {
    guard isIntermittent, retryAt == nil, let failedAt else { return nil }
    return failedAt + Self.steadyTime
  }

  /// Returns the recovery of an intermittent source that was steady for long enough.
  public mutating func settled(now: Instant) -> Report? {
    guard let steadyAt, now >= steadyAt else { return nil }
    isIntermittent = false
    returns = 0
    return .recovered
  }

  private var known: SourceFailure? {
    guard case .failing(let failure, _, _) = state else { return nil }
    return failure
  }

  private mutating func pause(_ failure: SourceFailure?, now: Instant) {
    var delay = Self.firstDelay
    if case .failing(_, let last, _) = state { delay = min(last + last, Self.longestDelay) }
    state = .failing(failure, delay: delay, retryAt: now + delay)
  }
}

/// A literal in a failure, with the equality that `StaticString` lacks.
public struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral {
  public let text: StaticString

  public init(stringLiteral text: StaticString) { self.text = text }

  public static func == (left: StaticText, right: StaticText) -> Bool {
    [UInt8](left.text) == [UInt8](right.text)
  }
}
