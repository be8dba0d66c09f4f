public import Bytes
import CLinux
public import LinuxIO

/// The reason why a command does not start: a wrong command line, or a request for help.
public enum UsageError: Error {
  case mistake(MessageText)
  case unknown([UInt8])
  case helpWanted
}

/// The words after a command's name, taken one by one. `--option=value` counts as two.
///
///     while let argument = try arguments.next() {
///       switch argument {
///       case "--once": isOnce = true
///       case "--config": file = try arguments.value(of: argument, "the name of a file")
///       default: throw argument.unknown
///       }
///     }
public struct Arguments {
  private var rest: ArraySlice<[UInt8]>
  /// An option before a `=` and its value, until the value is taken.
  private var attached: (option: [UInt8], value: [UInt8])?

  init(_ words: [[UInt8]]) { rest = words[...] }

  /// Arguments of this process after its name.
  @safe public static var ofProcess: Arguments {
    Arguments(
      (1..<max(clinux_argument_count(), 1)).compactMap { index in
        guard let text = unsafe clinux_argument(index) else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
      })
  }

  /// Returns the next argument. Throws `helpWanted` for `--help` or `-h`, and a mistake if the last
  /// argument has a value and takes none.
  public mutating func next() throws(UsageError) -> Argument? {
    if let attached { throw .mistake("\(bytes: attached.option.printable) takes no value") }
    guard var word = rest.popFirst() else { return nil }
    if word.span.starts(with: "--"), let sign = word.firstIndex(of: UInt8(ascii: "=")) {
      attached = (Array(word[..<sign]), Array(word[(sign + 1)...]))
      word = Array(word[..<sign])
    }
    let argument = Argument(bytes: word)
    if "--help" ~= argument || "-h" ~= argument { throw .helpWanted }
    return argument
  }

  /// Returns the value after an option. `meaning` describes the value in the error message.
  public mutating func value(
    of option: Argument, _ meaning: StaticString
  ) throws(UsageError) -> [UInt8] {
    let given = attached?.value ?? rest.popFirst()
    attached = nil
    guard let value = given, !value.isEmpty else {
      throw .mistake("\(bytes: option.bytes) needs \(meaning)")
    }
    return value
  }
}

extension Arguments {
  /// Command line of this process for a person who needs sudo: `sudo homeward unpair --local`.
  public static var commandWithSudo: MessageText { ofProcess.withSudo }

  var withSudo: MessageText {
    rest.reduce("sudo homeward") { "\($0) \(typed: Path($1))" }
  }

  /// Returns a command for a person, with the configuration file of this process: `sudo homeward
  /// check --config boat.yaml`.
  @inline(never)
  public static func command(_ words: StaticString) -> MessageText {
    "sudo homeward \(words)\(ofProcess.configurationOption)"
  }

  /// Option ` --config FILE` if these arguments name a file that can be read again; otherwise
  /// empty.
  var configurationOption: MessageText {
    var words = self
    while let word = words.nextWord() {
      guard "--config" ~= word, let file = try? words.value(of: word, "a file") else { continue }
      return file.span.elementsEqual("-") ? "" : " --config \(typed: Path(file))"
    }
    return ""
  }

  /// Returns the next argument of any kind, without its attached value.
  private mutating func nextWord() -> Argument? {
    attached = nil
    do throws(UsageError) { return try next() } catch { return Argument(bytes: []) }
  }
}

/// A word of the command line.
public struct Argument {
  public let bytes: [UInt8]

  /// Whether it begins like an option. A single `-` means standard input.
  public var isOption: Bool { bytes.count > 1 && bytes.span.starts(with: "-") }

  public var unknown: UsageError { .unknown(bytes) }

  public static func ~= (literal: StaticString, argument: Argument) -> Bool {
    argument.bytes.span.elementsEqual(literal)
  }
}

/// The failure of a command: the message and the exit code. Each problem of a configuration begins
/// with its place, FILE:LINE:COLUMN, as editors expect.
public struct CommandFailure: Error {
  public let code: ExitCode
  public let text: MessageText

  // Used in hundreds of places, and seldom called.
  @inline(never)
  public init(code: ExitCode, text: MessageText) {
    self.code = code
    self.text = text
  }

  /// The failure of an action that needs sudo. It does not mean that the file has to change.
  public init(notPermitted path: Path) {
    self.init(
      code: .noPermission,
      text: "\(path) is for the agent and root only; run: \(Arguments.commandWithSudo)")
  }
}
