import Bytes
public import LinuxIO
import YAML

/// `after_upload`: a program that the agent starts after each upload of which Home Assistant has
/// proven that it came in.
public struct AfterUploadSettings: Equatable, Sendable {
  static let timeoutRange: ClosedRange<Duration> = .seconds(1) ... .seconds(600)
  /// The program and its arguments.
  static let wordsMax = 17
  static let argumentBytesMax = 1024

  /// The first of `run`: an absolute path of at most 1024 bytes. No shell looks at it, and it is
  /// not looked for anywhere else. Required.
  public var program: [UInt8]
  /// The rest of `run`, as they are: at most 16, of at most 1024 bytes each.
  public var arguments: [[UInt8]]
  /// `timeout`: when the program is ended that has not by then; 1 s to 10 min. Default: 30 s.
  public var timeout: Duration

  public var path: Path { Path(program) }
}

extension ConfigurationField {
  func afterUpload() -> AfterUploadSettings? {
    guard let keys = section(example: "after_upload: { run: [/usr/local/bin/program] }") else {
      return nil
    }
    defer { keys.reportUnknownKeys() }
    let words = keys.required("run", example: "run: [/usr/local/bin/program]")?.programWords()
    let timeout = keys.optional("timeout")?
      .duration(in: AfterUploadSettings.timeoutRange, example: "30s")
    guard let words, let program = words.first else { return nil }
    return AfterUploadSettings(
      program: program, arguments: [[UInt8]](words.dropFirst()), timeout: timeout ?? .seconds(30))
  }

  /// The program, and what it is given.
  private func programWords() -> [[UInt8]]? {
    if isText {
      report(
        "no shell takes such a line apart",
        remedy: "write a list of words, such as [/usr/local/bin/program, --quiet]")
      return nil
    }
    let items = items(
      count: 1...AfterUploadSettings.wordsMax, example: "[/usr/local/bin/program, --quiet]")
    guard let program = items.first?.absolutePath() else { return nil }
    return [program] + items.dropFirst().compactMap { $0.programArgument() }
  }

  /// It is not shown when it is wrong, since it may be a secret.
  private func programArgument() -> [UInt8]? {
    guard let text = text() else { return nil }
    guard text.count <= AfterUploadSettings.argumentBytesMax else {
      report(
        "this argument has \(text.count) bytes",
        remedy: "the most is \(AfterUploadSettings.argumentBytesMax)")
      return nil
    }
    guard !text.contains(0) else {
      report("this argument has a NUL, which ends it", remedy: "remove it")
      return nil
    }
    return text
  }
}
