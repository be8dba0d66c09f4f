public import Bytes
public import LinuxIO
public import Sensing

/// A GPIO line that the agent switches, reported as a binary sensor with the level that is read
/// back in each cycle.
///
/// `OutputLine` decides the level. While the agent holds the line, no other program can request it.
public final class GPIOOutput: LineSource {
  /// Name for people.
  public var title: [UInt8] { settings.entity.name }
  private let settings: OutputSettings

  private var sensor: DeclaredSensor
  private var output: OutputLine
  /// Whether the last level that was read is the wanted one.
  private var isFollowing = false

  public init(
    _ settings: OutputSettings, chips: GPIOChips = GPIOChips(), sink: any ReadingSink,
    supervisor: Supervisor
  ) {
    self.settings = settings
    output = OutputLine(safe: settings.safe, maxOn: settings.maxOn)
    sensor = DeclaredSensor(settings.description)
    super.init(settings.address, in: chips, sink, supervisor)
  }

  // MARK: Commands

  /// Switches the output on, until `switchOff` or for `max_on`.
  ///
  /// - Returns: whether the line follows; if not, the supervisor has received the reason.
  public func switchOn(at moment: Moment) -> Bool {
    output.onRequested(now: moment.instant) && act(at: moment)
  }

  /// Switches the output on for a positive duration, never longer than `max_on`.
  ///
  /// - Returns: whether the line follows.
  public func pulse(for duration: Duration, at moment: Moment) -> Bool {
    output.onRequested(for: duration, now: moment.instant) && act(at: moment)
  }

  /// - Returns: whether the line follows.
  public func switchOff(at moment: Moment) -> Bool { output.offRequested() && act(at: moment) }

  // MARK: The line

  /// Whether the agent holds the line.
  public var isHeld: Bool { request != nil }

  /// Takes over the line of an output with the same settings, which has its safe level. The kernel
  /// does not receive it in between.
  ///
  /// - Returns: whether this is the same output.
  public func takeLine(of other: GPIOOutput) -> Bool {
    guard other.settings == settings else { return false }
    guard let line = other.request.take() else { return true }
    request = consume line
    output.opened()
    other.output.lost()
    return true
  }

  /// Performs the pending actions, and reports the outcome. Returns whether the line follows.
  private func act(at moment: Moment) -> Bool {
    let isDone = attempt(at: moment) { () throws(SourceFailure) in
      while let level = output.nextAction() { try set(level) }
      try readBack(at: moment)
    }
    return isDone && isFollowing
  }

  private func set(_ level: Level) throws(SourceFailure) {
    do throws(Errno) { try request?.set(level) } catch { throw SourceFailure(error, of: name) }
  }

  private func readBack(at moment: Moment) throws(SourceFailure) {
    guard let level = try level() else { return }
    sensor.record(.boolean(level == .active), at: moment.wallTime, in: sink)
    isFollowing = level == output.wanted
    if isFollowing {
      supervisor.worked(name)
    } else {
      let words: StaticString =
        level == .active ? "on while it is switched off" : "off while it is switched on"
      supervisor.failed(name, .malformed(name, found: InlineText(words)), now: moment.instant)
    }
  }

  override func lineLost(_ value: Value, at moment: Moment) {
    output.lost()
    sensor.record(value, at: moment.wallTime, in: sink)
  }

  // MARK: Cycles and deadlines

  /// Requests the line with its safe level if the agent does not hold it, sets a level again that
  /// the line did not follow, and reads back the level.
  override func sampleLine(at moment: Moment) throws(SourceFailure) {
    if request == nil {
      try open(.output(output.safe), isActiveLow: settings.isActiveLow, bias: .asIs)
      output.opened()
    } else if !isFollowing, let level = output.wanted {
      try set(level)
    }
    try readBack(at: moment)
  }

  public override var guardsTheWorld: Bool { true }

  public override var deadline: Instant? { output.deadline }

  public override func deadlineReached(at moment: Moment) {
    output.deadlineReached(now: moment.instant)
    _ = act(at: moment)
  }

  /// Whether the output has another level than its safe one.
  public var isSwitched: Bool { output.wanted.map { $0 != output.safe } ?? false }

  /// Sets the safe level, because the agent ends soon.
  public func makeSafe(at moment: Moment) {
    output.stopped()
    _ = act(at: moment)
  }

  /// Sets the safe level, and gives the line back to the kernel, because the agent ends.
  public override func stop(at moment: Moment) {
    makeSafe(at: moment)
    request = nil
    output.lost()
  }
}

/// A look at an output without switching it: whether its line is there, and who holds it.
///
/// The line is not requested: the driver of a chip may switch a line that is requested or given
/// back, and a check must not start a pump.
public final class OutputLook: Source {
  public let name: InlineText
  private let address: GPIOLineAddress
  private let chips: GPIOChips
  private let sink: any ReadingSink
  private var sensor: DeclaredSensor

  init(_ settings: OutputSettings, _ context: SourceContext) {
    name = settings.name
    address = settings.address
    chips = context.chips
    sink = context.sink
    sensor = DeclaredSensor(settings.description)
  }

  /// - Throws: `.busy` if a program holds the line, even the agent; the failures of its address.
  public func sample(at moment: Moment) throws(SourceFailure) {
    do throws(SourceFailure) {
      try look()
    } catch {
      sensor.record(error.value, at: moment.wallTime, in: sink)
      throw error
    }
    let words = InlineText("free; a check does not switch it")
    sensor.record(.text(words), at: moment.wallTime, in: sink)
  }

  private func look() throws(SourceFailure) {
    let place = try chips.place(of: address, named: name)
    guard let line = place.chip.line(at: place.offset) else { throw .missing(name) }
    if line.isTaken { throw .busy(name) }
  }

  public var holder: InlineText? { address.holder(in: chips) }
}
