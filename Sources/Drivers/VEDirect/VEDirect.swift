public import Bytes
public import LinuxIO
public import Sensing

/// A device of Victron at a VE.Direct cable: its serial port, which is open for about a second of
/// each cycle, and the sensors that it reports.
///
/// `VEDirectSession` decides when to listen and what to believe.
public final class VEDirect {
  /// Maximum number of reads per turn of the loop; the kernel holds 4 KiB.
  private static let readsMax = 16

  public let name: InlineText
  private let settings: VEDirectSettings
  private let path: Path
  private let loop: EventLoop
  private let sink: any ReadingSink
  private let supervisor: Supervisor

  private var session: VEDirectSession
  private var port: Descriptor?
  private var watch: Watch?
  /// Sensors in the order of `VEDirectSensor`, once the device has identified itself.
  private var sensors: [DeclaredSensor] = []
  /// Whether the last number of each sensor was implausible.
  private var isImplausible = [Bool](repeating: false, count: VEDirectSensor.count)
  /// Base of their unique ids.
  private var identity: [UInt8] = []
  /// Serial number from which `identity` was made.
  private var serial: InlineText?

  init(_ settings: VEDirectSettings, _ context: SourceContext) {
    self.settings = settings
    path = Path(settings.path)
    name = settings.name
    loop = context.loop
    sink = context.sink
    supervisor = context.supervisor
    session = VEDirectSession(name: settings.name, wanted: settings.sensors)
  }

  // MARK: Actions of the session

  private func perform(_ first: VEDirectSession.Action?, at moment: Moment) {
    var action = first
    while let next = action { action = step(next, at: moment) }
  }

  /// Performs one action; returns the next one, if it has one.
  private func step(
    _ action: VEDirectSession.Action, at moment: Moment
  ) -> VEDirectSession.Action? {
    do throws(Errno) {
      switch action {
      case .open: return try open(now: moment.instant)
      case .listen: try listen(for: .input)
      case .pause: try listen(for: [])
      case .discard:
        try port?.discardInput()
        try listen(for: .input)
      case .read: return try read(now: moment.instant)
      case .finish:
        close()
        record(at: moment)
        supervisor.worked(name)
      case .fail(let failure):
        close()
        sensors.recordFailure(failure.value, at: moment.wallTime, in: sink)
        supervisor.failed(name, failure, now: moment.instant)
      }
      return nil
    } catch {
      return session.failed(failure(error))
    }
  }

  private func failure(_ error: Errno) -> SourceFailure {
    switch error {
    // Errors of the kernel for a port whose adapter was unplugged.
    case .noSuchAddress, .inputOutput: .missing(name)
    case .notATerminal, .invalidArgument:
      .unsupported(name, remedy: "write the path of a serial port, in /dev/serial/by-id")
    default: SourceFailure(error, of: name)
    }
  }

  private func open(now: Instant) throws(Errno) -> VEDirectSession.Action {
    let port = try Descriptor.serialPort(at: path)
    watch = try loop.watch(port.number, for: [], telling: self)
    self.port = consume port
    return session.opened(now: now)
  }

  private func close() {
    if let watch { loop.stop(watch) }
    watch = nil
    port = nil
  }

  private func listen(for readiness: Readiness) throws(Errno) {
    if let watch { try loop.change(watch, to: readiness) }
  }

  private func read(now: Instant) throws(Errno) -> VEDirectSession.Action {
    for _ in 0..<Self.readsMax {
      guard let result = try port?.read(into: &session.buffer), result != .wouldBlock else { break }
      guard case .bytes = result else { throw .noSuchAddress }
      session.bytesRead(now: now)
    }
    return session.drained(now: now)
  }

  // MARK: The readings

  private func record(at moment: Moment) {
    identify(at: moment)
    for index in sensors.indices {
      let report = session.report(index, now: moment.instant)
      judge(report, of: index, at: moment)
      switch report {
      case .nothing: break
      case .none, .implausible:
        sensors[index].recordFailure(.unknown, at: moment.wallTime, in: sink)
      case .stale: sensors[index].recordFailure(.unavailable, at: moment.wallTime, in: sink)
      case .value(let value): sensors[index].record(value, at: moment.wallTime, in: sink)
      }
    }
  }

  /// Reports an implausible number, and its end. The device itself works.
  private func judge(_ report: VEDirectSession.Report, of index: Int, at moment: Moment) {
    if case .implausible(let number, let range) = report {
      let part = VEDirectSensor.name(index, of: name)
      isImplausible[index] = true
      supervisor.failed(part, range.failure(of: part, number), now: moment.instant)
    } else if isImplausible[index], report != .nothing {
      isImplausible[index] = false
      supervisor.worked(VEDirectSensor.name(index, of: name))
    }
  }

  /// Makes the sensors of the device that reports; those of a former device become unavailable.
  private func identify(at moment: Moment) {
    guard sensors.isEmpty || serial != session.serial else { return }
    serial = session.serial
    let identity = settings.identity(serial: serial)
    guard identity != self.identity else { return }
    sensors.recordFailure(.unavailable, at: moment.wallTime, in: sink)
    self.identity = identity
    sensors = (0..<VEDirectSensor.count).map {
      DeclaredSensor(
        VEDirectSensor.all[$0].description(
          of: identity, named: settings.entity.name, icon: settings.entity.icon),
        minChange: settings.minChange(of: $0))
    }
  }
}

extension VEDirect: Source {
  public var isGathering: Bool { session.isGathering }

  public var shortfall: SourceFailure? { session.shortfall }

  public var listening: Listening { session.isOpen ? .open : .closed }

  public var deadline: Instant? { session.deadline }

  public func sample(at moment: Moment) {
    perform(session.cycleDue(now: moment.instant), at: moment)
  }

  public func deadlineReached(at moment: Moment) {
    perform(session.deadlineReached(now: moment.instant), at: moment)
  }
}

extension VEDirect: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let moment = Moment.now
    if readiness.isDisjoint(with: .failure) {
      perform(session.inputArrived(now: moment.instant), at: moment)
    } else {
      // Its last bytes are dropped: the values have to be complete.
      perform(session.failed(.missing(name)), at: moment)
    }
  }
}
