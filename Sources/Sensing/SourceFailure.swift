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
  func isSameTrouble(as known: SourceFailure) -> Bool {
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

/// A literal in a failure, with the equality that `StaticString` lacks.
public struct StaticText: Equatable, Sendable, ExpressibleByStringLiteral {
  public let text: StaticString

  public init(stringLiteral text: StaticString) { self.text = text }

  public static func == (left: StaticText, right: StaticText) -> Bool {
    [UInt8](left.text) == [UInt8](right.text)
  }
}
