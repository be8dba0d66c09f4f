public import Bytes

/// Why a source has nothing to say, who is at fault, and what to do about it.
///
/// A failure passes through many hands and is rare: held in place, its texts made every one of
/// them copy a hundred bytes, and the code for that was a fifteenth of the shipped binary.
public indirect enum SourceFailure: Error, Equatable, Sendable {
  /// The device, file or server is not there. It is looked for again.
  case missing(InlineText)
  /// The agent may not open it: a group or a permission is missing.
  case notPermitted(InlineText)
  /// Another program uses it.
  case busy(InlineText)
  /// The kernel or the connection failed with this error number.
  case failed(InlineText, errno: Int32)
  /// It answers, and what it says is not what its documentation promises.
  case malformed(InlineText, found: InlineText)
  /// It answers, and what it says cannot be: why is a clause behind what was found.
  case implausible(InlineText, found: InlineText, why: InlineText)
  /// It answers, and nothing vouches for what that means.
  case distrusted(InlineText, why: StaticText, remedy: StaticText)
  /// It was silent for longer than it may be.
  case silent(InlineText)
  /// A receiver reports, and no fix that can be used.
  case withoutFix(InlineText, why: StaticText)
  /// Its fixes are used with the time of their arrival, for their date cannot be right.
  case wrongDate(InlineText, why: StaticText)
  /// Its fixes are used, and their place stays the same to the last digit at speed.
  case frozen(InlineText)
  /// What it says was said so many seconds ago, and more each time.
  case behind(InlineText, seconds: Int)
  /// Its line has so many edges a second: more than it is read for.
  case flooded(InlineText, edgesPerSecond: Int)
  /// It answers with an error.
  case refused(InlineText, found: InlineText)
  /// What the configuration names is there more than once: at these places.
  case ambiguous(InlineText, found: InlineText)
  /// The configuration asks for something that this machine cannot do.
  case unsupported(InlineText, remedy: StaticText)
  /// It fails and works in turns, at last like this.
  case intermittent(SourceFailure)
}

extension SourceFailure {
  /// Whether this is told already where `known` was: text that makes no sense can be another one
  /// in every cycle, what is behind is so by another number of seconds, and edges are other ones.
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

  /// What says something that is no value of it.
  private var unreadable: InlineText? {
    switch self {
    case .malformed(let subject, _), .implausible(let subject, _, _): subject
    default: nil
    }
  }
}

/// Where sources bring what they found: sensors and values.
public protocol ReadingSink: AnyObject {
  /// Makes a sensor known, or finds the one of the same `uniqueID` again.
  /// - Returns: nil where no more sensors fit, which has then been reported.
  func declare(_ sensor: SensorDescription) -> SensorIndex?

  /// Takes a value in; the latest one of each sensor counts.
  func record(_ reading: Reading)

  /// Takes the best fix since the last cycle in.
  func record(_ fix: Fix)
}

/// Keeps one failing source from hiding its failure, from repeating it, and from being asked too
/// often.
///
/// One that fails again and again comes and goes, which is a state of its own: it is reported once,
/// and over when the source was steady for as long as `steadyTime`.
public struct Supervision: Sendable {
  /// The first wait after a failure; it doubles with each one that follows.
  public static let firstDelay: Duration = .seconds(5)
  public static let longestDelay: Duration = .seconds(60)

  /// How often a source fails again within `steadyTime` of the last failure until that is reported
  /// as coming and going.
  public static let returnsMax = 2
  public static let steadyTime: Duration = .seconds(3600)

  public enum Report: Equatable, Sendable {
    case failed(SourceFailure)
    case recovered
  }

  private enum State {
    case working
    /// Without a failure it is not there and need not be, which is not reported.
    case failing(SourceFailure?, delay: Duration, retryAt: Instant)
  }

  private var state = State.working
  private var returns = 0
  private var isIntermittent = false
  /// When it failed last, and when it did so first without having worked since.
  private var failedAt: Instant?
  private var failingSince: Instant?

  public init() {}

  /// Whether it is time to ask the source; true while it works.
  public func isDue(now: Instant) -> Bool {
    guard case .failing(_, _, let retryAt) = state else { return true }
    return now >= retryAt
  }

  /// When a failing source is asked again, or nil while it works.
  public var retryAt: Instant? {
    guard case .failing(_, _, let retryAt) = state else { return nil }
    return retryAt
  }

  /// Whether the pauses have become as long as they get: what fails does so for more than a moment.
  public var isLasting: Bool {
    guard case .failing(_, let delay, _) = state else { return false }
    return delay >= Self.longestDelay
  }

  /// `isUnplugged` says that people plug it in and pull it out, which is no fault of it.
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

  /// A source that worked fails. Returns whether it has come and gone often enough.
  private mutating func isReturn(now: Instant) -> Bool {
    let isSoon = failedAt.map { now - $0 < Self.steadyTime } ?? false
    returns = isSoon ? returns + 1 : 0
    failingSince = now
    return returns >= Self.returnsMax
  }

  /// What is looked for is not there, and need not be. What was reported before stays so.
  public mutating func absent(now: Instant) { pause(known, now: now) }

  public mutating func succeeded() -> Report? {
    defer { state = .working }
    return known == nil || isIntermittent ? nil : .recovered
  }

  /// When a source that came and went has been steady for long enough; nil if it did not come and
  /// go, or fails.
  public var steadyAt: Instant? {
    guard isIntermittent, retryAt == nil, let failedAt else { return nil }
    return failedAt + Self.steadyTime
  }

  /// Whether a source that came and went has been steady for long enough.
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

/// A literal of a failure, with the equality that `StaticString` lacks.
public struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral {
  public let text: StaticString

  public init(stringLiteral text: StaticString) { self.text = text }

  public static func == (left: StaticText, right: StaticText) -> Bool {
    [UInt8](left.text) == [UInt8](right.text)
  }
}
