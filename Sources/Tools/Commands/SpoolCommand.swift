import Board
import Bytes
import CLinux
import LinuxIO

extension Command {
  static var spool: Command {
    Command(
      name: "spool", summary: "show or export the data that waits on the disk",
      help: spoolHelp, success: "done",
      codes: [.noInput, .cannotCreate, .inputOutput, .noPermission, .configuration],
      options: [
        ("--gpx", nil), ("--csv", nil), ("--output", "the name of a file"), ("--force", nil),
        ("--all", nil), ("--directory", "the name of a directory"),
      ],
      actions: ["list", "export"], wordsMax: 1
    ) { (options: Options) throws(UsageError) in try SpoolCommand(options).run }
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
  private let options: Options
  /// Nil to list.
  private var format: ExportFormat?
  /// Nil for standard output.
  private let output: [UInt8]?

  init(_ options: Options) throws(UsageError) {
    self.options = options
    output = options["--output"].flatMap { $0.span.elementsEqual("-") ? nil : $0 }
    guard let action = options.words.first else {
      throw .mistake("name an action: list or export")
    }
    if options.has("--directory"), options.has("--config") {
      throw .mistake("--config defines the directory; leave out --config or --directory")
    }
    if action.span.elementsEqual("list") {
      let wrong = options.first(of: ["--gpx", "--csv", "--output", "--force", "--all"])
      if let wrong { throw .mistake("\(wrong) works only with export") }
      return
    }
    guard action.span.elementsEqual("export") else { throw .unknown(action) }
    format = try Self.format(options)
    guard output == nil else { return }
    if options.has("--force") { throw .mistake("--force needs --output") }
    if options.isJSON {
      throw .mistake("--json needs --output: standard output cannot hold both")
    }
  }

  private static func format(_ options: Options) throws(UsageError) -> ExportFormat {
    switch (options.has("--gpx"), options.has("--csv")) {
    case (true, true): throw .mistake("use either --gpx or --csv, not both")
    case (true, false): .gpx
    case (false, true): .csv
    case (false, false): throw .mistake("choose a format: --gpx or --csv")
    }
  }

  func run() throws(CommandFailure) -> ExitCode {
    let folder = try SpoolFolder(try path(), isOptional: !options.has("--directory"))
    guard let format else {
      let listing = SpoolListing(of: folder)
      writeToTerminal(options.isJSON ? listing.json : listing.lines, STDOUT_FILENO)
      return listing.code
    }
    return try SpoolExport(
      format: format, file: output, replaces: options.has("--force"),
      includesAcknowledged: options.has("--all"), isJSON: options.isJSON
    ).run(folder)
  }

  private func path() throws(CommandFailure) -> Path {
    if let directory = options["--directory"] { return Path(directory) }
    return Path(try Configuration.read(from: options.file).stateDirectory)
      / StateDirectory.spoolName
  }
}
