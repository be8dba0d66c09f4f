import Bytes
import CLinux

/// What the command line asks for.
enum Command: Equatable {
  case run(configuration: [UInt8], isOnce: Bool, isJSON: Bool)
  case help
  case version

  static let defaultConfiguration: StaticString = "/etc/homeward/homeward.yaml"

  static let helpText: StaticString = """
    Homeward reports the sensors of this board to Home Assistant.

    Usage:
      homeward run [--config FILE] [--once] [--json]

    Options:
      --config FILE   The configuration (default: /etc/homeward/homeward.yaml).
      --once          Do one cycle: wait for a fix, send everything, prove it, and end.
      --json          Write one JSON object per line to standard output for what happens. With
                      --once the last one holds every value that was read, the position included.
      --help          Show this.
      --version       Show the version.

    Examples:
      homeward run --config boat.yaml
      homeward run --config boat.yaml --once --json | jq .sensors

    Exit codes (sysexits):
      0   the agent was asked to stop; with --once: Home Assistant has everything
      64  the command line is wrong
      65  the kept registration is damaged
      66  the configuration cannot be read
      75  with --once: Home Assistant could not be reached, or did not prove that it took the data
      77  with --once: Home Assistant does not accept the token
      78  the configuration is wrong; every mistake is listed with its line

    """
}

/// A mistake in the command line, in words.
struct UsageError: Error {
  let text: MessageText
}

extension Command {
  /// Reads the arguments after the program's name.
  init(_ arguments: [[UInt8]]) throws(UsageError) {
    var rest = arguments[...]
    var isRun = false
    var configuration = [UInt8](Self.defaultConfiguration)
    var isOnce = false
    var isJSON = false
    while let argument = rest.popFirst() {
      switch argument {
      case _ where argument.span.elementsEqual("--help") || argument.span.elementsEqual("-h"):
        self = .help
        return
      case _ where argument.span.elementsEqual("--version"):
        self = .version
        return
      case _ where argument.span.elementsEqual("run") && !isRun: isRun = true
      case _ where argument.span.elementsEqual("--once"): isOnce = true
      case _ where argument.span.elementsEqual("--json"): isJSON = true
      case _ where argument.span.elementsEqual("--config"):
        guard let file = rest.popFirst(), !file.isEmpty else {
          throw UsageError(text: "--config needs the name of a file")
        }
        configuration = file
      default: throw UsageError(text: "\(quoted: argument) is not known here")
      }
    }
    guard isRun else { throw UsageError(text: "say what to do: homeward run") }
    self = .run(configuration: configuration, isOnce: isOnce, isJSON: isJSON)
  }

  /// The arguments of this process after its name.
  @safe static var processArguments: [[UInt8]] {
    (1..<max(clinux_argument_count(), 1)).compactMap { index in
      guard let text = unsafe clinux_argument(index) else { return nil }
      return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
  }
}
