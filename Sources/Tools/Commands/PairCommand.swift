import Board
import Bytes
import HomeAssistant
import YAML

extension Command {
  static var pair: Command {
    Command(
      name: "pair", summary: "make this board a device of Home Assistant",
      help: pairHelp, success: "this board is paired",
      codes: [
        .dataError, .noInput, .cannotCreate, .temporaryFailure, .protocolError,
        .noPermission, .configuration,
      ]
    ) { (arguments: inout Arguments) throws(UsageError) in try PairCommand(&arguments).run }
  }

  private static var pairHelp: StaticString {
    """
    homeward pair: makes this board a device of Home Assistant, and keeps what it
    needs for that in its state directory.

    Usage:
      homeward pair [URL] [--name NAME] [--login] [--token | --token-file FILE]
                    [--ca-file FILE] [--config FILE] [--state-directory DIR]
                    [--yes] [--json]
      homeward pair --same-device [--config FILE]

    URL is the address of Home Assistant. Without it, it is that of the
    configuration; without one, the local network is searched. Then user name and
    password are asked for, and a code where the user has a second factor. The
    password is not kept.

    Home Assistant makes the board a tracker of that user's person: better log in as
    a user of the board's own (in Home Assistant: Settings, People, Add person,
    "Allow login"), or take it off the person when pair offers it.

    Where there is no configuration, pair asks for the name of the board and writes
    one, with what it finds on this board as examples, and those of its sensors that
    you want (see homeward sensors). One that is there is left as it is.

    Options:
      --name NAME         What Home Assistant calls the board (default: what the
                          configuration says, or the host's name).
      --login             A new login for a board that is paired, in place of one
                          that ended or was revoked: its device and entities stay.
      --token             Ask for a long-lived access token instead (in Home
                          Assistant: your profile, Security).
      --token-file FILE   Read that token from a file; - is standard input.
      --ca-file FILE      PEM certificates of the authorities that the https://
                          address is believed by, where they are your own.
      --config FILE       The configuration (default: /etc/homeward/homeward.yaml).
      --state-directory DIR
                          Where there is no configuration: what to keep there, and
                          write into the configuration (default: /var/lib/homeward).
      --same-device       Keep the device of a pairing that was made on another
                          board, which is not used any more and whose card is in
                          this one now, and end.
      --yes               Answer questions with yes: replace a pairing, take the
                          board off the person that Home Assistant made it a tracker
                          of, write a configuration with all sensors that can be
                          read. It does not choose a server.
      --json              Write one JSON object to standard output for what was
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

struct PairCommand {
  private let options: PairingOptions

  init(_ arguments: inout Arguments) throws(UsageError) {
    var options = PairingOptions()
    while let argument = try arguments.next() {
      switch argument {
      case "--token": try Self.set(&options, .token)
      case "--token-file":
        try Self.set(&options, .tokenFile(try arguments.value(of: argument, "the name of a file")))
      case "--config":
        options.configuration = try arguments.value(of: argument, "the name of a file")
      case "--state-directory":
        options.stateDirectory = try Self.path(
          try arguments.value(of: argument, "the name of a directory"), of: argument)
      case "--ca-file":
        options.authorityFile = try Self.path(
          try arguments.value(of: argument, "the name of a file"), of: argument)
      case "--login": options.isLoginOnly = true
      case "--name": options.name = try arguments.value(of: argument, "a name")
      case "--same-device": options.keepsDevice = true
      case "--yes": options.isYes = true
      case "--json": options.isJSON = true
      default:
        guard !argument.isOption, options.url == nil else { throw argument.unknown }
        options.url = argument.bytes
      }
    }
    if options.isLoginOnly, options.name != nil { throw .mistake("--login changes no name") }
    self.options = options
  }

  /// Returns an absolute path that can stand in quotation marks in a configuration.
  private static func path(_ text: [UInt8], of option: Argument) throws(UsageError) -> [UInt8] {
    let isFit = text.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isFit, text.span.starts(with: "/"), text.count <= ConfigurationField.pathBytesMax else {
      throw .mistake("\(bytes: option.bytes) needs an absolute path, such as /etc/homeward/file")
    }
    return text
  }

  private static func set(
    _ options: inout PairingOptions, _ source: PairingOptions.Source
  ) throws(UsageError) {
    guard options.source.isLogin else { throw .mistake("the token is named twice") }
    options.source = source
  }

  func run() throws(CommandFailure) -> ExitCode {
    if options.keepsDevice {
      try Pairing(options).keepDevice()
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
}
