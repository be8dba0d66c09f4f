import Board
import Bytes
import CLinux
import HomeAssistant
import YAML

/// Program: reads a command from its arguments, and exits with the code of the command.
public enum Homeward {
  public static func main() -> Never {
    unsafe clinux_report_fatal_signals(
      homewardVersion.utf8Start, homewardVersion.utf8CodeUnitCount)
    clinux_forbid_core_dumps()
    clinux_survive_file_size_limit()
    exit(run().rawValue)
  }

  private static func run() -> ExitCode {
    var arguments = Arguments.ofProcess
    var command: Command?
    let code: ExitCode
    do throws(UsageError) {
      code = try run(&arguments, &command)
    } catch {
      code = end(error, of: command)
    }
    guard let error = StandardOutput.failure else { return code }
    let failure = CommandFailure(
      code: .inputOutput,
      text: "standard output cannot be written: \(error); the rest of the output is lost")
    return failure.told(by: command)
  }

  private static func run(
    _ arguments: inout Arguments, _ command: inout Command?
  ) throws(UsageError) -> ExitCode {
    guard var word = try arguments.next() else {
      throw .mistake("name a command, such as homeward pair")
    }
    if "--version" ~= word {
      let line: MessageText = "homeward \(homewardVersion)\n"
      writeToTerminal(line.bytes, STDOUT_FILENO)
      return .success
    }
    let isHelpWanted = "help" ~= word
    if isHelpWanted {
      guard let next = try arguments.next() else { throw .helpWanted }
      word = next
    }
    guard let named = Command.named(word) else { throw word.unknown }
    command = named
    if isHelpWanted { throw .helpWanted }
    let task = try named.task(&arguments)
    do throws(CommandFailure) {
      guard prepareSodium() else {
        throw CommandFailure(code: .osError, text: "this machine has no source of random numbers")
      }
      return try task()
    } catch {
      return error.told(by: named)
    }
  }

  private static func end(_ error: UsageError, of command: Command?) -> ExitCode {
    let text: MessageText
    switch error {
    case .helpWanted:
      writeToTerminal(command?.page ?? Command.overview, STDOUT_FILENO)
      return .success
    case .mistake(let mistake): text = mistake
    case .unknown(let word):
      let words = command.map { $0.words } ?? Command.all.map { [UInt8]($0.name) }
      let nearest = Suggestion.index(nearestTo: word, in: words)
      let remedy: MessageText = nearest.map { "; did you mean \"\(bytes: words[$0])\"?" } ?? ""
      text = "\(quoted: word) is not recognized\(remedy)"
    }
    let program = command.program
    Log().error("\(program): \(text)")
    writeToTerminal(("Try: \(program) --help\n" as MessageText).bytes, STDERR_FILENO)
    return .usage
  }
}

extension Command? {
  fileprivate var program: MessageText { map { "homeward \($0.name)" } ?? "homeward" }
}

extension CommandFailure {
  /// Logs `homeward NAME: problem; remedy`, and returns the code. A problem in a configuration
  /// names its place instead.
  fileprivate func told(by command: Command?) -> ExitCode {
    Log().error(code == .configuration ? text : "\(command.program): \(text)")
    return code
  }
}

extension Command {
  /// Words that it accepts, for a hint after a slip.
  fileprivate var words: [[UInt8]] {
    (actions + (Options.common + options).map { $0.name } + ["--help"]).map { [UInt8]($0) }
  }
}
