import Board
import Bytes
import CLinux
import HomeAssistant

extension Command {
  static var check: Command {
    Command(
      name: "check", summary: "find what keeps this board from reporting",
      help: checkHelp, success: "all is well; otherwise the exit code is that of the first problem",
      codes: [
        .dataError, .noInput, .unavailable, .osError, .inputOutput, .temporaryFailure,
        .protocolError, .noPermission, .configuration,
      ]
    ) { (options: Options) throws(UsageError) -> Task in
      return { () throws(CommandFailure) in
        // No file is named for the configuration of the service.
        let report = try Checkup(configuration: options["--config"], isShown: !options.isJSON).run()
        if options.isJSON { writeToTerminal(report.json, STDOUT_FILENO) }
        return report.code
      }
    }
  }

  private static var checkHelp: StaticString {
    """
    homeward check: tests everything that reporting needs, and shows what is wrong,
    who has to act, and how to fix it: the configuration, the clock, disk and power
    supply of the board, Home Assistant, and every source. Without --config it also
    tests the service: whether it runs, and whether its user can read its files.

    It can run beside the agent, and sends no reading. It reads each source once, as
    the agent does; it waits up to 30 s for a fix. Home Assistant answers "200 OK"
    to messages that it cannot open: check asks a question that only a server with
    this board's key can answer.

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
