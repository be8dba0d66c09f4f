import Board
import Bytes
import CLinux
import HomeAssistant

extension Command {
  static var check: Command {
    Command(
      name: "check", summary: "say what keeps this board from reporting",
      help: checkHelp, success: "all is well; else that of the first problem",
      codes: [
        .dataError, .noInput, .unavailable, .osError, .inputOutput, .temporaryFailure,
        .protocolError, .noPermission, .configuration,
      ]
    ) { (arguments: inout Arguments) throws(UsageError) in try CheckCommand(&arguments).run }
  }

  private static var checkHelp: StaticString {
    """
    homeward check: looks at all that reporting needs, and says what is wrong with
    it, who has to do something, and what: the configuration, the clock, disk and
    supply of the board, Home Assistant, and every source. Without --config also the
    service: whether it runs, and whether its user may read what it has to.

    It may run beside the agent, and reports no reading. It reads each source once,
    as the agent does; for a fix it waits up to 30 s. Home Assistant answers
    "200 OK" to messages that it cannot open: check asks it something that only the
    holder of our key can answer.

    Usage:
      homeward check [--config FILE] [--json]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --json          Write one JSON object to standard output instead of lines.
      --help          Show this.

    Examples:
      sudo homeward check
      sudo homeward check --json | jq '.findings[] | select(.is_well | not)'

    """
  }
}

struct CheckCommand {
  /// Nil for the configuration of the service.
  private let file: [UInt8]?
  private let isJSON: Bool

  init(_ arguments: inout Arguments) throws(UsageError) {
    (file, isJSON) = try arguments.fileAndForm()
  }

  func run() throws(CommandFailure) -> ExitCode {
    let report = try Checkup(configuration: file, isShown: !isJSON).run()
    if isJSON { writeToTerminal(report.json, STDOUT_FILENO) }
    return report.code
  }
}
