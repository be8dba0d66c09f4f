import Board
import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox

/// The main loop of the agent: one thread that sleeps until a descriptor is ready or a deadline has
/// come.
final class RunLoop {
  let driver: UplinkDriver
  /// Nil if no anchor watch is configured.
  var anchor: AnchorAlarm?
  /// Outputs that commands may switch.
  var outputs: [GPIOOutput] = []
  /// Whether the disk matters for readings.
  var durability = Durability.batch
  /// Nil if this board was paired.
  var otherBoardWords: MessageText?
  private let loop: EventLoop
  private let supervisor: Supervisor
  private let reports: SourceReports
  private let sensors: AgentSensors
  private let signals: Signals
  private let reporter: Reporter
  private let startedAt: Instant
  /// Time that the board had slept at the last check.
  private var asleep = timeAsleep
  private var statusServer: StatusServer?
  /// Directory in which status is served.
  private var state: StateDirectory?
  /// Count of starts, until this one has succeeded.
  private var starts: StartCount?
  /// Nil without a service manager that wants notices.
  private let service: ServiceReport?

  init(
    loop: EventLoop, supervisor: Supervisor, reports: SourceReports, sensors: AgentSensors,
    driver: UplinkDriver, signals: Signals, starts: StartCount?, service: ServiceReport?,
    reporter: Reporter, now: Instant
  ) {
    self.loop = loop
    self.supervisor = supervisor
    self.reports = reports
    self.sensors = sensors
    self.driver = driver
    self.signals = signals
    self.starts = starts
    self.service = service
    self.reporter = reporter
    startedAt = now
  }

  /// Serves `homeward status`.
  func serveStatus(in state: StateDirectory) {
    self.state = state
    statusServer = StatusServer(in: state, loop: loop, owner: self, reporter: reporter)
  }

  /// Works until the process is asked to stop or to reload its configuration. With an `end`, it
  /// works until then at the latest, and only while there is work.
  func run(until end: Instant?) throws(Errno) {
    while !signals.isStopRequested, !signals.hasReloadRequest {
      if let end, driver.uplink.isDone(by: end), !goesOn(until: end) { return }
      let deadline = deadline
      // Before an edge is recorded with the time of a clock that was set during the sleep.
      try loop.turn(until: earliest(deadline, end.map { limit(before: $0) })) { slept() }
      let moment = Moment.now
      if let end { makeOutputsSafe(before: end, at: moment) }
      // A deadline that this turn brought forward is for the next one, which does not sleep.
      if moment.instant >= deadline { deadlineReached(at: moment) }
      // A reading or the time may have changed the level.
      sensors.recordChangedLevel(at: moment)
      driver.sourcesReady(isGathering: supervisor.isGathering, now: moment.instant)
      if driver.takeCycle() { cycleBegan(now: moment.instant) }
      service?.loopTurned(driver.uplink.delivery, now: moment)
    }
  }

  private func deadlineReached(at moment: Moment) {
    supervisor.deadlineReached(at: moment)
    reports.deadlineReached(now: moment.instant)
    driver.deadlineReached(now: moment.instant)
  }

  /// Time before the end of a run in which Home Assistant gets the safe level of outputs.
  private static let outputMargin: Duration = .seconds(10)

  /// Whether a run continues whose readings have arrived: a source still measures, or an output is
  /// switched. If no attempt is possible, slow sources need not answer.
  private func goesOn(until end: Instant) -> Bool {
    guard Moment.now.instant < end else { return false }
    return supervisor.isGathering || isOutputSwitched
  }

  private var isOutputSwitched: Bool { outputs.contains { $0.isSwitched } }

  private func limit(before end: Instant) -> Instant {
    isOutputSwitched ? end + (.zero - Self.outputMargin) : end
  }

  private func makeOutputsSafe(before end: Instant, at moment: Moment) {
    guard moment.instant >= limit(before: end) else { return }
    for output in outputs where output.isSwitched { output.makeSafe(at: moment) }
  }

  /// Handles the start of a turn.
  private func slept() {
    let moment = Moment.now
    if loop.takeClockJump() {
      let asleep = timeAsleep
      let sleep = asleep - self.asleep
      self.asleep = asleep
      // The clocks are read one after the other.
      if sleep > .milliseconds(1) {
        supervisor.boardWoke(at: moment)
        driver.boardWoke(after: sleep, now: moment.instant)
      }
    }
    driver.clockRead(moment)
  }

  private var deadline: Instant {
    let sources = earliest(supervisor.deadline, reports.deadline)
    return earliest(earliest(sources, service?.deadline), driver.deadline) ?? driver.deadline
  }

  private func cycleBegan(now: Instant) {
    statusServer?.open()
    if let starts, now - startedAt >= StartCount.goodRun {
      starts.clear()
      self.starts = nil
    }
  }

  /// Stops the work: sources reset states that must not remain, undelivered entries go to the disk,
  /// and sending ends.
  func stop() {
    statusServer?.close()
    supervisor.stop(at: .now)
    driver.stopping()
  }

  /// Resumes the work after `stop`.
  func goOn() {
    driver.uplink.goingOn()
    supervisor.sample(at: .now)
    statusServer?.open()
  }

  /// Returns the time at which the board has to be on again.
  func nextWake(_ options: OnceOptions) -> NextWake {
    // The network may have set the clock since the last cycle.
    driver.clockRead(.now)
    driver.readClockState()
    return NextWake(of: driver.uplink, options)
  }
}

extension RunLoop: StatusServerOwner {
  func writeStatus(at now: Moment, into document: inout ByteBuffer) {
    let uplink = driver.uplink
    let registration = uplink.isRegistering ? nil : uplink.registration
    StatusReport(
      now: now, startedAt: startedAt, nextCycleAt: uplink.nextCycleAt,
      nextUploadAt: uplink.nextUploadAt, nextAttemptAt: uplink.nextAttemptAt,
      url: driver.settings.url, isSealed: registration.map { !$0.isPlain },
      registrationProblem: uplink.registrationProblem,
      diskFlaw: state.flatMap { DiskFlaw.flaw(of: $0.path, durability) },
      network: uplink.knowsHome ? .init(presence: uplink.presence, place: uplink.place) : nil,
      webSocket: driver.webSocket.map { .init(state: $0.state, since: $0.stateSince) },
      relay: uplink.pushStatus,
      statistics: uplink.importsStatistics
        ? .init(waitingHourCount: uplink.waitingHours.count, problem: uplink.statisticsProblem)
        : nil,
      counts: uplink.counts, traffic: .ofThisProcess, failing: reports.failing,
      advice: reporter.advice, lastFix: uplink.lastFix, firstFix: uplink.firstFix,
      track: uplink.track, anchor: anchor?.status, power: uplink.power,
      notifications: uplink.notifications, otherBoardWords: otherBoardWords
    ).write(uplink.delivery, into: &document)
  }
}
