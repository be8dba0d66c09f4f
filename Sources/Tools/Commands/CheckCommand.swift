import Board
import Bytes
import CLinux
import HomeAssistant
import LinuxIO

extension Command {
  static var check: Command {
    Command(
      name: "check", summary: "find what keeps this board from reporting",
      help: checkHelp, success: "all is well; otherwise the exit code is that of the first problem",
      codes: [
        .dataError, .noInput, .unavailable, .osError, .inputOutput, .temporaryFailure,
        .protocolError, .noPermission, .configuration, .cannotCreate,
      ], options: [("--report", nil)], wordsMax: 1
    ) { (options: Options) throws(UsageError) -> Task in
      let name = options.words.first
      guard options.has("--report") || name == nil else { throw .unknown(name ?? []) }
      return { () throws(CommandFailure) in
        let path = Path(name ?? [UInt8](ReportFile.usualName))
        return try check(options, options.has("--report") ? ReportFile(at: path) : nil)
      }
    }
  }

  private static func check(
    _ options: Options, _ file: ReportFile?
  ) throws(CommandFailure) -> ExitCode {
    let begin = Moment.now.instant
    // No file is named for the configuration of the service.
    let checkup = try Checkup(configuration: options["--config"], isShown: !options.isJSON)
    let report = try checkup.run()
    if options.isJSON { writeToTerminal(report.json, STDOUT_FILENO) }
    if let file {
      try file.write(BugReport(of: checkup, for: Moment.now.instant - begin).text)
      Log().notice("The report is in \(file.path). Read it before you send it.")
    }
    return report.code
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
      homeward check [--config FILE] [--json] [--report [FILE]]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --report        Also write a report for the developers to FILE (default:
                      homeward-report.txt): the findings, the system, every source
                      and the configuration, without names, addresses, positions
                      and secrets. Read it before you send it. An earlier report
                      is replaced, no other file.
      --json          Write one JSON object to standard output instead of lines.
      --help          Show this.

    Examples:
      sudo homeward check
      sudo homeward check --report
      sudo homeward check --json | jq '.findings[] | select(.is_well | not)'

    """
  }
}
