public import Bytes
public import LinuxIO
import Sensing

/// A GPIO line as a binary sensor: its edges as they occur, debounced, with the kernel's own
/// timestamps.
///
/// The kernel quiets the line first, if its debounce window is long enough for that; `LineInput`
/// decides which levels count, and when the line has to rest.
public final class GPIOLine: LineSource {
  private let settings: GPIOLineSettings
  private let loop: EventLoop

  private var sensor: DeclaredSensor
  private var input: LineInput
  private var watch: Watch?
  /// Whether the loop ignores edges now.
  private var isResting = false

  init(_ settings: GPIOLineSettings, _ context: SourceContext) {
    self.settings = settings
    loop = context.loop
    input = LineInput(debounce: settings.debounce)
    sensor = DeclaredSensor(
      GPIOLineSettings.entityKind.description(
        of: settings.entity, uniqueID: settings.address.uniqueID, isUrgent: settings.isUrgent))
    super.init(settings.address, in: context.chips, context.sink, context.supervisor)
  }

  // MARK: The line

  private func open(at moment: Moment) throws(SourceFailure) {
    try open(
      .input(
        hasFalling: true, quiet: settings.debounce.quiet, kept: LineInput.eventsPerReadMax,
        perRead: LineInput.eventsPerReadMax),
      isActiveLow: settings.isActiveLow, bias: settings.bias)
    do throws(Errno) {
      guard let descriptor = request?.descriptor else { return }
      watch = try loop.watch(descriptor, for: .input, telling: self)
    } catch {
      throw SourceFailure(error, of: name)
    }
    input = LineInput(debounce: settings.debounce)
    try readLevel(at: moment)
    supervisor.worked(name)
  }

  override func lineLost(_ value: Value, at moment: Moment) {
    if let watch { loop.stop(watch) }
    watch = nil
    isResting = false
    input = LineInput(debounce: settings.debounce)
    sensor.record(value, at: moment.wallTime, in: sink)
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

  private func readLevel(at moment: Moment) throws(SourceFailure) {
    guard let level = try level() else { return }
    record(input.levelRead(level, now: moment.instant), at: moment)
  }

  private func readEvents(_ readiness: Readiness, at moment: Moment) throws(SourceFailure) {
    let count = try readEvents { event in
      record(input.eventRead(event, now: moment.instant), at: moment)
    }
    if count == 0 {
      // A line that hangs up without an event has lost its chip.
      guard readiness.isDisjoint(with: .failure) else { throw .missing(name) }
      return
    }
    if input.readingEnded(now: moment.instant) { try readLevel(at: moment) }
    try rest()
    if let rate = input.excessEdgesPerSecond { tellExcess(rate, at: moment) }
  }

  /// Records a level with the time at which the line reached it.
  private func record(_ settled: Edge?, at moment: Moment) {
    guard let settled else { return }
    sensor.record(
      .boolean(settled.level == .active), at: moment.wallTime - (moment.instant - settled.instant),
      in: sink)
  }

  // MARK: Cycles and deadlines

  /// Opens the line if it is closed; otherwise reads its level, in case an edge was lost or its
  /// chip left without a report.
  override func sampleLine(at moment: Moment) throws(SourceFailure) {
    guard request != nil else { return try open(at: moment) }
    try readLevel(at: moment)
    input.cycleBegan()
    tellExcess(input.excessEdgesPerSecond, at: moment)
  }

  public override var deadline: Instant? { request != nil ? input.deadline : nil }

  public override func deadlineReached(at moment: Moment) {
    record(input.deadlineReached(now: moment.instant), at: moment)
    guard isResting, !input.isResting else { return }
    attempt(at: moment) { () throws(SourceFailure) in
      try rest()
      try readEvents([], at: moment)
    }
  }
}

extension GPIOLine: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    let moment = Moment.now
    attempt(at: moment) { () throws(SourceFailure) in try readEvents(readiness, at: moment) }
  }
}
