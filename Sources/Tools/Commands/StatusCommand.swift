import Board
import Bytes
import CLinux
import LinuxIO

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
    waits, what each sensor says, and which sources fail. It asks nothing else; what
    keeps a board from reporting at all is said by homeward check.

    Usage:
      homeward status [--config FILE] [--json] [--watch]

    Options:
      --config FILE   The configuration of the agent (default:
                      /etc/homeward/homeward.yaml); - reads it from standard input.
      --json          Print what the agent told: one JSON object on a line.
      --watch         Ask again every 2 seconds, until Ctrl-C. It goes on while
                      the agent restarts.
      --help          Show this.

    Examples:
      sudo homeward status
      sudo homeward status --json | jq '.routes[] | select(.state == "taken")'
      sudo homeward status --json | jq .home_assistant.last_proof.seconds

    """
  }
}

/// `homeward status`
struct StatusCommand {
  static let interval: Duration = .seconds(2)
  /// To the top of the screen, and what stands there is gone.
  private static let newScreen: StaticString = "\u{1B}[H\u{1B}[J"

  private let file: [UInt8]
  private let isJSON: Bool
  private let isWatching: Bool

  init(_ arguments: inout Arguments) throws(UsageError) {
    var file = [UInt8](Configuration.defaultFile)
    var isJSON = false
    var isWatching = false
    while let argument = try arguments.next() {
      switch argument {
      case "--json": isJSON = true
      case "--watch": isWatching = true
      case "--config": file = try arguments.value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    self.file = file
    self.isJSON = isJSON
    self.isWatching = isWatching
  }

  func run() throws(CommandFailure) -> ExitCode {
    let configuration = try Configuration.read(from: file)
    let client = StatusClient(stateDirectory: Path(configuration.stateDirectory))
    if isWatching {
      try watch(client)
      return .success
    }
    let status = try client.run()
    writeToTerminal(text(of: status), STDOUT_FILENO)
    return status.code
  }

  private func text(of status: AgentStatus) -> [UInt8] {
    isJSON ? status.document : status.lines.forTerminal
  }

  /// An agent that does not run may be started meanwhile, so that is shown, and no end where it ran
  /// before.
  private func watch(_ client: StatusClient) throws(CommandFailure) {
    let loop = try EventLoop.forCommand()
    let signals: Signals
    do throws(Errno) { signals = try Signals(loop: loop) } catch {
      throw CommandFailure(code: .osError, text: "the kernel gives no signals: \(error)")
    }
    let isScreen = !isJSON && Terminal(STDOUT_FILENO) != nil
    var isWaitingAllowed = isScreen
    var toldFailure: [UInt8] = []
    var next = Moment.now.instant
    while !signals.isStopRequested {
      if Moment.now.instant >= next {
        next = next + Self.interval
        var shown = isScreen ? [UInt8](Self.newScreen) : []
        do throws(CommandFailure) {
          shown += text(of: try client.run())
          isWaitingAllowed = true
          toldFailure = []
        } catch  where error.code == .unavailable || error.code == .temporaryFailure {
          guard isWaitingAllowed else { throw error }
          if isScreen {
            shown += error.text.bytes + "\n".utf8
          } else if toldFailure != error.text.bytes {
            toldFailure = error.text.bytes
            Log().warning("\(error.text). It is asked again")
          }
        }
        guard shown.isEmpty || writeToTerminal(shown, STDOUT_FILENO) else { return }
      }
      try loop.wait(until: next)
    }
  }
}
