import Board
import Bytes

/// Command of `homeward`. Each has its own file in this folder, and an entry in `all`.
struct Command {
  typealias Task = () throws(CommandFailure) -> ExitCode

  let name: StaticString
  let summary: StaticString
  /// Text of `homeward NAME --help` before the exit codes.
  let help: StaticString
  /// Meaning of exit code 0; `codes` are the others, beside those that all commands have.
  let success: StaticString
  let codes: [ExitCode]
  /// Options beside `--config` and `--json`, which all commands have.
  var options: [Options.Row] = []
  /// First words of which a person chooses one.
  var actions: [StaticString] = []
  /// Number of words that are not options.
  var wordsMax = 0
  let read: (Options) throws(UsageError) -> Task

  static var all: [Command] {
    [
      .run, .status, .pair, .unpair, .check, .sensors, .pins, .send, .watch, .spool, .provision,
    ]
  }

  static func named(_ argument: Argument) -> Command? { all.first { $0.name ~= argument } }

  /// Reads the arguments after its name.
  func task(_ arguments: inout Arguments) throws(UsageError) -> Task {
    try read(try Options(&arguments, of: options, wordsMax: wordsMax))
  }

  /// Text of `homeward NAME --help`.
  var page: [UInt8] {
    var text = ByteBuffer(capacity: 8 * 1024)
    text.append(help)
    text.append("\nExit codes (sysexits):\n")
    text.append(.success, success)
    for code in ExitCode.allCases where code == .usage || codes.contains(code) {
      text.append(code, code.meaning)
    }
    return [UInt8](text.bytes)
  }
}

extension Command {
  /// Text of `homeward --help`.
  static var overview: [UInt8] {
    var text = ByteBuffer(capacity: 8 * 1024)
    text.append("Homeward reports the sensors of this board to Home Assistant.\n\nUsage:\n")
    for command in all { text.append(command.name, command.summary) }
    text.append("help", "show this, or the page of a command: homeward help run")
    text.append(
      """

      Options:
        --help      Show this, or the page of a command: homeward run --help
        --version   Show the version.

      An option takes its value as --option VALUE or as --option=VALUE.

      Exit codes (sysexits), the same in every command:

      """)
    for code in ExitCode.allCases { text.append(code, code.meaning) }
    return [UInt8](text.bytes)
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ command: StaticString, _ summary: StaticString) {
    append("  homeward ")
    append(command)
    for _ in command.utf8CodeUnitCount..<11 { append(UInt8(ascii: " ")) }
    append(summary)
    append(UInt8(ascii: "\n"))
  }

  fileprivate mutating func append(_ code: ExitCode, _ meaning: StaticString) {
    append("  ")
    append(decimal: code.rawValue)
    append(code == .success ? "   " : "  ")
    append(meaning)
    append(UInt8(ascii: "\n"))
  }
}

extension Configuration {
  /// Returns the configuration for a command that looks at the board, and works without one, too:
  /// nil if none is named and the default file does not exist, or this person may not read it.
  static func forLook(from named: [UInt8]?) throws(CommandFailure) -> Configuration? {
    if let named { return try read(from: named) }
    do throws(CommandFailure) {
      return try readIfThere(from: [UInt8](defaultFile))
    } catch  where error.code == .noPermission {
      Log().warning("only the agent and root can see what the configuration uses")
      return nil
    }
  }
}
