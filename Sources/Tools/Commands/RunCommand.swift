import Agent
import Board
import Bytes

extension Command {
  static var run: Command {
    Command(
      name: "run", summary: "report the sensors, until it is stopped",
      help: runHelp, success: "stopped on request; with --once: Home Assistant has everything",
      codes: [
        .dataError, .noInput, .unavailable, .osError, .systemFile, .inputOutput, .temporaryFailure,
        .protocolError, .noPermission, .configuration,
      ],
      options: [
        ("--once", nil), ("--timeout", "a time, such as 10s"), ("--print-next-wake", nil),
        ("--trust-clock", nil), ("--log-level", "a level, such as debug"),
      ]
    ) { (options: Options) throws(UsageError) in try agent(options).perform }
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

  private static func agent(_ options: Options) throws(UsageError) -> Run {
    var level = Log.Level.info
    if let word = options["--log-level"] {
      guard let named = Log.Level(word: word) else {
        throw .mistake(
          "--log-level: \(quoted: word) is not a level; write error, warning, notice, info or debug"
        )
      }
      level = named
    }
    return Run(options.file, once: try once(options), isJSON: options.isJSON, level: level)
  }

  private static func once(_ options: Options) throws(UsageError) -> OnceOptions? {
    guard options.has("--once") else {
      let dependent = options.first(of: ["--timeout", "--print-next-wake", "--trust-clock"])
      if let dependent { throw .mistake("\(dependent) works only with --once") }
      return nil
    }
    var once = OnceOptions()
    once.timeout =
      try options.duration(
        "--timeout", in: .seconds(1) ... .seconds(24 * 3600), example: "10min") ?? once.timeout
    once.printsNextWake = options.has("--print-next-wake")
    once.isClockTrusted = options.has("--trust-clock")
    return once
  }
}
