import Foundation
import PracticeHome
import Testing

extension WholeAgent {
  /// What a person at a terminal, or a script in the place of one, may rely on in every command.
  @Suite struct AtTheTerminal {}
}

private func nowhere() throws -> Board {
  try Board(reportingTo: "http://127.0.0.1:1", token: nil, isTokenFileNamed: false)
}

private let commands = ["run", "status", "pair", "unpair", "check", "send", "watch", "spool"]

extension WholeAgent.AtTheTerminal {
  private func ending(_ arguments: String...) async throws -> RunningAgent.Ending {
    try await RunningAgent(on: try nowhere(), arguments).ending()
  }

  // MARK: Help

  @Test(arguments: [[]] + commands.map { [$0] })
  func helpFitsIntoATerminalOf80Columns(_ command: [String]) async throws {
    let board = try nowhere()
    let help = try await RunningAgent(on: board, command + ["--help"]).ending()
    #expect(help.status == 0)
    for line in help.output {
      #expect(line.count <= 80, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
    for heading in ["Usage:", "Options:"] + (command.isEmpty ? [] : ["Examples:"]) {
      #expect(help.output.contains(heading))
    }
    #expect(help.output.contains { $0.hasPrefix("Exit codes (sysexits)") })
    #expect(help.output.contains { $0.hasPrefix("  64  the command line is wrong") })
    let other = try await RunningAgent(on: board, ["help"] + command).ending()
    #expect(other.status == 0)
    #expect(other.output == help.output)
  }

  @Test func aLineIsBrokenBetweenWordsOnATerminal() async throws {
    let board = try nowhere()
    let command = try TypedCommand(on: board, ["run", "--config", "/none"], columns: 40)
    let ending = await command.ending()
    #expect(
      ending.screen.replacing("\r\n", with: "\n") == """
        homeward run: /none cannot be read: No
        such file or directory; to create it,
        run: sudo homeward pair --config /none

        """)
  }

  // MARK: Arguments

  @Test(arguments: [
    (["rum"], "\"rum\" is not recognized; did you mean \"run\"?"),
    (["help", "chekc"], "\"chekc\" is not recognized; did you mean \"check\"?"),
    (["chekc"], "\"chekc\" is not recognized; did you mean \"check\"?"),
    (["status", "--wach"], "\"--wach\" is not recognized; did you mean \"--watch\"?"),
    (["run", "--onse"], "\"--onse\" is not recognized; did you mean \"--once\"?"),
    (["spool", "lits"], "\"lits\" is not recognized; did you mean \"list\"?"),
    (["spool", "export", "--cvs"], "\"--cvs\" is not recognized; did you mean \"--csv\"?"),
    (["pair", "--yse"], "\"--yse\" is not recognized; did you mean \"--yes\"?"),
    (["run", "--fly-away"], "\"--fly-away\" is not recognized"),
    (["run", "--json=yes"], "--json takes no value"),
    (["status", "--config="], "--config needs the name of a file"),
  ])
  func aSlipIsToldWithWhatWasMeant(_ words: [String], _ line: String) async throws {
    let ending = try await RunningAgent(on: try nowhere(), words).ending()
    #expect(ending.status == 64)
    #expect(ending.log.first?.hasSuffix(": \(line)") == true, "\(ending.log)")
    #expect(ending.log.first?.hasPrefix("homeward") == true)
  }

  @Test func anOptionTakesItsValueBehindAnEqualsSign() async throws {
    let board = try nowhere()
    let ending = try await RunningAgent(on: board, ["send", "get_config", "--config=/none=1"])
      .ending()
    #expect(ending.status == 66)
    #expect(ending.lines(with: "homeward send: /none=1 cannot be read").count == 1)
  }

  // MARK: The configuration

  @Test func theConfigurationComesFromStandardInput() async throws {
    let board = try nowhere()
    let (text, arguments) = (try board.configurationText(), ["spool", "list", "--config", "-"])
    let ending = try await RunningAgent(on: board, arguments, input: text).ending()
    #expect(ending.status == 0, "\(ending.log)")
    let wrong = try await RunningAgent(on: board, arguments, input: "every: 10\n").ending()
    #expect(wrong.status == 78)
    #expect(wrong.lines(with: "standard input:1:8: every: ").count == 1, "\(wrong.log)")
  }

  @Test(arguments: commands)
  func aPipeInPlaceOfTheConfigurationIsNotWaitedFor(_ command: String) async throws {
    let board = try nowhere()
    let pipe = board.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let more = ["send": ["get_config"], "spool": ["list"]][command] ?? []
    let ending = try await RunningAgent(on: board, [command] + more + ["--config", pipe]).ending()
    #expect(ending.status == 66)
    // check tells it as a finding.
    let words =
      "\(pipe) cannot be read: it is not a regular file; to read standard input, use --config -"
    let line =
      command == "check"
      ? ending.output.first { $0.hasSuffix(words) }
      : ending.log.first { $0 == "homeward \(command): \(words)" }
    #expect(line != nil, "\(ending.log) \(ending.output)")
  }

  @Test func withoutAConfigurationTheNextStepIsToPair() async throws {
    let ending = try await ending("status", "--config", "/none.yaml")
    #expect(ending.lines(with: "run: sudo homeward pair --config /none.yaml").count == 1)
  }

  // MARK: Output that cannot be written

