public import Bytes

/// Problem of a configuration file, with its remedy.
public struct ConfigurationProblem: Equatable, Sendable {
  /// Line, counted from 1.
  public let line: Int
  /// Column, counted from 1 in characters, as editors show it.
  public let column: Int
  /// Setting, such as `sensors[1].debounce` (lists count from 0); empty for the whole file.
  public let key: [UInt8]
  /// Description of the problem: UTF-8, no control characters, no full stop.
  public let problem: [UInt8]
  /// Advice how to correct it, in the same form.
  public let remedy: [UInt8]

  init(
    at mark: TextMark, _ path: ConfigurationPath, _ problem: MessageText, remedy: MessageText
  ) {
    line = mark.line
    column = mark.column
    key = path.bytes
    self.problem = problem.bytes
    self.remedy = remedy.bytes
  }

  /// Returns `FILE:LINE:COLUMN: KEY: problem; remedy`, a form that editors and terminals recognise.
  public func rendered(fileName: [UInt8]) -> [UInt8] {
    let place: MessageText = "\(bytes: fileName):\(line):\(column): "
    return ("\(place)\(subject)\(bytes: problem); \(bytes: remedy)" as MessageText).bytes
  }

  /// `KEY: `; empty for the whole file.
  public var subject: MessageText { key.isEmpty ? "" : "\(bytes: key): " }

  var mark: TextMark { TextMark(line: line, column: column) }
}

/// All problems of a configuration file, in the order of the file.
public struct ConfigurationErrors: Error, Equatable, Sendable {
  /// Maximum number of problems shown: the first ones are usually the cause of the rest.
  public static let problemsMax = 50

  /// Problems nearest to the top of the file, at most `problemsMax`. Never empty when thrown.
  public let problems: [ConfigurationProblem]
  /// Number of further problems.
  public let omittedCount: Int

  /// Returns one line for each problem, each with a line end, and `and N more` if necessary.
  public func rendered(fileName: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for problem in problems {
      text += problem.rendered(fileName: fileName)
      text.append(UInt8(ascii: "\n"))
    }
    if omittedCount > 0 { text += ("and \(omittedCount) more\n" as MessageText).bytes }
    return text
  }
}

/// Collects problems, so that one run of the program reports all of them.
public final class ProblemCollector {
  private var problems: [ConfigurationProblem] = []
  private var omittedCount = 0
  /// Warnings about valid text that may be unintended or has no effect.
  public private(set) var warnings: [ConfigurationProblem] = []
  /// Sections read so far, with their keys.
  private var sections: [(path: ConfigurationPath, keys: [StaticString])] = []
  /// Keys that messages may name; nil for all.
  private let shownKeys: [StaticString]?

  /// `shownKeys`: for a file with secrets, the only keys that messages may name. Another one may be
  /// a part of a secret, such as the words after a comma in a text without quotes.
  public init(shownKeys: [StaticString]? = nil) { self.shownKeys = shownKeys }

  /// Keys that the sections read so far may have.
  public var knownKeys: [StaticString] { sections.flatMap { $0.keys } }

  func shows(_ key: [UInt8]) -> Bool {
    shownKeys?.contains { key.span.elementsEqual($0) } ?? true
  }

  public var isEmpty: Bool { problems.isEmpty }
  var count: Int { problems.count + omittedCount }
  public var errors: ConfigurationErrors {
    ConfigurationErrors(problems: problems, omittedCount: omittedCount)
  }

  // Called for every message of the reading.
  @inline(never)
  func report(
    at mark: TextMark, _ path: ConfigurationPath, _ problem: MessageText, remedy: MessageText
  ) {
    report(ConfigurationProblem(at: mark, path, problem, remedy: remedy))
  }

  func warn(of comment: ConfigurationSource.Comment) {
    warn(
      at: comment.mark, .root, "this # begins a comment: the value ends before it",
      remedy: "if the rest belongs to the value, put it all in quotes")
  }

  func warn(
    at mark: TextMark, _ path: ConfigurationPath, _ problem: MessageText, remedy: MessageText
  ) {
    warnings.append(ConfigurationProblem(at: mark, path, problem, remedy: remedy))
  }

  func sectionRead(_ path: ConfigurationPath, _ keys: [StaticString]) {
    sections.append((path, keys))
  }

  /// Returns a section in `path` that has this key and is not an item of a list.
  func section(in path: ConfigurationPath, having key: [UInt8]) -> ConfigurationPath? {
    for section in sections where section.path.isSection(in: path) {
      for known in section.keys where key.span.elementsEqual(known) { return section.path }
    }
    return nil
  }

  func hasProblem(in path: ConfigurationPath) -> Bool {
    // Which of the omitted ones are in it is not known.
    omittedCount > 0 || problems.contains { path.contains($0.key) }
  }

  func report(_ problem: ConfigurationProblem) {
    var index = problems.count
    while index > 0, problem.mark < problems[index - 1].mark { index -= 1 }
    problems.insert(problem, at: index)
    guard problems.count > ConfigurationErrors.problemsMax else { return }
    problems.removeLast()
    omittedCount += 1
  }
}

/// Path of a setting in the file, such as `sensors[1].debounce`.
struct ConfigurationPath {
  static let root = ConfigurationPath(bytes: [])

  let bytes: [UInt8]

  func appending(_ key: [UInt8]) -> ConfigurationPath {
    let shown = MessageText.canShow(key) ? key.printable : [UInt8]("...")
    let dot: MessageText = bytes.isEmpty ? "" : "."
    return ConfigurationPath(bytes: ("\(bytes: bytes)\(dot)\(bytes: shown)" as MessageText).bytes)
  }

  /// Returns whether a setting is that of the path, or a part of it.
  fileprivate func contains(_ key: [UInt8]) -> Bool {
    guard key.span.starts(with: bytes.span) else { return false }
    let next = key.dropFirst(bytes.count).first
    return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }

  fileprivate func isSection(in other: ConfigurationPath) -> Bool {
    bytes.count > other.bytes.count && bytes.span.starts(with: other.bytes.span)
      && !bytes.contains(UInt8(ascii: "["))
  }

  func appending(index: Int) -> ConfigurationPath {
    ConfigurationPath(bytes: bytes + ("[\(index)]" as MessageText).bytes)
  }
}
