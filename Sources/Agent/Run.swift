public import Board
import Bytes
import CLinux
import Drivers
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// A run of the agent: reads the configuration, creates the parts, and works.
public struct Run {
  /// Time that a cycle waits for answers.
  private static let answerTimeout: Duration = .seconds(5)

  private let file: [UInt8]
  /// Nil for a run until the agent is stopped.
  private let once: OnceOptions?
  private let isJSON: Bool
  private let log: Log

  /// Creates a run with the configuration in `file`; with `once`, it reads and sends everything
  /// once. With `isJSON`, events are written to standard output. Messages below `level` are not
  /// logged.
  public init(_ file: [UInt8], once: OnceOptions?, isJSON: Bool, level: Log.Level) {
    self.file = file
    self.once = once
    self.isJSON = isJSON
    // With `once`, the output must be complete; otherwise no reader may delay the agent.
    log = Log(waits: once != nil, level: level)
  }

  public func perform() throws(CommandFailure) -> ExitCode {
    let input = ConfigurationInput(file)
    let held = HeldOutputs(telling: log)
    defer { held.release() }
    // Before everything else that can end the program.
    held.hold(input.outputs)
    let (loop, signals) = try makeLoop()
    let wait = SafeWait(loop: loop, signals: signals, held: held)
    let starts = isOnce ? nil : StartCount()
    let service = isOnce ? nil : ServiceReport(log: log, now: Moment.now.instant)
    guard try pause(starts, wait, service),
      let preparation = try preparation(input, wait, service)
    else {
      starts?.clear()
      return .success
    }
    return try work(preparation, wait, input, starts, service)
  }

  private func makeLoop() throws(CommandFailure) -> (EventLoop, Signals) {
    do throws(Errno) {
      let loop = try EventLoop()
      return (loop, try Signals(loop: loop, reloads: !isOnce))
    } catch { throw Self.refused(error) }
  }

  private static func refused(_ error: Errno) -> CommandFailure {
    CommandFailure(code: .osError, text: "the kernel refuses a needed resource: \(error)")
  }

  /// Waits if earlier runs ended too soon. Returns false if the agent is asked to stop meanwhile.
  private func pause(
    _ starts: StartCount?, _ wait: SafeWait, _ service: ServiceReport?
  ) throws(CommandFailure) -> Bool {
    guard let starts else { return true }
    do throws(Errno) {
      let pause = try starts.begin()
      if pause > .zero {
        log.warning("the last runs ended too soon; the agent starts in \(pause)")
        service?.waiting(pause)
        wait.held.tell()
        try wait.pass(pause)
      }
    } catch { log.warning("the agent cannot count its starts: \(error)") }
    // The configuration is read after this.
    _ = wait.signals.takeReloadRequest()
    return !wait.signals.isStopRequested
  }

  /// Returns the prerequisites of the work; nil if the agent is asked to stop meanwhile. An agent
  /// that worked before a reload does not end because of a wrong file: it waits until the file is
  /// correct.
  private func preparation(
    _ input: ConfigurationInput, _ wait: SafeWait, _ service: ServiceReport?
  ) throws(CommandFailure) -> Preparation? {
    var told: [UInt8] = []
    while true {
      let failure: CommandFailure
      do throws(CommandFailure) { return try Preparation(input, telling: log) } catch {
        failure = error
      }
      guard input.isHandedOn else { throw failure }
      if failure.text.bytes != told {
        log.error(
          "\(failure.text). The agent waits until this is fixed; its outputs stay in their"
            + " safe state")
      }
      told = failure.text.bytes
      service?.waiting(Preparation.retryInterval)
      do throws(Errno) { try wait.pass(Preparation.retryInterval) } catch {
        throw Self.refused(error)
      }
      guard !wait.signals.isStopRequested else { return nil }
      if wait.signals.takeReloadRequest() { input.readAgain() }
      // A text that cannot be read names no outputs: the held ones stay safe.
      let outputs = input.outputs
      if !outputs.isEmpty { wait.held.hold(outputs) }
    }
  }

  private func work(
    _ preparation: Preparation, _ wait: SafeWait, _ input: ConfigurationInput,
    _ starts: StartCount?, _ service: ServiceReport?
  ) throws(CommandFailure) -> ExitCode {
    let (state, signals) = (preparation.state, wait.signals)
    state.keepLastWords()
    let start = Moment.now.instant
    let reporter = Reporter(
      log: log, events: EventStream(isOn: isJSON, waits: isOnce),
      advice: SourceAdvice(preparation.configuration))
    do throws(Errno) {
      let runLoop = try runLoop(preparation, wait, starts, service, reporter, now: start)
      let end = once.map { start + $0.timeout }
      while try isReloadWanted(runLoop, until: end, signals) {
        service?.reloading(now: Moment.now.instant)
        guard let restart = Restart.judged(input, held: state, runLoop.driver, reporter, log: log),
          !signals.isStopRequested
        else { continue }
        runLoop.stop()
        _ = finish(runLoop, preparation.configuration, reporter)
        starts?.clear()
        // Returns only if the kernel does not start the program.
        let error = restart.perform()
        reporter.reloadRefused("the program cannot be started again: \(error)")
        runLoop.goOn()
      }
      if !isOnce { service?.stopping() }
      runLoop.stop()
      let code = finish(runLoop, preparation.configuration, reporter)
      starts?.clear()
      return code
    } catch { throw Self.refused(error) }
  }

