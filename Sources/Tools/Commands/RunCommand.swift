import Agent
import Board
import Bytes
import YAML

extension Command {
  static var run: Command {
    Command(
      name: "run", summary: "report the sensors, until it is stopped",
      help: runHelp, success: "stopped on request; with --once: Home Assistant has everything",
      codes: [
        .dataError, .noInput, .unavailable, .osError, .systemFile, .inputOutput, .temporaryFailure,
        .protocolError, .noPermission, .configuration,
      ]
    ) { (arguments: inout Arguments) throws(UsageError) in try agent(&arguments).perform }
  }

  private static var runHelp: StaticString {
    """
    homeward run: reports the sensors of this board to Home Assistant, until it is
    stopped.

    Usage:
      homeward run [--config FILE] [--json] [--log-level LEVEL]
      homeward run --once [--timeout DURATION] [--config FILE] [--json]
                   [--print-next-wake] [--trust-clock]

    Options:
      --once          Read everything once, wait for a fix, send it and all waiting
                      history to Home Assistant, show the result, and exit.
      --timeout DURATION
                      Time limit for --once, from its start (default: 90s), also
                      without a network. The next run sends what remains;
                      history.bytes_per_minute applies here, too.
      --print-next-wake
                      Write only one number to standard output: when a board that is
                      switched off now must be on again, in seconds since 1970. The
                      table goes to standard error. This also works if Home
                      Assistant was not reached. The time is the next whole multiple
                      of upload.every, or else of every (while the battery is low,
                      of the interval in power), at least two minutes away. If
                      neither the network nor a GPS receiver has set the time, it
                      writes nothing, and the exit code is 72: do not switch the
                      board off then.
      --trust-clock   Trust the board's clock although neither the network nor a GPS
                      receiver has set the time; for boards whose real-time clock or
                      power HAT sets it at each start.
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml);
                      - reads it from standard input.
      --json          Write one JSON object per line to standard output for each
                      event. With --once the last one holds every value that was
                      read, also the position, how much remains, and next_wake.
      --log-level LEVEL
                      The lowest level to log: error, warning, notice, info (the
                      default) or debug, which logs each cycle.
      --help          Show this.

    On SIGHUP the agent reads its configuration again (as a service: systemctl
    reload homeward). It rejects a wrong one, and keeps running with the old one.
    If the agent was started at a terminal, SIGHUP means that the terminal was
    closed, and stops the agent, as SIGTERM does.

    Examples:
      homeward run --config boat.yaml
      sudo homeward run --once
      sudo homeward run --once --timeout 10min --json | jq .undelivered
      wake=$(sudo homeward run --once --print-next-wake); date --date "@$wake"
      sudo homeward run --once && sudo modem-off
      rtcwake --mode no --time "$(homeward run --once --print-next-wake)"

    """
  }

  private static func agent(_ arguments: inout Arguments) throws(UsageError) -> Run {
    var file = [UInt8](Configuration.defaultFile)
    var once = OnceWords()
    var isJSON = false
    var level = Log.Level.info
    while let argument = try arguments.next() {
      switch argument {
      case "--json": isJSON = true
      case "--log-level":
        level = try logLevel(try arguments.value(of: argument, "a level, such as debug"))
      case "--config": file = try arguments.value(of: argument, "the name of a file")
      default: guard try once.take(argument, &arguments) else { throw argument.unknown }
      }
    }
    return Run(file, once: try once.read(), isJSON: isJSON, level: level)
  }

  private static func logLevel(_ word: [UInt8]) throws(UsageError) -> Log.Level {
    if let level = Log.Level(word: word) { return level }
    throw .mistake(
      "--log-level: \(quoted: word) is not a level; write error, warning, notice, info or debug")
  }
}

private struct OnceWords {
  private static let timeoutRange: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 3600)

  private var isOnce = false
  private var options = OnceOptions()
  /// First option that requires `--once`.
  private var dependent: Argument?

  /// Reads an argument; returns whether it is one of these.
  mutating func take(
    _ argument: Argument, _ arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    switch argument {
    case "--once":
      isOnce = true
      return true
    case "--timeout":
      options.timeout = try arguments.duration(
        of: argument, in: Self.timeoutRange, example: "10min")
    case "--print-next-wake": options.printsNextWake = true
    case "--trust-clock": options.isClockTrusted = true
    case "--wake", "--rtc":
      throw .mistake(
        "\(bytes: argument.bytes) was removed: set the alarm with rtcwake --mode no --time"
          + " \"$(homeward run --once --print-next-wake)\"; its --device selects another clock")
    default: return false
    }
    dependent = dependent ?? argument
    return true
  }

  func read() throws(UsageError) -> OnceOptions? {
    if let dependent, !isOnce {
      throw .mistake("\(bytes: dependent.bytes) works only with --once")
    }
    return isOnce ? options : nil
  }
}
