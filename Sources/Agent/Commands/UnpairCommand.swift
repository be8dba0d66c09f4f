import Bytes
import HomeAssistant

extension Command {
  static var unpair: Command {
    Command(
      name: "unpair", summary: "take this board out of Home Assistant again", help: unpairHelp
    ) { (arguments: inout Arguments) throws(UsageError) in
      try UnpairCommand(&arguments).run()
    }
  }

  private static var unpairHelp: StaticString {
    """
    homeward unpair: takes this board out of Home Assistant, with its entities; ends its login
    there; and removes what pair kept in the state directory.

    Usage:
      homeward unpair [--local] [--config FILE] [--yes] [--json]

    Only an administrator may delete a device of Home Assistant. For the login of another user,
    unpair does the rest and says what is left to do by hand.

    Options:
      --local         Do not talk to Home Assistant: for one that is gone.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml).
      --yes           Do not ask.
      --json          Write one JSON object to standard output for what was done.
      --help          Show this.

    Examples:
      homeward unpair
      homeward unpair --local --yes

    Exit codes (sysexits):
      0   this board is not paired any more
      64  the command line is wrong, or nobody said yes
      65  a file that pairing kept is damaged
      66  the state directory cannot be used, or a question was not answered
      75  Home Assistant cannot be reached; nothing is done
      78  the configuration is wrong; every mistake is listed with its line

    """
  }
}

/// `homeward unpair`
struct UnpairCommand {
  private let options: UnpairingOptions
  private let isJSON: Bool

  init(_ arguments: inout Arguments) throws(UsageError) {
    var options = UnpairingOptions()
    var isJSON = false
    while let argument = try arguments.next() {
      switch argument {
      case "--local": options.isLocal = true
      case "--yes": options.isYes = true
      case "--json": isJSON = true
      case "--config":
        options.configuration = try arguments.value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    self.options = options
    self.isJSON = isJSON
  }

  func run() -> ExitCode {
    do throws(CommandFailure) {
      guard prepareSodium() else {
        throw CommandFailure(code: .osError, text: "this machine has no source of random numbers")
      }
      let summary = try Unpairing(options).run()
      if isJSON { summary.print() }
      return .success
    } catch {
      Log().error(error.text)
      return error.code
    }
  }
}
