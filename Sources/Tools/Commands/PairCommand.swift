import Board
import Bytes
import HomeAssistant

extension Command {
  static var pair: Command {
    Command(
      name: "pair", summary: "make this board a device of Home Assistant",
      help: pairHelp, success: "this board is paired",
      codes: [
        .dataError, .noInput, .cannotCreate, .temporaryFailure, .protocolError,
        .noPermission, .configuration,
      ],
      options: [
        ("--token", nil), ("--token-file", "the name of a file"),
        ("--state-directory", "the name of a directory"), ("--ca-file", "the name of a file"),
        ("--relay", "an address"), ("--login", nil), ("--name", "a name"), ("--same-device", nil),
        ("--yes", nil),
      ],
      wordsMax: 1
    ) { (options: Options) throws(UsageError) -> Task in
      let options = try PairingOptions(options)
      return { () throws(CommandFailure) in try pair(options) }
    }
  }

  private static func pair(_ options: PairingOptions) throws(CommandFailure) -> ExitCode {
    if options.keepsDevice {
      try Pairing(options).keepDevice()
      return .success
    }
    if let relay = options.relay {
      try RelayPairing(options).run(with: relay)
      return .success
    }
    let summary = try Pairing(options).run()
    // The state directory is unlocked again.
    if !options.isConfigurationNamed, summary.offer != .toBeChanged, Service.canStart {
      Log().notice(Service.start())
    }
    Log().notice(summary.place)
    if options.isJSON { summary.print() }
    return .success
  }

  private static var pairHelp: StaticString {
    """
    homeward pair: makes this board a device of Home Assistant, and stores its
    registration and its login in the state directory.

    Usage:
      homeward pair [URL] [--name NAME] [--login] [--token | --token-file FILE]
                    [--ca-file FILE] [--config FILE] [--state-directory DIR]
                    [--yes] [--json]
      homeward pair --relay URL [--token-file FILE] [--ca-file FILE]
                    [--config FILE]
      homeward pair --same-device [--config FILE]

    URL is the address of Home Assistant. Without it, pair uses the address in the
    configuration, or else searches the local network. Then it asks for user name
    and password, and for a code if the user has a second factor. It does not store
    the password.

    Home Assistant assigns the board to that user's person, whose location then
    follows the board. It is better to log in with a user for the board only (in
    Home Assistant: Settings, People, Add person, "Allow login"), or to remove the
    board from the person when pair asks.

    If there is no configuration, pair asks for the name of the board and creates
    one, with examples of what this board has, and with the sensors that you choose
    (see homeward sensors). An existing file is not changed.

    Options:
      --name NAME         Name of the board in Home Assistant (default: the name in
                          the configuration, or the host's name).
      --login             Make a new login for a paired board whose login expired or
                          was revoked: its device and entities stay.
      --token             Ask for a long-lived access token instead (in Home
                          Assistant: your profile, Security).
      --token-file FILE   Read that token from a file; - is standard input.
      --ca-file FILE      PEM certificates of the authorities to trust for the
                          https:// address, if they are your own.
      --relay URL         Give a paired board a push relay, which keeps
                          notifications and commands while the board sleeps:
                          homeward-relay token add NAME prints the board's token,
                          which pair asks for or reads from --token-file. One line
                          is added to the configuration.
      --config FILE       The configuration (default: /etc/homeward/homeward.yaml).
      --state-directory DIR
                          If there is no configuration: the state directory, also
                          for the new configuration (default: /var/lib/homeward).
      --same-device       Keep the device of a pairing that was made on another
                          board, if that board is no longer used and its card is now
                          in this one, and exit.
      --yes               Answer questions with yes: replace a pairing, remove the
                          board from the person that Home Assistant assigned it to,
                          create a configuration with all sensors that can be read.
                          It does not choose a server.
      --json              Write one JSON object to standard output about what was
                          done.
      --help              Show this.

    Examples:
      sudo homeward pair
      sudo homeward pair http://192.168.1.5:8123 --name Boat
      sudo homeward pair http://192.168.1.5:8123 --token-file - --yes < token
      sudo homeward pair https://home.lan:8123 --ca-file /etc/homeward/ca.pem
      sudo homeward pair --login

    """
  }
}
