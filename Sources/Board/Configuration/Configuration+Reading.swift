public import Bytes
public import Drivers
import LinuxIO
public import YAML

extension Configuration {
  public static let defaultFile: StaticString = "/etc/homeward/homeward.yaml"
  public static let defaultStateDirectory: StaticString = "/var/lib/homeward"
  public static let fileByteCountMax = 64 * 1024

  /// Reads the file that a command works with; `-` is standard input.
  public static func read(from file: [UInt8]) throws(CommandFailure) -> Configuration {
    if let configuration = try readIfThere(from: file) { return configuration }
    throw CommandFailure(unreadable: file, .noSuchFile)
  }

  /// The same; nil where there is no such file.
  public static func readIfThere(from file: [UInt8]) throws(CommandFailure) -> Configuration? {
    guard let text = try text(ifThereIn: file) else { return nil }
    return try read(text, of: file)
  }

  /// The text of the file that a command works with.
  public static func text(of file: [UInt8]) throws(CommandFailure) -> [UInt8] {
    if let text = try text(ifThereIn: file) { return text }
    throw CommandFailure(unreadable: file, .noSuchFile)
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
      throw CommandFailure(unreadable: file, error)
    }
  }

  public static func isStandardInput(_ file: [UInt8]) -> Bool { file.span.elementsEqual("-") }

  /// The configuration that a text says. What is wrong in it names its place in `file`. One that
  /// was judged right stays right, whatever the board files say now.
  public static func read(
    _ text: [UInt8], of file: [UInt8], isJudged: Bool = false
  ) throws(CommandFailure) -> Configuration {
    let look: BoardLook? = isJudged ? nil : { board(of: $0) }
    do throws(ConfigurationErrors) { return try parse(text, on: look) } catch {
      let name = isStandardInput(file) ? [UInt8]("standard input") : file
      let lines = error.rendered(fileName: name).dropLast()
      throw CommandFailure(
        code: .configuration, text: MessageText(bytes: [UInt8](lines)))
    }
  }

  /// What is wrong with a board file is told where its lines are looked for.
  private static func board(of host: HostPaths) -> BoardFile? {
    (try? BoardPins(sys: Path(host.sys), packagedIn: host.boards))?.board
  }

  /// The outputs that a text names, with their lines where this board has them, also where the text
  /// is wrong elsewhere. An output with a mistake of its own is left out: its safe level could be
  /// the wrong one. A text that is no YAML has none: its end may be missing.
  public static func outputs(in text: [UInt8]) -> [OutputSettings] {
    let problems = ProblemCollector()
    let field = ConfigurationField(file: text, example: "outputs: []", problems: problems)
    guard problems.isEmpty, let field else { return [] }
    guard let configuration = field.configuration(on: { board(of: $0) }) else { return [] }
    return configuration.findingLines().0.outputs
  }
}

extension Configuration {
  /// What this configuration says that is right, and perhaps not meant, with its place in `file`.
  public func warnings(of file: [UInt8]) -> [MessageText] {
    warnings.map { MessageText(bytes: $0.rendered(fileName: file)) }
  }

  /// The configuration in the bytes of a file.
  ///
  /// Any bytes are answered: at most 64 KiB are looked at, in time about proportional to their
  /// number.
  ///
  /// - Parameter source: the whole file; see `Configuration` for what it may say.
  /// - Returns: the configuration, complete and within all limits.
  /// - Throws: everything that is wrong with the file; after a mistake in its YAML, only what was
  ///   found until there.
  public static func parse(_ source: [UInt8]) throws(ConfigurationErrors) -> Configuration {
    try parse(source, on: nil)
  }

  /// The same, where a line of the board that is named twice is a mistake, too, by whatever names.
  /// `board` finds the board.
  static func parse(
    _ source: [UInt8], on board: BoardLook?
  ) throws(ConfigurationErrors) -> Configuration {
    let problems = ProblemCollector()
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
  fileprivate init(unreadable file: [UInt8], _ error: Errno) {
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
