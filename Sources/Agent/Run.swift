public import Board
import Bytes
import CLinux
import Drivers
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// One run of the agent: reads the configuration, puts the parts together, and works.
public struct Run {
  /// How long a cycle waits for what it asked for.
  private static let answerTimeout: Duration = .seconds(5)

  private let file: [UInt8]
  /// Nil where it runs until it is stopped.
  private let once: OnceOptions?
  private let isJSON: Bool
  private let log: Log

  /// By the configuration in `file`, and where it is `once`, with everything read and brought once.
  /// Events are written to standard output where it `isJSON`; what is less serious
  /// than `level` is not logged.
  public init(_ file: [UInt8], once: OnceOptions?, isJSON: Bool, level: Log.Level) {
    self.file = file
    self.once = once
    self.isJSON = isJSON
    // Once, all that was read is wanted; an agent at its work is held up by no reader.
    log = Log(waits: once != nil, level: level)
  }

  /// What a configuration needs before the agent can work by it.
  private struct Preparation {
    let configuration: Configuration
    let state: StateDirectory
    let registration: Registration?

    /// `held` is the directory that this agent has already, if any.
    init(
      _ file: [UInt8], held: StateDirectory? = nil, telling log: Log
    ) throws(CommandFailure) {
      configuration = try Configuration.read(from: file).findingLines { log.warning($0) }
      if let held, held.path.bytes == configuration.stateDirectory {
        state = held
      } else {
        state = try StateDirectory.open(configuration.stateDirectory)
      }
      registration = try state.keptRegistration()
      if registration?.isPlain == true, !configuration.homeAssistant.isPlainAllowed {
        throw state.registrationIsPlain
      }
    }
  }

  public func perform() throws(CommandFailure) -> ExitCode {
    do throws(CommandFailure) { return try begin() } catch {
      guard once?.clock != nil else { throw error }
      // Whatever it is: who would switch the board off now, would not see it again.
      throw CommandFailure(
        code: .systemFile, text: "\(error.text). No alarm is set: leave the board on")
    }
  }

  private func begin() throws(CommandFailure) -> ExitCode {
    let (loop, signals) = try waitingForSignals()
    let starts = isOnce ? nil : StartCount()
    let service = isOnce ? nil : ServiceReport(log: log, now: Moment.now.instant)
    guard try pause(starts, loop, signals, service) else { return .success }
    return try work(try Preparation(file, telling: log), loop, signals, starts, service)
  }

  private func waitingForSignals() throws(CommandFailure) -> (EventLoop, Signals) {
    do throws(Errno) {
      let loop = try EventLoop()
      return (loop, try Signals(loop: loop, reloads: !isOnce))
    } catch { throw Self.refused(error) }
  }

  private static func refused(_ error: Errno) -> CommandFailure {
    CommandFailure(code: .osError, text: "the kernel refuses what the agent needs: \(error)")
  }

  /// Waits, where earlier runs ended too soon. Returns false where the agent is asked to stop
  /// meanwhile.
  private func pause(
    _ starts: StartCount?, _ loop: EventLoop, _ signals: Signals, _ service: ServiceReport?
  ) throws(CommandFailure) -> Bool {
    guard let starts else { return true }
    do throws(Errno) {
      let pause = try starts.begin()
      let end = Moment.now.instant + pause
      if pause > .zero {
        log.warning("the last runs ended too soon: this one waits \(pause) first")
        service?.waiting(pause)
        let held = HeldOutputs(of: file, telling: log)
        defer { held.release() }
        while Moment.now.instant < end, !signals.isStopRequested { try loop.turn(until: end) }
      }
    } catch { log.warning("how often the agent starts cannot be counted: \(error)") }
    // The configuration is about to be read.
    _ = signals.takeReloadRequest()
    if signals.isStopRequested { starts.clear() }
    return !signals.isStopRequested
  }

  private func work(
    _ preparation: Preparation, _ loop: EventLoop, _ signals: Signals, _ starts: StartCount?,
    _ service: ServiceReport?
  ) throws(CommandFailure) -> ExitCode {
    let state = preparation.state
    state.keepLastWords()
    let start = Moment.now.instant
    let reporter = Reporter(
      log: log, events: EventStream(isOn: isJSON, waits: isOnce),
      advice: SourceAdvice(preparation.configuration))
    do throws(Errno) {
      let runLoop = try runLoop(preparation, loop, signals, starts, service, reporter, now: start)
      let driver = runLoop.driver
      let end = once.map { start + $0.timeout }
      do throws(Errno) {
        repeat {
          try runLoop.run(until: end)
        } while signals.takeReloadRequest() && !isReloadGood(state, driver, reporter, service)
      } catch {
        // Outputs are safe also where the kernel does not let the agent go on.
        runLoop.stop()
        runLoop.follower.stop()
        throw error
      }
      let isReloading = !isOnce && !signals.isStopRequested
      if !isReloading { service?.stopping() }
      runLoop.stop()
      let code = try finish(runLoop, preparation.configuration, reporter)
      starts?.clear()
      if isReloading { throw state.startAnew() }
      return code
    } catch { throw Self.refused(error) }
  }

