import Board
import Bytes
import HomeAssistant

extension Command {
  static var unpair: Command {
    Command(
      name: "unpair", summary: "remove this board from Home Assistant",
      help: unpairHelp, success: "this board is no longer paired",
      codes: [.dataError, .noInput, .temporaryFailure, .noPermission, .configuration],
      options: [("--local", nil), ("--yes", nil)]
    ) { (options: Options) throws(UsageError) -> Task in
      return { () throws(CommandFailure) in
        try Unpairing(options).run()
        return .success
      }
    }
  }

  private static var unpairHelp: StaticString {
    """
    homeward unpair: removes this board and its entities from Home Assistant, ends
    its login there, and deletes the files of pair in the state directory.

    Two things stay there: readings that wait for Home Assistant (the folder spool),
    because no other copy exists, and the list of rejected tokens (rejected-token),
    because Home Assistant bans an address that sends one again.

    Usage:
      homeward unpair [--local] [--config FILE] [--yes] [--json]

    Only an administrator can delete a device in Home Assistant. With the login of
    another user, unpair does the rest and shows what you have to do by hand.

    Options:
      --local         Do not contact Home Assistant; for one that no longer exists.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --yes           Do not ask.
      --json          Write one JSON object to standard output about what was done.
      --help          Show this.

    Examples:
      sudo homeward unpair
      sudo homeward unpair --local --yes

    """
  }
}
