public import Bytes
public import LinuxIO
import Sensing

/// The pulses of a GPIO line as a total, and optionally a rate.
///
/// The kernel stores the edges; they are read in each cycle, and in between only if there are too
/// many for the kernel to store. `PulseCounter` decides what counts.
public final class PulseLine: LineSource {
  private let id: [UInt8]
  private let settings: PulseSettings
  private let counts: CountsFile

  private var total: DeclaredSensor
  private var rateSensor: DeclaredSensor?
  private var counter: PulseCounter
  private var rate: PulseRate?
  /// Count of earlier runs; nil until it is known.
  private var before: Int64?
  private var isCounting = false

  init(_ settings: PulseSettings, _ context: SourceContext) {
    self.settings = settings
    counts = context.counts
    id = settings.id
    counter = PulseCounter(
      minWidth: settings.minWidth, count: 0, now: Instant(nanoseconds: 0))
    total = DeclaredSensor(
      PulseSettings.entityKind.description(of: settings.entity, uniqueID: settings.ownID))
    rateSensor = settings.rate.map {
      DeclaredSensor(
        PulseSettings.rateKind.description(
          of: $0.entity, uniqueID: settings.rateID), minChange: $0.entity.minChange,
        isRate: true)
    }
    super.init(settings.address, in: context.chips, context.sink, context.supervisor)
  }

  // MARK: The line

  private func open(at moment: Moment) throws(SourceFailure) {
    try open(
      .input(
        hasFalling: counter.needsBothEdges, quiet: settings.minWidth.quiet,
        kept: PulseCounter.eventsKept, perRead: PulseCounter.eventsPerReadMax),
      isActiveLow: settings.isActiveLow, bias: settings.bias)
    if let level = try level() { counter.levelRead(level, now: moment.instant) }
    supervisor.worked(name)
  }

  override func lineLost(_ value: Value, at moment: Moment) {
    total.record(value, at: moment.wallTime, in: sink)
    rateSensor?.record(value, at: moment.wallTime, in: sink)
  }

  /// Reads the events that the kernel has stored.
  private func readEvents(at moment: Moment) throws(SourceFailure) {
    for _ in 0..<PulseCounter.readsMax {
      let count = try readEvents { event in counter.eventRead(event, now: moment.instant) }
      if count == 0 { break }
    }
    counter.readingEnded(now: moment.instant)
    tellExcess(counter.excessEdgesPerSecond, at: moment)
  }

  // MARK: Results

  /// Starts to count. The count of earlier runs is requested until it is known; meanwhile pulses
  /// are counted, and the rate is reported.
  private func begin(now: Instant) {
    if !isCounting {
      isCounting = true
      counter = PulseCounter(minWidth: settings.minWidth, count: 0, now: now)
      rate = settings.rate.map { PulseRate(per: $0.span, count: 0) }
    }
    if before == nil { before = counts.count(of: id, now: now) }
  }

  /// Number of pulses of this run and of earlier ones; nil if those are unknown, or it is too
  /// large.
  private var count: Int64? {
    guard let before else { return nil }
    let (count, isTooLarge) = before.addingReportingOverflow(counter.count)
    return isTooLarge ? nil : count
  }

  private func record(at moment: Moment) {
    if let count { counts.keep(count, of: id, now: moment.instant) }
    let amount = count.flatMap { settings.perPulse.times($0) }
    total.record(value(amount), at: moment.wallTime, in: sink)
    let speed = rate?.sampled(
      count: counter.count, firstPulse: counter.firstPulse, lastPulse: counter.lastPulse,
      perPulse: settings.perPulse, now: moment.instant)
    rateSensor?.record(value(speed), at: moment.wallTime, in: sink)
    counter.cycleEnded()
  }

  private func value(_ number: FixedPoint?) -> Value { number.map { .number($0) } ?? .unknown }

  // MARK: Cycles and deadlines

  /// Opens the line if it is closed, and reports the present total.
  override func sampleLine(at moment: Moment) throws(SourceFailure) {
    begin(now: moment.instant)
    if request == nil { try open(at: moment) }
    try readEvents(at: moment)
    record(at: moment)
  }

  public override var deadline: Instant? { request != nil ? counter.deadline : nil }

  public override func deadlineReached(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in try readEvents(at: moment) }
  }

  /// Counts the events that the kernel still has, and stores the count.
  public override func stop(at moment: Moment) {
    guard isCounting else { return }
    if request != nil { deadlineReached(at: moment) }
    if before == nil { before = counts.count(of: id, now: moment.instant) }
    if let count { counts.keepForGood(count, of: id, now: moment.instant) }
  }
}
