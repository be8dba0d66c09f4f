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
  private let log = Log()

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
    events = EventStream(isOn: isJSON)
  }

  func run() -> ExitCode {
    do throws(CommandFailure) {
      let configuration = try Configuration.read(from: file)
      let state = try StateDirectory.open(configuration.stateDirectory)
      let registration = try state.keptRegistration()
      if registration?.isPlain == true, !configuration.homeAssistant.isPlainAllowed {
        throw state.registrationIsPlain
      }
      guard prepareSodium() else {
        throw CommandFailure(code: .osError, text: "this machine has no source of random numbers")
      }
      return try work(configuration, state, registration)
    } catch {
      log.error(error.text)
      return error.code
    }
  }

  private func work(
    _ configuration: Configuration, _ state: StateDirectory, _ registration: Registration?
  ) throws(CommandFailure) -> ExitCode {
    let start = Moment.now.instant
    let reporter = Reporter(log: log, events: events)
    do throws(Errno) {
      let loop = try EventLoop()
      let signals = try Signals(loop: loop)
      let courier = try Delivering(
        configuration: configuration, state: state, registration: registration, loop: loop,
        reporter: reporter
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
      let desk = statusDesk(in: state, loop, runLoop, reporter)
      reporter.started(configuration)
      try runLoop.run(until: { isOnce && isDone(reporter, start: start) })
      desk?.close()
      courier.stopping()
      reporter.stopped(undelivered: courier.delivery.history.entryCount) { line in
        if isOnce { line.appendMembers(of: courier.delivery.batch, lastFix: courier.lastFix) }
      }
      return isOnce ? reporter.outcome ?? .temporaryFailure : .success
    } catch {
      throw CommandFailure(
        code: .osError, text: "the kernel refuses what the agent needs: \(error)")
    }
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
