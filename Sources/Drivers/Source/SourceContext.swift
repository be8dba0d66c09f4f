public import Bytes
public import LinuxIO
public import Sensing

/// What sources are made with: where the kernel is, and who takes what they bring.
public struct SourceContext {
  /// Where sysfs and procfs are mounted.
  public let sys: Path
  public let proc: Path
  /// Where the devices are.
  public let devices: Path
  public let loop: EventLoop
  /// Who reads what takes its time.
  public let reader: BackgroundReader
  public private(set) var sink: any ReadingSink
  /// Who hears from those that listen.
  public let supervisor: Supervisor
  /// Who keeps what is counted.
  public let counts: CountsFile
  /// How far apart the cycles are.
  public let cycle: Duration
  /// How long a cycle waits for what it asked for: a fix, or a part that measures.
  public let answerTimeout: Duration
  public let now: Instant
  /// Whether the sources are only looked at: no output is switched then.
  public let changesNothing: Bool

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

  /// The same, where readings go to another sink.
  public func tapped(by sink: any ReadingSink) -> SourceContext {
    var context = self
    context.sink = sink
    return context
  }
}
