public import Bytes
public import Drivers
import LinuxIO
public import YAML

extension Configuration {
  public static let defaultFile: StaticString = "/etc/homeward/homeward.yaml"
  public static let defaultStateDirectory: StaticString = "/var/lib/homeward"
  public static let fileByteCountMax = 64 * 1024

  /// Reads the configuration file of a command; `-` is standard input.
  public static func read(from file: [UInt8]) throws(CommandFailure) -> Configuration {
    if let configuration = try readIfThere(from: file) { return configuration }
    throw CommandFailure(unreadableConfiguration: file, .noSuchFile)
  }

  /// Reads the configuration file of a command; nil if the file does not exist.
  public static func readIfThere(from file: [UInt8]) throws(CommandFailure) -> Configuration? {
    guard let text = try text(ifThereIn: file) else { return nil }
    return try read(text, of: file)
  }

  public static func text(of file: [UInt8]) throws(CommandFailure) -> [UInt8] {
    if let text = try text(ifThereIn: file) { return text }
    throw CommandFailure(unreadableConfiguration: file, .noSuchFile)
  }

  private static func text(ifThereIn file: [UInt8]) throws(CommandFailure) -> [UInt8]? {
    do throws(Errno) {
      return isStandardInput(file)
        ? try readStandardInput(byteCountMax: fileByteCountMax)
        : try readFile(at: Path(file), byteCountMax: fileByteCountMax)
    } catch .noSuchFile {
      return nil
    } catch .fileTooLarge {
      throw CommandFailure(
        code: .configuration,
        text: "\(Path(file)):1:1: this is larger than 64 KiB; is it the right file?")
    } catch {
      throw CommandFailure(unreadableConfiguration: file, error)
    }
  }

  public static func isStandardInput(_ file: [UInt8]) -> Bool { file.span.elementsEqual("-") }

  /// Parses the text of a configuration. Problems name their place in `file`. A text that was
  /// judged before remains valid, whatever the board files contain now. With `hidesUnknownKeys`, no
  /// problem names an unknown key.
  public static func read(
    _ text: [UInt8], of file: [UInt8], isJudged: Bool = false, hidesUnknownKeys: Bool = false
  ) throws(CommandFailure) -> Configuration {
    let look: BoardLook? = isJudged ? nil : { board(of: $0) }
    let problems = ProblemCollector(shownKeys: hidesUnknownKeys ? keys(in: text) : nil)
    do throws(ConfigurationErrors) { return try parse(text, on: look, problems) } catch {
      let name = isStandardInput(file) ? [UInt8]("standard input") : file
      let lines = error.rendered(fileName: name).dropLast()
      throw CommandFailure(
        code: .configuration, text: MessageText(bytes: [UInt8](lines)))
    }
  }

  /// Returns all keys that the sections of a text may have.
  public static func keys(in text: [UInt8]) -> [StaticString] {
    let problems = ProblemCollector()
    _ = ConfigurationField(file: text, example: "", problems: problems)?.configuration()
    return problems.knownKeys
  }

  /// Returns the board. A problem in its file is reported when the lines are searched.
  private static func board(of host: HostPaths) -> BoardFile? {
    (try? BoardPins(sys: Path(host.sys), packagedIn: host.boards))?.board
  }

  /// Returns the outputs in a text, with their lines on this board, even if the text is wrong
  /// elsewhere. An output with a mistake is left out, because its safe level could be wrong. A text
  /// that is not YAML has none: its end may be missing.
  public static func outputs(in text: [UInt8]) -> [OutputSettings] {
    let problems = ProblemCollector()
    let field = ConfigurationField(file: text, example: "outputs: []", problems: problems)
    guard problems.isEmpty, let field else { return [] }
    guard let configuration = field.configuration(on: { board(of: $0) }) else { return [] }
    return configuration.findingLines().0.outputs
  }
}

extension Configuration {
  /// Returns the warnings: valid settings that may not be intended, with their places in `file`.
  public func warnings(of file: [UInt8]) -> [MessageText] {
    warnings.map { MessageText(bytes: $0.rendered(fileName: file)) }
  }

  /// Parses a configuration file. At most 64 KiB of the bytes are read, in time about proportional
  /// to their number. Throws every problem of the file; after an error in its YAML, only the
  /// problems before it.
  public static func parse(_ source: [UInt8]) throws(ConfigurationErrors) -> Configuration {
    try parse(source, on: nil)
  }

  /// Parses a configuration file, and also rejects a line of the board that is used twice under any
  /// names. `board` finds the board.
  static func parse(
    _ source: [UInt8], on board: BoardLook?, _ problems: ProblemCollector = ProblemCollector()
  ) throws(ConfigurationErrors) -> Configuration {
    guard
      let field = ConfigurationField(
        file: source, example: "home_assistant: { url: http://192.168.1.5:8123 }",
        problems: problems),
      var configuration = field.configuration(on: board), problems.isEmpty
    else { throw problems.errors }
    configuration.warnings = problems.warnings
    return configuration
  }
}

extension CommandFailure {
  fileprivate init(unreadableConfiguration file: [UInt8], _ error: Errno) {
    let remedy: MessageText
    switch error {
    case .noSuchFile:
      let isDefault = file.span.elementsEqual(Configuration.defaultFile)
      let option: MessageText = isDefault ? "" : " --config \(typed: Path(file))"
      remedy = "to create it, run: sudo homeward pair\(option)"
    case .isDirectory: remedy = "name the file in it with --config"
    case .isPipe:
      self.init(
        code: .noInput,
        text: "\(Path(file)) cannot be read: it is not a regular file; to read standard input, use"
          + " --config -")
      return
    case .notPermitted:
      self.init(notPermitted: Path(file))
      return
    default: remedy = "name another one with --config"
    }
    self.init(code: .noInput, text: "\(Path(file)) cannot be read: \(error); \(remedy)")
  }
}
