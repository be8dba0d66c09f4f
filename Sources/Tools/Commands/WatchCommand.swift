import Board
import Bytes
import HomeAssistant

extension Command {
  static var watch: Command {
    Command(
      name: "watch", summary: "show states, events or a template, as they change",
      help: watchHelp, success: "it was ended by Ctrl-C, by --count or --once, or by its reader",
      codes: [.dataError, .noInput, .unavailable, .temporaryFailure, .noPermission, .configuration]
    ) { (arguments: inout Arguments) throws(UsageError) in try WatchCommand(&arguments).run }
  }

  private static var watchHelp: StaticString {
    """
    homeward watch: shows what happens in Home Assistant, until Ctrl-C. It logs in
    with what pair kept, or with the token file of the configuration. A lost
    connection is made again.

    Usage:
      homeward watch [states] [ENTITY...] [--attributes]
      homeward watch events [TYPE]
      homeward watch template TEMPLATE [--data JSON]

    states shows the entities that are named, or all, as they are and then each
    change; events what happens on Home Assistant's bus; template what a template
    says, now and whenever it changes.

    Options:
      --attributes    Show changes of attributes, too, and which they are.
      --data JSON     The variables of the template; - reads them from standard
                      input.
      --count N       End after N states, events or renderings; with --json, after
                      N lines.
      --once          End after all entities were shown as they are, or after one
                      event or rendering. An entity that is not there is told, and
                      the exit code is 65.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --json          Print what Home Assistant sent, unchanged, a JSON object on
                      each line. Those of states are in its short form; homeward
                      watch events state_changed has the long.
      --help          Show this.

    Examples:
      sudo homeward watch sun.sun --attributes
      sudo homeward watch events tag_scanned
      sudo homeward watch template '{{ states.light | list | count }}'
      sudo homeward watch sensor.boat_battery sensor.boat_load --once
      sudo homeward watch events --json | jq .event_type

    """
  }
}

struct WatchCommand {
  private static let countDigitsMax = 9

  private let options: WatchOptions

  init(_ arguments: inout Arguments) throws(UsageError) {
    var options = WatchOptions()
    var words: [[UInt8]] = []
    var data: DataArgument?
    while let argument = try arguments.next() {
      switch argument {
      case "--attributes": options.showsAttributes = true
      case "--json": options.isJSON = true
      case "--once": options.isOnce = true
      case "--count":
        options.entryCountMax = try Self.count(
          try arguments.value(of: argument, "a number of entries"))
      case "--data": data = try DataArgument(of: argument, from: &arguments)
      case "--config":
        options.configuration = try arguments.value(of: argument, "the name of a file")
      default:
        guard !argument.isOption else { throw argument.unknown }
        words.append(argument.bytes)
      }
    }
    options.topic = try WatchOptions.Topic(words, data: data)
    if case .states = options.topic {
    } else if options.showsAttributes {
      throw .mistake("--attributes goes with states only")
    } else if options.isOnce {
      options.entryCountMax = 1
    }
    self.options = options
  }

  private static func count(_ word: [UInt8]) throws(UsageError) -> Int {
    guard word.count <= countDigitsMax, let count = word.span.decimalValue, count > 0 else {
      throw .mistake("--count needs a whole number from 1 on, and \(quoted: word) is none")
    }
    return Int(count)
  }

  func run() throws(CommandFailure) -> ExitCode {
    return try Watch(options).run()
  }
}
