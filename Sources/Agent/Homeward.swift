import Bytes
import CLinux

/// The program: its arguments to a command, the command's end to an exit code.
public enum Homeward {
  public static func main() -> ExitCode {
    var arguments = Arguments.ofProcess
    var command: Command?
    do throws(UsageError) {
      guard let first = try arguments.next() else {
        throw .mistake("say what to do: homeward run")
      }
      if "--version" ~= first {
        let line: MessageText = "homeward \(homewardVersion)\n"
        writeToTerminal(line.bytes, STDOUT_FILENO)
        return .success
      }
      command = .named(first)
      guard let command else { throw first.unknown }
      return try command.run(&arguments)
    } catch {
      return end(error, of: command)
    }
  }

  /// `command` is nil where the program was not told which.
  private static func end(_ error: UsageError, of command: Command?) -> ExitCode {
    switch error {
    case .helpWanted:
      writeToTerminal(command.map { [UInt8]($0.help) } ?? Command.overview, STDOUT_FILENO)
      return .success
    case .mistake(let text):
      let program: MessageText = command.map { "homeward \($0.name)" } ?? "homeward"
      let line: MessageText = "\(program): \(text)\nTry: \(program) --help\n"
      writeToTerminal(line.bytes, STDERR_FILENO)
      return .usage
    }
  }
}
