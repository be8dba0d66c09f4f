public import Bytes
import CLinux
public import LinuxIO
import Sensing

/// A GPIO line as a binary sensor: its edges as they occur, debounced, with the kernel's own
/// timestamps.
///
/// The kernel quiets the line first, if its debounce window is long enough for that; `LineInput`
/// decides which levels count, and when the line has to rest.
public final class GPIOLine {
  public let name: InlineText
  private let settings: GPIOLineSettings
  private let devices: Path
  private let loop: EventLoop
  private let sink: any ReadingSink
  private let supervisor: Supervisor

  private var sensor: DeclaredSensor
  private var input: LineInput
  private var request: GPIOLineRequest?
  private var watch: Watch?
  /// Whether the loop ignores edges now.
  private var isResting = false

  init(_ settings: GPIOLineSettings, _ context: SourceContext) {
    self.settings = settings
    devices = context.devices
    loop = context.loop
    sink = context.sink
    supervisor = context.supervisor
    name = settings.name
    input = LineInput(debounce: settings.debounce)
    sensor = DeclaredSensor(
      GPIOLineSettings.entityKind.description(
        of: settings.entity, uniqueID: settings.address.uniqueID, isUrgent: settings.isUrgent))
  }

  // MARK: The line

  private func open(at moment: Moment) throws(SourceFailure) {
    let place = try GPIOLinePlace(of: settings.address, named: name, in: devices)
    do throws(Errno) {
      let request = try GPIOLineRequest(
        place,
        .input(
          edges: .both, quiet: settings.debounce.quiet, kept: LineInput.eventsPerReadMax,
          perRead: LineInput.eventsPerReadMax),
        isActiveLow: settings.isActiveLow, bias: settings.bias)
      watch = try loop.watch(request.descriptor, for: .input, telling: self)
      self.request = consume request
    } catch Errno(code: ENXIO) {
      throw .unsupported(name, remedy: "choose a line whose chip can report edges")
    } catch {
      throw SourceFailure(error, of: name)
    }
    input = LineInput(debounce: settings.debounce)
    try readLevel(at: moment)
    supervisor.worked(name)
  }

  private func close() {
    if let watch { loop.stop(watch) }
    watch = nil
    isResting = false
    request = nil
    input = LineInput(debounce: settings.debounce)
  }

  /// Starts or stops listening to the line, as `input` wants.
  private func rest() throws(SourceFailure) {
    guard let watch, input.isResting != isResting else { return }
    do throws(Errno) {
      try loop.change(watch, to: input.isResting ? [] : .input)
    } catch {
      throw SourceFailure(error, of: name)
    }
    isResting = input.isResting
  }

  /// Reports too many edges, and their end.
  private func tellExcess(at moment: Moment) {
    if let rate = input.excessEdgesPerSecond {
      supervisor.failed(name, .flooded(name, edgesPerSecond: rate), now: moment.instant)
    } else {
      supervisor.worked(name)
    }
  }

  private func readLevel(at moment: Moment) throws(SourceFailure) {
    do throws(Errno) {
      guard let level = try request?.level() else { return }
      record(input.levelRead(level, now: moment.instant), at: moment)
    } catch {
      throw SourceFailure(error, of: name)
    }
  }

  private func readEvents(_ readiness: Readiness, at moment: Moment) throws(SourceFailure) {
    do throws(Errno) {
      let count = try request?.readEvents(asleep: timeAsleep) { event in
        record(input.eventRead(event, now: moment.instant), at: moment)
      }
      if count == 0, readiness.isDisjoint(with: .failure) { return }
      // A line that hangs up without an event has lost its chip.
      guard let count, count > 0 else { throw .noSuchDevice }
    } catch {
      throw SourceFailure(error, of: name)
    }
    if input.readingEnded(now: moment.instant) { try readLevel(at: moment) }
    try rest()
    if input.excessEdgesPerSecond != nil { tellExcess(at: moment) }
  }

  // MARK: Results

  /// Records a level with the time at which the line reached it.
  private func record(_ settled: Debouncer.Settled?, at moment: Moment) {
    guard let settled else { return }
    sensor.record(
      .boolean(settled.level == .active), at: moment.wallTime - (moment.instant - settled.since),
      in: sink)
  }

  private func attempt(
    at moment: Moment, _ body: () throws(SourceFailure) -> Void
  ) {
    do throws(SourceFailure) {
      try body()
    } catch {
      failed(error, at: moment)
    }
  }

  private func failed(_ failure: SourceFailure, at moment: Moment) {
    close()
    sensor.record(failure.value, at: moment.wallTime, in: sink)
    supervisor.failed(name, failure, now: moment.instant)
  }
}

extension GPIOLine: Source {
  /// Opens the line if it is closed; otherwise reads its level, in case an edge was lost or its
  /// chip left without a report.
  public func sample(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in
      guard request != nil else { return try open(at: moment) }
      try readLevel(at: moment)
      input.cycleBegan()
      tellExcess(at: moment)
    }
  }

  public var listening: Listening { request != nil ? .open : .closed }

  public var deadline: Instant? { request != nil ? input.deadline : nil }

  public func deadlineReached(at moment: Moment) {
    record(input.deadlineReached(now: moment.instant), at: moment)
    guard isResting, !input.isResting else { return }
    attempt(at: moment) { () throws(SourceFailure) in
      try rest()
      try readEvents([], at: moment)
    }
  }

  public var holder: InlineText? { settings.address.holder(in: devices) }
}

extension GPIOLine: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let moment = Moment.now
    attempt(at: moment) { () throws(SourceFailure) in try readEvents(readiness, at: moment) }
  }
}
