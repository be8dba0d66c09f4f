import Board
import Bytes
import CLinux
import LinuxIO

extension Command {
  static var status: Command {
    Command(
      name: "status", summary: "show the state of the running agent and its sensors",
      help: statusHelp, success: "all is well; with --watch: it was stopped",
      codes: [
        .dataError, .noInput, .unavailable, .inputOutput, .temporaryFailure, .noPermission,
        .configuration,
      ],
      options: [("--watch", nil), ("--every", "a time, such as 10s")]
    ) { (options: Options) throws(UsageError) in try StatusCommand(options).run }
  }

  private static var statusHelp: StaticString {
    """
    homeward status: asks the running agent for its state: whether Home Assistant
    accepts its data, which route the data takes and why not the others, what waits,
    the state of the disk, the value of each sensor, and which sources fail. If a
    board does not report at all, homeward check shows why.

    Usage:
      homeward status [--config FILE] [--json] [--watch [--every TIME]]

    Options:
      --config FILE   The configuration of the agent (default:
                      /etc/homeward/homeward.yaml); - reads it from standard input.
      --json          Print the agent's answer: one JSON object on a line.
      --watch         Ask repeatedly, until q or Ctrl-C, also while the agent
                      restarts. On a terminal it draws the battery, the Wi-Fi
                      signal, the waiting data and the track of the board since
                      --watch started; arrows, j, k and Page scroll. The graphs
                      use blocks and braille if the locale is UTF-8. NO_COLOR
                      turns colours off; with TERM=dumb, or into a pipe, it prints
                      the lines each time.
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
  private let options: Options
  private let every: Duration

  init(_ options: Options) throws(UsageError) {
    self.options = options
    let every = try options.duration("--every", in: .seconds(1) ... .seconds(3600), example: "2s")
    if every != nil, !options.has("--watch") { throw .mistake("--every works only with --watch") }
    self.every = every ?? .seconds(2)
  }

  func run() throws(CommandFailure) -> ExitCode {
    let configuration = try Configuration.read(from: options.file)
    let client = StatusClient(stateDirectory: Path(configuration.stateDirectory))
    if options.has("--watch") {
      let terminal = options.isJSON ? nil : Terminal(STDOUT_FILENO)
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
    options.isJSON
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
    let signals = try loop.signals()
    var isWaitingAllowed = isWaitingAllowed
    var toldFailure: [UInt8] = []
    var next = Moment.now.instant
    while !signals.isStopRequested {
      let now = Moment.now.instant
      if now >= next {
        next = now + every
        var shown: [UInt8] = []
        do throws(CommandFailure) {
          shown = text(of: try client.run())
          isWaitingAllowed = true
          toldFailure = []
        } catch  where error.code == .unavailable || error.code == .temporaryFailure {
          guard isWaitingAllowed else { throw error }
          if toldFailure != error.text.bytes {
            toldFailure = error.text.bytes
            Log().warning("\(error.text). Trying again")
          }
        }
        guard shown.isEmpty || writeToTerminal(shown, STDOUT_FILENO) else { return }
      }
      try loop.wait(until: next)
    }
  }
}
