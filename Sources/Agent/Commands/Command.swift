import Bytes

/// One of the things that `homeward` does. Each has a file of its own in this folder, and a line in
/// `all`.
struct Command {
  let name: StaticString
  /// What it is for, in a line of the program's help.
  let summary: StaticString
  /// What `homeward NAME --help` shows.
  let help: StaticString
  /// Reads the words after the name, and does it.
  let run: (inout Arguments) throws(UsageError) -> ExitCode

  static var all: [Command] { [.run, .status, .pair, .unpair, .check, .send, .watch] }

  static func named(_ argument: Argument) -> Command? { all.first { $0.name ~= argument } }
}

extension Command {
  /// What `homeward --help` shows.
  static var overview: [UInt8] {
    var text = ByteBuffer(capacity: 8 * 1024)
    text.append(
      """
      Homeward reports the sensors of this board to Home Assistant.

      Usage:

      """)
    let width = all.map { $0.name.utf8CodeUnitCount }.max() ?? 0
    for command in all {
      text.append("  homeward ")
      text.append(command.name)
      for _ in command.name.utf8CodeUnitCount..<width + 3 { text.append(UInt8(ascii: " ")) }
      text.append(command.summary)
      text.append(UInt8(ascii: "\n"))
    }
    text.append(
      """

      Each command tells more: homeward run --help

      Options:
        --help      Show this.
        --version   Show the version.

      Exit codes are those of sysexits.h; the help of a command says what they mean there.

      """)
    return [UInt8](text.bytes)
  }
}
