import Board
import Bytes
import CLinux
import Drivers
import LinuxIO
import Sensing
import YAML

extension Command {
  static var pins: Command {
    Command(
      name: "pins", summary: "draw this board's header, and what uses which pin",
      help: pinsHelp, success: "the board is known",
      codes: [.noInput, .inputOutput, .noPermission, .configuration],
      options: [("--board", "a board file or its name")]
    ) { (options: Options) throws(UsageError) in PinsCommand(options: options).run }
  }

  private static var pinsHelp: StaticString {
    """
    homeward pins: draws the headers of this board: the pin numbers in the middle,
    then the pin names, and outside what uses each pin: the configuration's sensors,
    programs and drivers that hold the line, and controllers such as I2C.
    A name in parentheses would use the line if it were enabled. gpio: and pulses:
    in the configuration accept every name that is shown, and PIN11 for pin 11.

    Only root can see which programs use a line.

    Usage:
      homeward pins [--config FILE] [--board FILE|NAME] [--json]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml, if it
                      exists); - reads it from standard input.
      --board FILE    Draw the board of this board file; a name without a slash is
                      that of a file in /etc/homeward/boards or
                      /usr/share/homeward/boards, without .yaml. Nothing of this
                      machine is then shown; with --config, what that file uses.
      --json          Write one JSON object to standard output instead.
      --help          Show this.

    Examples:
      sudo homeward pins
      homeward pins --board raspberry-pi-4
      sudo homeward pins --json | jq '.headers[].pins[] | select(.is_taken)'

    """
  }
}

struct PinsCommand {
  let options: Options

  func run() throws(CommandFailure) -> ExitCode {
    let configuration = try Configuration.forLook(from: options["--config"])
    let host = configuration?.host ?? .standard
    let report: BoardReport
    if let board = options["--board"] {
      var surroundings = PinReport.Surroundings()
      // The configuration of this machine does not apply to another board.
      if options.has("--config") { surroundings.configured = configuration?.lines ?? [] }
      report = BoardReport(
        try named(board, in: BoardFiles(packagedIn: host.boards)), in: surroundings)
    } else {
      let tree = try DeviceTree(of: Path(host.sys))
      guard let found = try BoardFiles(packagedIn: host.boards).board(of: tree) else {
        throw CommandFailure.unknownBoard(tree.compatible)
      }
      report = BoardReport(found, in: surroundings(configuration, tree, sys: Path(host.sys)))
    }
    writeToTerminal(
      options.isJSON ? report.json : report.lines(isColoured: isColored(STDOUT_FILENO)),
      STDOUT_FILENO)
    return .success
  }

  private func named(
    _ name: [UInt8], in files: BoardFiles
  ) throws(CommandFailure) -> BoardFile {
    if name.contains(UInt8(ascii: "/")) || [UInt8](name.suffix(5)).span.elementsEqual(".yaml") {
      return try BoardFiles.board(at: Path(name))
    }
    if let board = try files.board(named: name) { return board }
    throw .unknownBoard(named: name, among: try files.names())
  }

  private func surroundings(
    _ configuration: Configuration?, _ tree: DeviceTree, sys: Path
  ) -> PinReport.Surroundings {
    var surroundings = PinReport.Surroundings()
    surroundings.tree = tree
    surroundings.configured = configuration?.lines ?? []
    surroundings.lines = GPIOLineUses(in: GPIOChips(sys: sys))
    if surroundings.lines.isIncomplete {
      Log().warning("the kernel hides which programs use some lines; only root can see them")
    }
    return surroundings
  }
}

extension Configuration {
  /// GPIO lines of its sensors and outputs, and their names.
  fileprivate var lines: [(address: GPIOLineAddress, name: [UInt8])] {
    let inputs = sensors.compactMap { sensor -> (address: GPIOLineAddress, name: [UInt8])? in
      sensor.line.map { ($0, sensor.entry.name) }
    }
    let all = inputs + outputs.map { ($0.address, $0.entity.name) }
    guard let anchor = location?.anchor?.line else { return all }
    return all + CollectionOfOne((address: anchor.address, name: anchor.entity.name))
  }
}
