public import Bytes
public import LinuxIO
public import Sensing

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
