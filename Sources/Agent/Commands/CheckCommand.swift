import Bytes
import CLinux
import HomeAssistant

extension Command {
  static var check: Command {
    Command(name: "check", summary: "say what keeps this board from reporting", help: checkHelp) {
      (arguments: inout Arguments) throws(UsageError) in
      try CheckCommand(&arguments).run()
    }
  }

  private static var checkHelp: StaticString {
    """
    homeward check: looks at the configuration, the registration, the server, the encryption and
    the login, and says what is wrong with them, who has to do something, and what.

    It may run beside the agent, and reports no reading. Home Assistant answers "200 OK" to messages
    that it cannot open: check asks it something that only the holder of our key can answer.

    Usage:
      homeward check [--config FILE] [--json]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml).
      --json          Write one JSON object to standard output instead of lines.
      --help          Show this.

    Examples:
      homeward check
      homeward check --json | jq '.findings[] | select(.is_well | not)'

    Exit codes (sysexits), that of the first problem:
      0   all is well
      64  the command line is wrong
      65  the kept registration or login is damaged
      66  the configuration or the state directory cannot be read
      69  Home Assistant does not know this board, or not any more
      75  Home Assistant cannot be reached, or is not ready; try again
      76  Home Assistant cannot open what this board sends; it has to be paired again
      77  Home Assistant refuses this address, or does not accept the login any more
      78  the configuration is wrong

    """
  }
}

/// `homeward check`
struct CheckCommand {
  private let file: [UInt8]
  private let isJSON: Bool

  init(_ arguments: inout Arguments) throws(UsageError) {
    var file = [UInt8](Configuration.defaultFile)
    var isJSON = false
    while let argument = try arguments.next() {
      switch argument {
      case "--json": isJSON = true
      case "--config": file = try arguments.value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    self.file = file
    self.isJSON = isJSON
  }

  func run() -> ExitCode {
    do throws(CommandFailure) {
      guard prepareSodium() else {
        throw CommandFailure(code: .osError, text: "this machine has no source of random numbers")
      }
      let report = try Checkup(configuration: file).run()
      writeToTerminal(isJSON ? report.json : report.lines, STDOUT_FILENO)
      return report.code
    } catch {
      Log().error(error.text)
      return error.code
    }
  }
}
