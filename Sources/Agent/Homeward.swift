import Bytes
import CLinux

/// The program: its arguments to a command, the command's end to an exit code.
public enum Homeward {
  public static func main() -> ExitCode {
    do throws(UsageError) {
      switch try Command(Command.processArguments) {
      case .help: writeToTerminal([UInt8](Command.helpText), STDOUT_FILENO)
      case .version:
        let line: MessageText = "homeward \(homewardVersion)\n"
        writeToTerminal(line.bytes, STDOUT_FILENO)
      case .run(let file, let isOnce, let isJSON):
        return RunCommand(file: file, isOnce: isOnce, events: EventStream(isOn: isJSON)).run()
      }
      return .success
    } catch {
      let line: MessageText = "homeward: \(error.text)\nTry: homeward --help\n"
      writeToTerminal(line.bytes, STDERR_FILENO)
      return .usage
    }
  }
}
