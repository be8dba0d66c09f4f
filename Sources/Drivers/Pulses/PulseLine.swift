public import Bytes
import CLinux
public import LinuxIO
import Sensing

/// The pulses of a GPIO line as a total, and optionally a rate.
///
/// The kernel stores the edges; they are read in each cycle, and in between only if there are too
/// many for the kernel to store. `PulseCounter` decides what counts.
public final class PulseLine {
  public let name: InlineText
  private let id: [UInt8]
  private let settings: PulseSettings
  private let devices: Path
  private let sink: any ReadingSink
  private let supervisor: Supervisor
  private let counts: CountsFile

  private var total: DeclaredSensor
  private var rateSensor: DeclaredSensor?
  private var counter: PulseCounter
  private var rate: PulseRate?
  private var request: GPIOLineRequest?
  /// Count of earlier runs; nil until it is known.
  private var before: Int64?
  private var isCounting = false

  init(_ settings: PulseSettings, _ context: SourceContext) {
    self.settings = settings
    devices = context.devices
    sink = context.sink
    supervisor = context.supervisor
    counts = context.counts
    name = settings.name
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
  }

  // MARK: The line

  private func open(at moment: Moment) throws(SourceFailure) {
    let place = try GPIOLinePlace(of: settings.address, named: name, in: devices)
    do throws(Errno) {
      let request = try GPIOLineRequest(
        place,
        .input(
          edges: counter.needsBothEdges ? .both : .rising, quiet: settings.minWidth.quiet,
          kept: PulseCounter.eventsKept, perRead: PulseCounter.eventsPerReadMax),
        isActiveLow: settings.isActiveLow, bias: settings.bias)
      counter.levelRead(try request.level(), now: moment.instant)
      self.request = consume request
    } catch Errno(code: ENXIO) {
      throw .unsupported(name, remedy: "choose a line whose chip can report edges")
    } catch {
      throw SourceFailure(error, of: name)
    }
    supervisor.worked(name)
  }

  /// Reads the events that the kernel has stored.
  private func readEvents(at moment: Moment) throws(SourceFailure) {
    for _ in 0..<PulseCounter.readsMax {
      guard try readSome(at: moment) else { break }
    }
    counter.readingEnded(now: moment.instant)
    if let rate = counter.excessEdgesPerSecond {
      supervisor.failed(name, .flooded(name, edgesPerSecond: rate), now: moment.instant)
    } else {
      supervisor.worked(name)
    }
  }

  /// Reads once; returns whether there were events.
  private func readSome(at moment: Moment) throws(SourceFailure) -> Bool {
    do throws(Errno) {
      let count = try request?.readEvents(asleep: timeAsleep) { event in
        counter.eventRead(event, now: moment.instant)
      }
      guard let count else { throw .noSuchDevice }
      return count > 0
    } catch {
      throw SourceFailure(error, of: name)
    }
  }

  // MARK: Results

  /// Starts to count. The count of earlier runs is requested until it is known; meanwhile pulses
  /// are counted, and the rate is reported.
  private func begin(now: Instant) {
    if !isCounting {
      isCounting = true
      counter = PulseCounter(minWidth: settings.minWidth, count: 0, now: now)
      rate = settings.rate.map { PulseRate(per: $0.duration, count: 0) }
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

  private func failed(_ failure: SourceFailure, at moment: Moment) {
    request = nil
    total.record(failure.value, at: moment.wallTime, in: sink)
    rateSensor?.record(failure.value, at: moment.wallTime, in: sink)
    supervisor.failed(name, failure, now: moment.instant)
  }

  private func attempt(at moment: Moment, _ body: () throws(SourceFailure) -> Void) {
    do throws(SourceFailure) {
      try body()
    } catch {
      failed(error, at: moment)
    }
  }
}

extension PulseLine: Source {
  /// Opens the line if it is closed, and reports the present total.
  public func sample(at moment: Moment) {
    begin(now: moment.instant)
    attempt(at: moment) { () throws(SourceFailure) in
      if request == nil { try open(at: moment) }
      try readEvents(at: moment)
      record(at: moment)
    }
  }

  public var listening: Listening { request != nil ? .open : .closed }

  public var deadline: Instant? { request != nil ? counter.deadline : nil }

  public func deadlineReached(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in try readEvents(at: moment) }
  }

  /// Counts the events that the kernel still has, and stores the count.
  public func stop(at moment: Moment) {
    guard isCounting else { return }
    if request != nil {
      attempt(at: moment) { () throws(SourceFailure) in try readEvents(at: moment) }
    }
    if before == nil { before = counts.count(of: id, now: moment.instant) }
    if let count { counts.keepForGood(count, of: id, now: moment.instant) }
  }

  public var holder: InlineText? { settings.address.holder(in: devices) }
}
