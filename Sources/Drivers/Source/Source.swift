public import Bytes
public import LinuxIO
public import Sensing

/// Whether a source hears of events, which do not wait for a cycle.
public enum Listening: Sendable {
  /// It reads when it is asked, and throws where that fails. It has no deadline of its own, and
  /// nothing of it is on its way between two questions.
  case never
  /// It is asked as often as the one before, and may throw. It tells its supervisor by itself that
  /// it works, and what fails later, and it may have deadlines.
  case answering
  /// It hears them, and tells its supervisor that it works or fails.
  case open
  /// The same, and it hears nothing now: it is asked again as soon as its pause is over.
  case closed
  /// The same, until the next cycle, so that its device can sleep: it is asked again a few times,
  /// and where its failure lasts, only with the cycles.
  case resting
}

/// Something that has readings: a device, a file of the kernel, a server.
///
/// A source gets its `ReadingSink` and, where it waits for a descriptor, its `EventLoop` when it
/// is made. It opens nothing then: the first `sample` does, so that what is missing at start is
/// an ordinary failure that is retried. A source counts no failures and waits for none to pass:
/// it throws, or tells, each one, and the `Supervisor` decides when it is asked again.
public protocol Source: AnyObject {
  /// What messages call it, such as `gpsd` or `GPIO17`.
  var name: InlineText { get }

  /// Reads what is there now and records it, or opens what it listens to. Called once in every
  /// cycle while the source works. What could be read has been recorded even when it throws.
  func sample(at moment: Moment) throws(SourceFailure)

  /// From the start always `.never`, always `.answering`, or none of these two.
  var listening: Listening { get }

  /// Whether a board that never had what it reads is as good as one that has it.
  var isOptional: Bool { get }

  /// Whether something of this cycle is still on its way, such as an answer to a question that
  /// `sample` asked. The cycle waits for it, and the source ends the wait by its own deadline.
  var isGathering: Bool { get }

  /// Why the wait of this cycle brought nothing, where no failure was told yet.
  var shortfall: SourceFailure? { get }

  /// Of which kinds the devices are that it reads, where the kernel's announcements of them matter:
  /// those that fail are asked again at once.
  var deviceKinds: DeviceKinds { get }

  /// The kernel announced new values of it, and it is asked next: what is on its way may be the
  /// values before those.
  func valuesAnnounced()

  /// Whether its deadlines protect the world from what it has done: they come first.
  var guardsTheWorld: Bool { get }

  /// The program that holds what this source wants for itself; nil where that is not known.
  var holder: InlineText? { get }

  /// From now on the sources are asked like this.
  func paceChanged(to pace: SamplingPace)

  /// The agent ends, or reads its configuration again: what must not stay as it is is put right,
  /// and what must not be lost is written. Nothing is asked of the source after that.
  func stop(at moment: Moment)

  /// When the source wants `deadlineReached`, or nil.
  var deadline: Instant? { get }
  func deadlineReached(at moment: Moment)
}

extension Source {
  public var listening: Listening { .never }
  public var isOptional: Bool { false }
  public var isGathering: Bool { false }
  public var shortfall: SourceFailure? { nil }
  public var deviceKinds: DeviceKinds { [] }
  public func valuesAnnounced() {}
  public var guardsTheWorld: Bool { false }
  public var holder: InlineText? { nil }
  public func paceChanged(to pace: SamplingPace) {}
  public func stop(at moment: Moment) {}
  public var deadline: Instant? { nil }
  public func deadlineReached(at moment: Moment) {}
}

extension SourceFailure {
  /// What the kernel's error says about `subject`.
  init(_ error: Errno, of subject: InlineText) {
    switch error {
    case .noSuchFile, .noSuchDevice: self = .missing(subject)
    case .notPermitted, .operationNotPermitted: self = .notPermitted(subject)
    case .busy: self = .busy(subject)
    default: self = .failed(subject, errno: error.code)
    }
  }

  /// What a sensor says whose source failed like this: it is there and makes no sense, or it is
  /// not to be had.
  var value: Value {
    switch self {
    case .malformed, .implausible, .distrusted: .unknown
    case .intermittent(let failure): failure.value
    case .missing, .notPermitted, .busy, .failed, .silent, .withoutFix, .wrongDate, .frozen,
      .behind, .flooded, .refused, .ambiguous, .unsupported:
      .unavailable
    }
  }
}
