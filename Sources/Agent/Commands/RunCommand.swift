import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

extension Command {
  static var run: Command {
    Command(name: "run", summary: "report the sensors, until it is stopped", help: runHelp) {
      (arguments: inout Arguments) throws(UsageError) in
      try RunCommand(&arguments).run()
    }
  }

  private static var runHelp: StaticString {
    """
    homeward run: reports the sensors of this board to Home Assistant, until it is stopped.

    Usage:
      homeward run [--config FILE] [--once] [--json]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml).
      --once          Do one cycle: wait for a fix, send everything, prove it, and end.
      --json          Write one JSON object per line to standard output for what happens. With
                      --once the last one holds every value that was read, the position included.
      --help          Show this.

    SIGHUP makes the agent read its configuration again (as a service: systemctl
    reload homeward). A wrong one is refused, and the agent goes on as it is. Where
    the agent was started at a terminal, SIGHUP means that the terminal was closed,
    and stops it, as SIGTERM does.

    Examples:
      homeward run --config boat.yaml
      homeward run --config boat.yaml --once --json | jq .sensors

    Exit codes (sysexits):
      0   the agent was asked to stop; with --once: Home Assistant has everything
      64  the command line is wrong
      65  the kept registration is damaged
      66  the configuration cannot be read
      75  with --once: Home Assistant could not be reached, or did not prove that it took the data
      77  with --once: Home Assistant does not accept the token
      78  the configuration is wrong; every mistake is listed with its line

    """
  }
}

/// `homeward run`: reads the configuration, puts the parts together, and works.
struct RunCommand {
  /// How long `--once` waits for a fix, and for Home Assistant.
  static let onceFixTimeout: Duration = .seconds(30)
  static let onceTimeout: Duration = .seconds(90)
  /// How long a cycle waits for a fix that it asked for.
  static let fixTimeout: Duration = .seconds(5)

  private let file: [UInt8]
  private let isOnce: Bool
  private let events: EventStream
  private let log: Log

  init(_ arguments: inout Arguments) throws(UsageError) {
    var file = [UInt8](Configuration.defaultFile)
    var isOnce = false
    var isJSON = false
    while let argument = try arguments.next() {
      switch argument {
      case "--once": isOnce = true
      case "--json": isJSON = true
      case "--config": file = try arguments.value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    self.file = file
    self.isOnce = isOnce
    // Once, all that was read is wanted; an agent at its work is held up by no reader.
    events = EventStream(isOn: isJSON, waits: isOnce)
    log = Log(waits: isOnce)
  }

  /// What a configuration needs before the agent can work by it.
  private struct Preparation {
    let configuration: Configuration
    let state: StateDirectory
    let registration: Registration?

    /// `held` is the directory that this agent has already, if any.
    init(_ file: [UInt8], held: StateDirectory? = nil) throws(CommandFailure) {
      configuration = try Configuration.read(from: file)
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

  func run() -> ExitCode {
    do throws(CommandFailure) {
      let (loop, signals) = try waitingForSignals()
      let starts = isOnce ? nil : StartCount()
      guard try pause(starts, loop, signals) else { return .success }
      let preparation = try Preparation(file)
      guard prepareSodium() else {
        throw CommandFailure(code: .osError, text: "this machine has no source of random numbers")
      }
      return try work(preparation, loop, signals, starts)
    } catch {
      log.error(error.text)
      return error.code
    }
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

  /// Waits, where earlier runs ended too soon. Returns false where the agent is asked to stop meanwhile.
  private func pause(
    _ starts: StartCount?, _ loop: EventLoop, _ signals: Signals
  ) throws(CommandFailure) -> Bool {
    guard let starts else { return true }
    do throws(Errno) {
      let pause = try starts.begin()
      let end = Moment.now.instant + pause
      if pause > .zero {
        log.warning("the last runs ended too soon: this one waits \(pause) first")
      }
      while Moment.now.instant < end, !signals.isStopRequested { try loop.turn(until: end) }
    } catch { log.warning("how often the agent starts cannot be counted: \(error)") }
    // The configuration is about to be read.
    _ = signals.takeReloadRequest()
    if signals.isStopRequested { starts.clear() }
    return !signals.isStopRequested
  }

  private func work(
    _ preparation: Preparation, _ loop: EventLoop, _ signals: Signals, _ starts: StartCount?
  ) throws(CommandFailure) -> ExitCode {
    let configuration = preparation.configuration
    let state = preparation.state
    let start = Moment.now.instant
    let reporter = Reporter(log: log, events: events)
    do throws(Errno) {
      let courier = try Delivering(
        configuration: configuration, state: state, registration: preparation.registration,
        loop: loop, reporter: reporter
      ).courier(now: start)
      let supervisor = Supervisor(courier: courier, reporter: reporter)
      Wiring(
        configuration: configuration, loop: loop,
        fixTimeout: isOnce ? Self.onceFixTimeout : Self.fixTimeout
      ).connect(to: supervisor, now: start)
      supervisor.add(LostReadings(courier: courier, sink: supervisor))
      let runLoop = RunLoop(
        loop: loop, supervisor: supervisor, courier: courier, every: configuration.every,
        signals: signals, now: start)
      runLoop.desk = statusDesk(in: state, loop, runLoop, reporter)
      runLoop.starts = starts
      reporter.started(configuration)
      repeat {
        try runLoop.run(until: { isOnce && isDone(reporter, start: start) })
      } while signals.takeReloadRequest() && !isReloadGood(state, courier, reporter)
      let isReloading = !isOnce && !signals.isStopRequested
      runLoop.desk?.close()
      courier.stopping()
      reporter.stopped(undelivered: courier.delivery.history.entryCount) { line in
        if isOnce { line.appendMembers(of: courier.delivery.batch, lastFix: courier.lastFix) }
      }
      starts?.clear()
      if isReloading { throw state.startAnew() }
      return isOnce ? reporter.outcome ?? .temporaryFailure : .success
    } catch { throw Self.refused(error) }
  }

  /// Whether the agent can start anew with the configuration as it is now. Where it cannot, the reason
  /// is told, and the agent goes on as it is.
  private func isReloadGood(
    _ state: StateDirectory, _ courier: Courier, _ reporter: Reporter
  ) -> Bool {
    do throws(CommandFailure) {
      _ = try Preparation(file, held: state)
    } catch {
      reporter.reloadRefused(error.text)
      return false
    }
    guard courier.hasKeptEverything() else {
      reporter.reloadRefused("the registration cannot be kept on the disk yet, and would be lost")
      return false
    }
    reporter.reloading()
    return true
  }

  /// The agent works without one, too.
  private func statusDesk(
    in state: StateDirectory, _ loop: EventLoop, _ keeper: RunLoop, _ reporter: Reporter
  ) -> StatusDesk? {
    do throws(Errno) {
      return try StatusDesk(in: state, loop: loop, keeper: keeper, reporter: reporter)
    } catch {
      reporter.statusFailed(error)
      return nil
    }
  }

  private func isDone(_ reporter: Reporter, start: Instant) -> Bool {
    reporter.outcome != nil || Moment.now.instant - start > Self.onceTimeout
  }
}