  /// Works until the run is over. Returns whether the configuration has to be reloaded.
  private func isReloadWanted(
    _ runLoop: RunLoop, until end: Instant?, _ signals: Signals
  ) throws(Errno) -> Bool {
    do throws(Errno) { try runLoop.run(until: end) } catch {
      // Outputs are set safe even if the kernel rejects what the agent needs.
      runLoop.stop()
      throw error
    }
    return signals.takeReloadRequest() && !signals.isStopRequested
  }

  /// Creates the parts and starts them.
  private func runLoop(
    _ preparation: Preparation, _ wait: SafeWait, _ starts: StartCount?,
    _ service: ServiceReport?, _ reporter: Reporter, now: Instant
  ) throws(Errno) -> RunLoop {
    let (configuration, state, loop) = (preparation.configuration, preparation.state, wait.loop)
    let driver = try UplinkFactory(
      configuration: configuration, state: state, registration: preparation.registration,
      onceTimeout: once?.timeout, loop: loop, reporter: reporter
    ).driver(now: now)
    let reports = SourceReports(driver: driver, reporter: reporter)
    let supervisor = Supervisor(owner: reports)
    let context = configuration.sourceContext(
      loop: loop, sink: driver, supervisor: supervisor,
      // The time that the board is off afterwards does not matter to a source.
      cycle: once?.timeout ?? configuration.every,
      answerTimeout: once?.answerTimeout ?? Self.answerTimeout,
      now: now)
    let anchor = configuration.anchorAlarm(context, owner: reports)
    let outputs = configuration.switchedOutputs(context)
    wait.held.handOver(to: outputs)
    let sources = configuration.sources(context, anchor: anchor, switched: outputs)
    // The first source: changes after the others were read are then announced.
    if !isOnce, sources.contains(where: { !$0.deviceKinds.isEmpty }) {
      supervisor.add(DeviceEvents(loop: loop, supervisor: supervisor))
    }
    for source in sources { supervisor.add(source) }
    let sensors = AgentSensors(driver: driver, sink: driver)
    supervisor.add(sensors)
    if let words = state.readLastWords().map({ LastWords(file: $0) }) {
      reporter.crashed(words)
      sensors.crashed(words, in: state)
    }
    let runLoop = RunLoop(
      loop: loop, supervisor: supervisor, reports: reports, sensors: sensors, driver: driver,
      signals: wait.signals, starts: starts, service: service, reporter: reporter, now: now)
    runLoop.anchor = anchor
    runLoop.outputs = outputs
    runLoop.durability = configuration.durability
    runLoop.serveStatus(in: state)
    reporter.started(configuration, state)
    runLoop.otherBoardWords = preparation.otherBoardWords
    if let words = preparation.otherBoardWords { reporter.onOtherBoard(words) }
    driver.start(
      sampling: supervisor, commanding: CommandExecutor(outputs: outputs, anchor: anchor))
    // An outage ends sooner if the agent sees the link return.
    if configuration.homeAssistant.server.home != nil || !isOnce {
      reports.watchNetwork(on: loop, to: configuration.homeAssistant.networkGoal, now: now)
    }
    return runLoop
  }

  /// Reports the end of the run and prepares the next wake-up, if requested.
  private func finish(
    _ runLoop: RunLoop, _ configuration: Configuration, _ reporter: Reporter
  ) -> ExitCode {
    let driver = runLoop.driver
    guard let once else {
      let unkept = driver.uplink.unkeptEntryCount
      let left = driver.uplink.delivery.history.entryCount - unkept
      var counts = driver.uplink.counts
      counts.lost += unkept
      reporter.stopped(counts, undelivered: left) { _ in }
      reporter.sayStopped(counts, undelivered: left)
      return .success
    }
    let wake = runLoop.nextWake(once)
    let report = OnceReport(configuration, driver)
    reporter.stopped(report.counts, undelivered: report.leftCount) { line in
      wake.write(into: &line)
      line.appendMembers(of: driver.uplink.delivery.batch, lastFix: driver.uplink.lastFix)
    }
    if !isJSON {
      report.tell(
        driver.uplink.delivery.batch, driver.uplink.lastFix, log,
        on: once.printsNextWake ? STDERR_FILENO : STDOUT_FILENO)
      if once.printsNextWake { wake.print() }
    }
    return wake.code(after: report.code, log)
  }

  private var isOnce: Bool { once != nil }
}
