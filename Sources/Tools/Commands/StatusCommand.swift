import Board
import Bytes
import CLinux
import LinuxIO
import YAML

extension Command {
  static var status: Command {
    Command(
      name: "status", summary: "say how the running agent is, and what it reads",
      help: statusHelp, success: "all is well; with --watch: it was ended",
      codes: [
        .dataError, .noInput, .unavailable, .inputOutput, .temporaryFailure, .noPermission,
        .configuration,
      ]
    ) { (arguments: inout Arguments) throws(UsageError) in try StatusCommand(&arguments).run }
  }

  private static var statusHelp: StaticString {
    """
    homeward status: asks the agent that runs on this board how it is: whether Home
    Assistant takes its data, over which way and why not over the others, what
    waits, how the disk is, what each sensor says, and which sources fail. What
    keeps a board from reporting at all is said by homeward check.

    Usage:
      homeward status [--config FILE] [--json] [--watch [--every TIME]]

    Options:
      --config FILE   The configuration of the agent (default:
                      /etc/homeward/homeward.yaml); - reads it from standard input.
      --json          Print what the agent told: one JSON object on a line.
      --watch         Ask again and again, until q or Ctrl-C. It goes on while the
                      agent restarts. On a terminal it draws the battery, the
                      Wi-Fi signal, what waits and the way of the board since it
                      began; arrows, j, k and Page scroll. The graphs are blocks
                      and braille where the locale is UTF-8. NO_COLOR leaves
                      colours out; with TERM=dumb, or into a pipe, the lines
                      come again each time.
      --every TIME    With --watch: the time between two questions, 1s to 1h
                      (default: 2s).
      --help          Show this.

    Examples:
      sudo homeward status
      sudo homeward status --watch --every 10s
      sudo homeward status --json | jq '.routes[] | select(.state == "taken")'
      sudo homeward status --json | jq .home_assistant.last_proof.seconds

    """
  }
}

struct StatusCommand {
  private let file: [UInt8]
  private let isJSON: Bool
  private let isWatching: Bool
  private let every: Duration

  init(_ arguments: inout Arguments) throws(UsageError) {
    var file = [UInt8](Configuration.defaultFile)
    var isJSON = false
    var isWatching = false
    var every: Duration?
    while let argument = try arguments.next() {
      switch argument {
      case "--json": isJSON = true
      case "--watch": isWatching = true
      case "--every": every = try Self.interval(arguments.value(of: argument, "a time"))
      case "--config": file = try arguments.value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    self.file = file
    self.isJSON = isJSON
    self.isWatching = isWatching
    if every != nil, !isWatching { throw .mistake("--every goes with --watch only") }
    self.every = every ?? .seconds(2)
  }

  private static func interval(_ text: [UInt8]) throws(UsageError) -> Duration {
    do throws(Refusal) {
      return try Duration(text, in: Duration.seconds(1)...Duration.seconds(3600), example: "2s")
    } catch {
      throw .mistake("--every: \(error.problem); \(error.remedy)")
    }
  }

  func run() throws(CommandFailure) -> ExitCode {
    let configuration = try Configuration.read(from: file)
    let client = StatusClient(stateDirectory: Path(configuration.stateDirectory))
    if isWatching {
      let terminal = isJSON ? nil : Terminal(STDOUT_FILENO)
      if let terminal, let look = ScreenLook(environmentVariable) {
        try StatusWatch(client, terminal, look, every: every).run()
      } else {
        try repeatLines(client, isWaitingAllowed: terminal != nil)
      }
      return .success
    }
    let status = try client.run()
    writeToTerminal(text(of: status), STDOUT_FILENO)
    return status.code
  }

  private func text(of status: AgentStatus) -> [UInt8] {
    isJSON
      ? status.document
      : status.lines.wrappedForOutput.withVerdictsColored(on: STDOUT_FILENO)
  }

  /// Prints the status repeatedly. An agent that does not answer may be started meanwhile: the
  /// failure is reported, and ends the command only if it may not wait and the agent has not
  /// answered before.
  private func repeatLines(
    _ client: StatusClient, isWaitingAllowed: Bool
  ) throws(CommandFailure) {
    let loop = try EventLoop.forCommand()
    let signals: Signals
    do throws(Errno) { signals = try Signals(loop: loop) } catch {
      throw CommandFailure(code: .osError, text: "the kernel gives no signals: \(error)")
    }
    var isWaitingAllowed = isWaitingAllowed
    var toldFailure: [UInt8] = []
    var timer = PeriodicTimer(every: every, now: Moment.now.instant)
    while !signals.isStopRequested {
      if timer.takeDue(now: Moment.now.instant) {
        var shown: [UInt8] = []
        do throws(CommandFailure) {
          shown = text(of: try client.run())
          isWaitingAllowed = true
          toldFailure = []
        } catch  where error.code == .unavailable || error.code == .temporaryFailure {
          guard isWaitingAllowed else { throw error }
          if toldFailure != error.text.bytes {
            toldFailure = error.text.bytes
            Log().warning("\(error.text). It is asked again")
          }
        }
        guard shown.isEmpty || writeToTerminal(shown, STDOUT_FILENO) else { return }
      }
      try loop.wait(until: timer.deadline)
    }
  }
}