  static let outputs = [
    "--help", "--version", "help", "run --help", "run --once --json", "check", "check --json",
    "send get_zones", "send get_zones --json", "watch --once", "watch --once --json", "spool list",
    "spool list --json", "spool export --csv",
  ]

  @Test(arguments: outputs)
  func aFullDeviceAsStandardOutputIsTold(_ arguments: String) async throws {
    let (_, board) = try await pairedHomeAndBoard()
    let ending = try await written(arguments, on: board)
    #expect(ending.status == 74, "\(ending.log)")
    #expect(
      ending.lines(with: "standard output cannot be written: No space left on device").count == 1,
      "\(ending.log)")
  }

  @Test func theStatusForAFullDeviceIsTold() async throws {
    let (_, board, agent) = try await provenAgent()
    for words in ["status", "status --json", "status --watch"] {
      #expect(try await written(words, on: board).status == 74)
    }
    #expect(await agent.stop().status == 0)
  }

  /// A command that writes to a device that is full.
  private func written(_ arguments: String, on board: Board) async throws -> RunningAgent.Ending {
    let takesNone = ["--help", "--version", "help", "run --help"].contains(arguments)
    let words = arguments.split(separator: " ").map(String.init)
    return try await RunningAgent(
      on: board, words + (takesNone ? [] : ["--config", board.configuration]),
      startedBy: RunningAgent.after("exec > /dev/full")
    ).ending()
  }
}

extension WholeAgent {
  /// What is typed after `homeward`.
  @Suite struct CommandLine {}
}

extension WholeAgent.CommandLine {
  /// Command lines, and how what is said of each begins.
  static let mistakes = [
    ([], "name a command"), (["fly"], "\"fly\" is not recognized"),
    (["run", "--fly"], "\"--fly\" is not recognized"),
    (["run", "--config"], "--config needs the name of a file"),
    (["run", "--config", ""], "--config needs the name of a file"),
    (["run", "--log-level", "loud"], "--log-level: \"loud\" is not a level"),
    (
      ["run", "--once", "--timeout", "90"],
      "--timeout: \"90\" has no unit; write for example 10min"
    ),
    (["run", "--once", "--timeout", "0s"], "--timeout: \"0s\" is out of range"),
    (["run", "--timeout", "10s"], "--timeout works only with --once"),
    (["run", "--print-next-wake"], "--print-next-wake works only with --once"),
    (["run", "--trust-clock"], "--trust-clock works only with --once"),
    (["status", "--every", "1s"], "--every works only with --watch"),
    (["status", "--watch", "--every", "1"], "--every: \"1\" has no unit; write for example 2s"),
    (
      ["status", "--watch", "--every", "500ms"],
      "--every: \"500ms\" is out of range; write a time from 1 s"
    ),
    (["watch", "state"], "\"state\" cannot be watched; did you mean \"states\"?"),
    (["watch", "states", "sun"], "\"sun\" is not the id of an entity, such as sun.sun"),
    (["watch", "events", "a", "b"], "events takes at most one type of event"),
    (["watch", "template"], "template needs a template"),
    (["watch", "states", "--data", "{}"], "--data works only with template"),
    (["watch", "template", "x", "--data", "[]"], "--data must be a JSON object"),
    (["watch", "events", "--attributes"], "--attributes works only with states"),
    (["watch", "--count"], "--count needs a number of entries"),
    (["watch", "--count", "0"], "--count needs a whole number of at least 1, not \"0\""),
    (["watch", "--count", "x"], "--count needs a whole number of at least 1, not \"x\""),
    (["watch", "--fly"], "\"--fly\" is not recognized"),
    (["spool"], "name an action: list or export"),
    (["spool", "show"], "\"show\" is not recognized"),
    (["spool", "list", "--gpx"], "--gpx works only with export"),
    (["spool", "export"], "choose a format"),
    (["spool", "export", "--gpx", "--csv"], "use either --gpx or --csv, not both"),
    (["spool", "export", "--csv", "--json"], "--json needs --output"),
    (["spool", "export", "--csv", "--force"], "--force needs --output"),
    (
      ["spool", "list", "--directory", "/a", "--config", "/b"],
      "--config defines the directory; leave out --config or --directory"
    ),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsNamedWithWhereHelpIs(_ words: [String], _ start: String) async throws {
    let ending = try await RunningAgent(on: try nowhere(), words).ending()
    let program = (["homeward"] + words.prefix(1).filter(commands.contains)).joined(separator: " ")
    #expect(ending.status == 64)
    #expect(ending.log.first?.hasPrefix("\(program): \(start)") == true, "\(ending.log)")
    #expect(ending.log.dropFirst() == ["Try: \(program) --help"])
  }

  @Test func helpIsNoMistake() async throws {
    for arguments in [["--help"], ["-h"], ["--version"], ["run", "--help"], ["run", "-h"]] {
      let ending = try await RunningAgent(on: try nowhere(), arguments).ending()
      #expect(ending.status == 0)
      #expect(ending.log == [])
    }
  }

  @Test(arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGABRT])
  func aTrapLeavesOneLineAndTheSignal(signal: Int32) async throws {
    let (_, _, agent) = try await provenAgent(environment: ["SWIFT_BACKTRACE": "enable=no"])
    let ending = await agent.kill(with: signal)
    #expect(ending.status == signal)
    let lines = ending.lines(with: "ended by SIG")
    #expect(lines.count == 1 && ending.log.last == lines.first, "\(ending.log)")
    #expect(lines.first?.hasSuffix("; please report this line") == true)
  }
}
