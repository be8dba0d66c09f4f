import Board
import Bytes
import YAML

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
  let read: (inout Arguments) throws(UsageError) -> Task

  static var all: [Command] {
    [.run, .status, .pair, .unpair, .check, .sensors, .pins, .send, .watch, .spool]
  }

  static func named(_ argument: Argument) -> Command? { all.first { $0.name ~= argument } }

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
    for _ in command.utf8CodeUnitCount..<9 { append(UInt8(ascii: " ")) }
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

extension Arguments {
  /// Reads the time after an option; `example` is a valid one.
  mutating func duration(
    of option: Argument, in range: ClosedRange<Duration>, example: StaticString
  ) throws(UsageError) -> Duration {
    let text = try value(of: option, "a time, such as 10s")
    do throws(Refusal) { return try Duration(text, in: range, example: example) } catch {
      throw .mistake("\(bytes: option.bytes): \(error.problem); \(error.remedy)")
    }
  }

  /// Reads all arguments of a command that accepts only `--config FILE` and `--json`; the file is
  /// nil if none is named.
  mutating func fileAndForm() throws(UsageError) -> (file: [UInt8]?, isJSON: Bool) {
    var file: [UInt8]?
    var isJSON = false
    while let argument = try next() {
      switch argument {
      case "--json": isJSON = true
      case "--config": file = try value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    return (file, isJSON)
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
