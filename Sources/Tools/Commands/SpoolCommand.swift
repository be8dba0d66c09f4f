import Board
import Bytes
import CLinux
import LinuxIO

extension Command {
  static var spool: Command {
    Command(
      name: "spool", summary: "show what waits on the disk, or save it",
      help: spoolHelp, success: "done",
      codes: [.noInput, .cannotCreate, .inputOutput, .noPermission, .configuration]
    ) { (arguments: inout Arguments) throws(UsageError) in try SpoolCommand(&arguments).run }
  }

  private static var spoolHelp: StaticString {
    """
    homeward spool: shows the readings and fixes that wait on the disk until Home
    Assistant is known to have them, or writes them to a file for other programs.

    It only reads, and may run beside the agent; what the agent holds in memory is
    not there yet. A directory that was copied from another board will do, too.

    Usage:
      homeward spool list [--json]
      homeward spool export --gpx|--csv [--output FILE] [--all]

    list shows the files, what is in them, and what is wrong with them. export
    writes what waits: with --gpx the track (GPX 1.1), with --csv readings and fixes
    as a table.

    The table has a reading or a fix in each row: its sequence number, its time
    (UTC), whether the clock was set or unset then, the sensor and its value; or
    latitude and longitude (degrees), accuracy, altitude and vertical_accuracy
    (metres), speed (metres per second) and course (degrees).

    Options:
      --output FILE     Write to a new file (default, and -: standard output).
      --force           Replace the file where it is there already.
      --all             Export also what Home Assistant has and what is still there.
      --directory DIR   The spool itself (default: spool in the state_directory).
      --config FILE     The configuration (default: /etc/homeward/homeward.yaml);
                        - reads it from standard input.
      --json            Write one JSON object to standard output: of list instead of
                        lines; of export, which then needs a file, how much it
                        wrote.
      --help            Show this.

    Examples:
      sudo homeward spool list
      sudo homeward spool export --gpx --output boat.gpx
      homeward spool export --csv --all --directory /media/card/spool | less
      sudo homeward spool list --json | jq .waiting

    """
  }
}

/// `homeward spool list` and `homeward spool export`
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

  private static var missingAction: MessageText { "say what to do: list or export" }

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
    guard self.format == nil else { throw .mistake("an export is --gpx or --csv, and not both") }
    self.format = format
  }

  private mutating func check() throws(UsageError) {
    if directory != nil, configuration != nil {
      throw .mistake("--config says where the directory is; leave it or --directory out")
    }
    if output?.span.elementsEqual("-") == true { output = nil }
    guard isExport else { return }
    guard format != nil else { throw .mistake("say as what: --gpx or --csv") }
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
