import Agent
import Board
import Bytes
import YAML

extension Command {
  static var run: Command {
    Command(
      name: "run", summary: "report the sensors, until it is stopped",
      help: runHelp, success: "it was asked to stop; with --once: Home Assistant has everything",
      codes: [
        .dataError, .noInput, .unavailable, .osError, .inputOutput, .temporaryFailure,
        .protocolError, .noPermission, .configuration,
      ]
    ) { (arguments: inout Arguments) throws(UsageError) in try RunCommand(&arguments).run.perform }
  }

  private static var runHelp: StaticString {
    """
    homeward run: reports the sensors of this board to Home Assistant, until it is
    stopped.

    Usage:
      homeward run [--config FILE] [--json] [--log-level LEVEL]
      homeward run --once [--timeout DURATION] [--config FILE] [--json]

    Options:
      --once          Read everything once, wait for a fix, bring it and all history
                      that waits to Home Assistant, show what became of it, and end.
      --timeout DURATION
                      How long --once may take (default: 90s). What is left then
                      goes with the next run; history.bytes_per_minute holds here,
                      too.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --json          Write one JSON object per line to standard output for what
                      happens. With --once the last one holds every value that was
                      read, the position included, and how much is left.
      --log-level LEVEL
                      What is logged: error, warning, notice, info (the default) or
                      debug, which tells of each cycle.
      --help          Show this.

    SIGHUP makes the agent read its configuration again (as a service: systemctl
    reload homeward). A wrong one is refused, and the agent goes on as it is. Where
    the agent was started at a terminal, SIGHUP means that the terminal was closed,
    and stops it, as SIGTERM does.

    Examples:
      homeward run --config boat.yaml
      sudo homeward run --once
      sudo homeward run --once --timeout 10min --json | jq .undelivered

    """
  }
}

/// What was typed behind `homeward run`.
private struct RunCommand {
  private static let onceTimeoutRange: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 3600)

  let run: Run

  init(_ arguments: inout Arguments) throws(UsageError) {
    var file = [UInt8](Configuration.defaultFile)
    var isOnce = false
    var isJSON = false
    var timeout: Duration?
    var level = Log.Level.info
    while let argument = try arguments.next() {
      switch argument {
      case "--once": isOnce = true
      case "--timeout":
        timeout = try Self.timeout(try arguments.value(of: argument, "a time, such as 10min"))
      case "--json": isJSON = true
      case "--log-level":
        level = try Self.level(try arguments.value(of: argument, "a level, such as debug"))
      case "--config": file = try arguments.value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    guard isOnce || timeout == nil else { throw .mistake("--timeout goes with --once only") }
    run = Run(
      file, timeout: isOnce ? timeout ?? Run.onceTimeout : nil, isJSON: isJSON,
      level: level)
  }

  private static func level(_ word: [UInt8]) throws(UsageError) -> Log.Level {
    if let level = Log.Level(word: word) { return level }
    throw .mistake(
      "--log-level: \(quoted: word) is no level; write error, warning, notice, info or debug")
  }

  private static func timeout(_ text: [UInt8]) throws(UsageError) -> Duration {
    do throws(Refusal) {
      return try Duration(text, in: onceTimeoutRange, example: "10min")
    } catch {
      throw .mistake("--timeout: \(error.problem); \(error.remedy)")
    }
  }
}
