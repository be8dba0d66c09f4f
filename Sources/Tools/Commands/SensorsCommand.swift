import Board
import Bytes
import CLinux
import LinuxIO

extension Command {
  static var sensors: Command {
    Command(
      name: "sensors", summary: "list what this board can report, and the YAML for it",
      help: sensorsHelp, success: "the board was searched, whatever was found",
      codes: [.noInput, .inputOutput, .noPermission, .configuration]
    ) { (options: Options) throws(UsageError) -> Task in
      return { () throws(CommandFailure) in try listSensors(options["--config"], options.isJSON) }
    }
  }

  private static func listSensors(
    _ file: [UInt8]?, _ isJSON: Bool
  ) throws(CommandFailure) -> ExitCode {
    let isWatched = !isJSON && Terminal(STDOUT_FILENO) != nil
    let found = try FoundSources(
      of: try Configuration.forLook(from: file) ?? .withoutFile, loop: try .forCommand(),
      screen: isWatched ? STDOUT_FILENO : nil)
    let usual = [UInt8](Configuration.defaultFile)
    let isThere = file != nil || (try? byteCount(ofFileAt: Path(usual))) != nil
    let lines = found.lines(
      isColored: isColored(STDOUT_FILENO), file: isThere ? file ?? usual : nil)
    writeToTerminal(isJSON ? found.json : lines.wrappedForOutput, STDOUT_FILENO)
    return .success
  }

  private static var sensorsHelp: StaticString {
    """
    homeward sensors: lists what this board has that Homeward can report: power
    supplies, the board itself, gpsd, thermometers on 1-Wire, converters and sensors
    of Industrial IO, hardware monitors, serial ports, network interfaces and GPIO
    lines. It reads each one once, and shows the line of YAML that reports it: a
    line with a dash goes below "sensors:" of the configuration. What the
    configuration already reports is marked.

    It can run beside the agent, and changes nothing. A thermometer on 1-Wire takes
    up to a second. The board cannot detect what is connected to a GPIO line: see
    homeward pins.

    Usage:
      homeward sensors [--config FILE] [--json]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml, if it
                      exists); - reads it from standard input.
      --json          Write one JSON object to standard output instead.
      --help          Show this.

    Examples:
      sudo homeward sensors
      sudo homeward sensors --json | jq -r '.kinds[].found[].yaml | values'

    """
  }
}
