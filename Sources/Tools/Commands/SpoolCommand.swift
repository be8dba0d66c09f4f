import Board
import Bytes
import CLinux
import LinuxIO

extension Command {
  static var spool: Command {
    Command(
      name: "spool", summary: "show or export the data that waits on the disk",
      help: spoolHelp, success: "done",
      codes: [.noInput, .cannotCreate, .inputOutput, .noPermission, .configuration]
    ) { (arguments: inout Arguments) throws(UsageError) in try SpoolCommand(&arguments).run }
  }

  private static var spoolHelp: StaticString {
    """
    homeward spool: shows the readings and fixes that wait on the disk until Home
    Assistant proves that it has them, or exports them to a file for other programs.

    It only reads, and can run beside the agent; it does not show data that is only
    in the agent's memory. A directory copied from another board works, too.

    Usage:
      homeward spool list [--json]
      homeward spool export --gpx|--csv [--output FILE] [--all]

    list shows the files, their contents, and their damage. export writes the
    waiting data: with --gpx the track (GPX 1.1), with --csv readings and fixes as a
    table.

    The table has a reading or a fix in each row: its sequence number, its time
    (UTC), whether the clock was set or unset then, the sensor and its value; or
    latitude and longitude (degrees), accuracy, altitude and vertical_accuracy
    (metres), speed (metres per second) and course (degrees).

    Options:
      --output FILE     Write to a new file (default, and -: standard output).
      --force           Replace an existing file.
      --all             Also export data that Home Assistant has, if it is still on
                        the disk.
      --directory DIR   The spool itself (default: spool in the state_directory).
      --config FILE     The configuration (default: /etc/homeward/homeward.yaml);
                        - reads it from standard input.
      --json            Write one JSON object to standard output: with list instead
                        of lines; with export, which then needs --output, how much
                        it wrote.
      --help            Show this.

    Examples:
      sudo homeward spool list
      sudo homeward spool export --gpx --output boat.gpx
      homeward spool export --csv --all --directory /media/card/spool | less
      sudo homeward spool list --json | jq .waiting

    """
  }
}

struct SpoolCommand {
  private let isExport: Bool
  private var isJSON = false
  private var configuration: [UInt8]?
  private var directory: [UInt8]?
  private var format: ExportFormat?
  private var output: [UInt8]?
  private var replaces = false
  private var includesAcknowledged = false

  init(_ arguments: inout Arguments) throws(UsageError) {
    guard let action = try arguments.next() else { throw .mistake(Self.missingAction) }
    switch action {
    case "list": isExport = false
    case "export": isExport = true
    default: throw action.isOption ? .mistake(Self.missingAction) : action.unknown
    }
    while let argument = try arguments.next() { try read(argument, &arguments) }
    try check()
  }

  private static var missingAction: MessageText { "name an action: list or export" }

  private mutating func read(
    _ argument: Argument, _ arguments: inout Arguments
  ) throws(UsageError) {
    switch argument {
    case "--json": isJSON = true
    case "--config": configuration = try arguments.value(of: argument, "the name of a file")
    case "--directory": directory = try arguments.value(of: argument, "the name of a directory")
    case "--gpx" where isExport: try set(.gpx(GPXTrack()))
    case "--csv" where isExport: try set(.csv)
    case "--output" where isExport:
      output = try arguments.value(of: argument, "the name of a file")
    case "--force" where isExport: replaces = true
    case "--all" where isExport: includesAcknowledged = true
    default: throw argument.unknown
    }
  }

  private mutating func set(_ format: ExportFormat) throws(UsageError) {
    guard self.format == nil else { throw .mistake("use either --gpx or --csv, not both") }
    self.format = format
  }

  private mutating func check() throws(UsageError) {
    if directory != nil, configuration != nil {
      throw .mistake("--config defines the directory; leave out --config or --directory")
    }
    if output?.span.elementsEqual("-") == true { output = nil }
    guard isExport else { return }
    guard format != nil else { throw .mistake("choose a format: --gpx or --csv") }
    if output == nil, replaces { throw .mistake("--force needs --output") }
    if output == nil, isJSON {
      throw .mistake("--json needs --output: standard output cannot hold both")
    }
  }

  func run() throws(CommandFailure) -> ExitCode {
    let folder = try SpoolFolder(try path(), isOptional: directory == nil)
    guard let format else {
      let listing = SpoolListing(of: folder)
      writeToTerminal(isJSON ? listing.json : listing.lines, STDOUT_FILENO)
      return listing.code
    }
    return try SpoolExport(
      format: format, file: output, replaces: replaces,
      includesAcknowledged: includesAcknowledged, isJSON: isJSON
    ).run(folder)
  }

  private func path() throws(CommandFailure) -> Path {
    if let directory { return Path(directory) }
    let file = configuration ?? [UInt8](Configuration.defaultFile)
    return Path(try Configuration.read(from: file).stateDirectory) / StateDirectory.spoolName
  }
}
