public import Bytes
public import LinuxIO
public import Sensing

/// Event mode of a source: events do not wait for a cycle.
public enum Listening: Sendable {
  /// A source that only reads when it is asked, and throws if that fails. It has no deadline of its
  /// own, and nothing pending between two requests.
  case never
  /// A source that is asked as often as a `never` one, and may throw. It reports to its supervisor
  /// that it works, and later failures. It gathers, and has deadlines, only between a `sample` and
  /// the answer to that.
  case answering
  /// A source that is asked like an `answering` one, and may have deadlines at any time.
  case announcing
  /// A source that receives events, and reports to its supervisor that it works or fails.
  case open
  /// An `open` source that receives nothing now: it is asked again as soon as its pause is over.
  case closed
  /// A `closed` source that rests until the next cycle, so that its device can sleep: it is asked
  /// again a few times, and if its failure lasts, only with the cycles.
  case resting
}

/// A provider of readings: a device, a file of the kernel, a server.
///
/// A source receives its `ReadingSink` and, if it waits for a descriptor, its `EventLoop` at
/// creation. It opens nothing then: the first `sample` does, so that a device missing at start is
/// an ordinary failure that is retried. A source does not count failures or wait for their end: it
/// throws or reports each one, and the `Supervisor` decides when to ask it again.
public protocol Source: AnyObject {
  /// Name in messages, such as `gpsd` or `GPIO17`.
  var name: InlineText { get }

  /// Reads and records the present values, or opens what the source listens to. Called once in
  /// every cycle while the source works. Readable values are recorded even when it throws.
  func sample(at moment: Moment) throws(SourceFailure)

  /// Present event mode: from the start always the same one of `.never`, `.answering` and
  /// `.announcing`, or one of the others.
  var listening: Listening { get }

  /// Whether a board that never had the device of this source is as good as one that has it.
  var isOptional: Bool { get }

  /// Whether something of this cycle is pending, such as the answer to a request of `sample`. The
  /// cycle waits for it, and the source ends the wait with its own deadline.
  var isGathering: Bool { get }

  /// Reason why the wait of this cycle brought nothing, if no failure was reported yet.
  var shortfall: SourceFailure? { get }

  /// Kinds of the devices that the source reads, if the kernel's announcements of them matter:
  /// failed sources of these kinds are asked again at once.
  var deviceKinds: DeviceKinds { get }

  /// Records that the kernel announced new values and that `sample` follows: a pending answer may
  /// hold the values before those.
  func valuesAnnounced()

  /// Whether its deadlines protect the world from what it has done: they come first.
  var guardsTheWorld: Bool { get }

  /// Program that holds the resource of this source; nil if unknown.
  var holder: InlineText? { get }

  /// Adopts another pace at which the sources are asked.
  func paceChanged(to pace: SamplingPace)

  /// Puts right what must not stay as it is, and writes what must not be lost, because the agent
  /// ends or reads its configuration again. No other request follows.
  func stop(at moment: Moment)

  /// Time at which `deadlineReached` is due; nil if there is none.
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
  /// Converts an error of the kernel about `subject`.
  init(_ error: Errno, of subject: InlineText) {
    switch error {
    case .noSuchFile, .noSuchDevice: self = .missing(subject)
    case .notPermitted, .operationNotPermitted: self = .notPermitted(subject)
    case .busy: self = .busy(subject)
    default: self = .failed(subject, errno: error.code)
    }
  }

  /// Value of a sensor whose source failed like this: unknown if the source answers nonsense, else
  /// unavailable.
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

/// Context of sources: the paths of the kernel, and the receivers of readings and failures.
public struct SourceContext {
  /// Mount point of sysfs; `proc` is that of procfs.
  public let sys: Path
  public let proc: Path
  /// Folder of the devices.
  public let devices: Path
  public let loop: EventLoop
  /// Reader of slow files.
  public let reader: BackgroundReader
  public private(set) var sink: any ReadingSink
  /// Receiver of reports of the sources that listen.
  public let supervisor: Supervisor
  /// Store of the pulse counts.
  public let counts: CountsFile
  /// Interval of the cycles.
  public let cycle: Duration
  /// Time that a cycle waits for requested data: a fix, or a part that measures.
  public let answerTimeout: Duration
  public let now: Instant
  /// Whether the sources are only looked at: no output is switched then.
  public let changesNothing: Bool
  /// Whether the loop waits for slow files, so that a reading is complete once it was asked for.
  var readsInLoop = false

  public init(
    sys: Path, proc: Path, devices: Path = Path("/dev"), loop: EventLoop, sink: any ReadingSink,
    supervisor: Supervisor, counts: CountsFile, cycle: Duration, answerTimeout: Duration,
    now: Instant, reader: BackgroundReader? = nil, changesNothing: Bool = false
  ) {
    self.sys = sys
    self.proc = proc
    self.devices = devices
    self.loop = loop
    self.reader = reader ?? BackgroundReader(loop: loop)
    self.sink = sink
    self.supervisor = supervisor
    self.counts = counts
    self.cycle = cycle
    self.answerTimeout = answerTimeout
    self.now = now
    self.changesNothing = changesNothing
  }

  /// Returns the same context with another sink for readings.
  public func tapped(by sink: any ReadingSink) -> SourceContext {
    var context = self
    context.sink = sink
    return context
  }
}