  /// Puts the parts together, and starts them.
  private func runLoop(
    _ preparation: Preparation, _ loop: EventLoop, _ signals: Signals, _ starts: StartCount?,
    _ service: ServiceReport?, _ reporter: Reporter, now: Instant
  ) throws(Errno) -> RunLoop {
    let configuration = preparation.configuration
    let state = preparation.state
    let driver = try UplinkFactory(
      configuration: configuration, state: state, registration: preparation.registration,
      onceTimeout: once?.timeout, loop: loop, reporter: reporter
    ).driver(now: now)
    let output = SourceOutput(driver: driver, reporter: reporter)
    let supervisor = Supervisor(owner: output)
    let context = configuration.sourceContext(
      loop: loop, sink: output, supervisor: supervisor,
      // How long the board is off afterwards is nothing to a source.
      cycle: once?.timeout ?? configuration.every,
      answerTimeout: once?.answerTimeout ?? Self.answerTimeout,
      now: now)
    let anchor = configuration.anchorAlarm(context, owner: output)
    let outputs = configuration.switchedOutputs(context)
    let sources = configuration.sources(context, anchor: anchor, switched: outputs)
    // Asked first: what changes after the others were read is announced.
    if !isOnce, sources.contains(where: { !$0.deviceKinds.isEmpty }) {
      supervisor.add(DeviceEvents(loop: loop, supervisor: supervisor))
    }
    for source in sources { supervisor.add(source) }
    let power = PowerPolicySource(driver: driver, sink: output)
    supervisor.add(power)
    supervisor.add(LostReadings(driver: driver, sink: output))
    if let words = state.readLastWords().map({ LastWords(file: $0) }) {
      reporter.crashed(words)
      supervisor.add(LastCrash(words, state: state, driver: driver, sink: output))
    }
    let runLoop = RunLoop(
      loop: loop, supervisor: supervisor, output: output, power: power, driver: driver,
      follower: UploadFollower(configuration.afterUpload, loop: loop, reporter: reporter),
      signals: signals, starts: starts, service: service, reporter: reporter, now: now)
    runLoop.anchor = anchor
    runLoop.serveStatus(in: state)
    reporter.started(configuration, state)
    driver.start(
      sampling: supervisor, commanding: CommandExecutor(outputs: outputs, anchor: anchor))
    // An outage ends sooner where it is known when the link is back.
    if configuration.homeAssistant.homeNetwork != nil || !isOnce {
      output.watchNetwork(on: loop, now: now)
    }
    return runLoop
  }

  /// What follows the work: says how the run ended, and where it is to, sees to the next one.
  private func finish(
    _ runLoop: RunLoop, _ configuration: Configuration, _ reporter: Reporter
  ) throws(Errno) -> ExitCode {
    defer { runLoop.follower.stop() }
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
    // Before the program, which may cut the power: without its alarm the board would stay off.
    let wake = runLoop.nextWake(once)
    if driver.uplink.outcome == .proven { try runLoop.runProgram(nextWake: wake.told) }
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

  /// Whether the agent can start anew with the configuration as it is now. Where it cannot, the
  /// reason is told, and the agent goes on as it is.
  private func isReloadGood(
    _ state: StateDirectory, _ driver: UplinkDriver, _ reporter: Reporter,
    _ service: ServiceReport?
  ) -> Bool {
    service?.reloading(now: Moment.now.instant)
    do throws(CommandFailure) {
      _ = try Preparation(file, held: state, telling: log)
    } catch {
      reporter.reloadRefused(error.text)
      return false
    }
    driver.keepEverything()
    guard driver.uplink.hasKeptRegistration else {
      reporter.reloadRefused("the registration cannot be kept on the disk yet, and would be lost")
      return false
    }
    let unkept = driver.uplink.unkeptEntryCount
    guard unkept == 0 else {
      reporter.reloadRefused(
        "\(entries: unkept) cannot be kept on the disk yet, and would be lost; make room there, or"
          + " restart the agent to go on without them")
      return false
    }
    reporter.reloading()
    return true
  }

  private var isOnce: Bool { once != nil }
}
