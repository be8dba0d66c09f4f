public import Bytes

/// One thing that is wrong in a configuration file, and what would be right.
public struct ConfigurationProblem: Equatable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The column, counted from 1 in characters, as editors show it.
  public let column: Int
  /// Which setting, such as `sensors[1].debounce` (lists count from 0); empty for the whole file.
  public let key: [UInt8]
  /// What is wrong: UTF-8, no control characters, no full stop.
  public let problem: [UInt8]
  /// What to do about it, in the same form.
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

  /// `FILE:LINE:COLUMN: KEY: problem; remedy`, the form that editors and terminals jump to.
  public func rendered(fileName: [UInt8]) -> [UInt8] {
    let place: MessageText = "\(bytes: fileName):\(line):\(column): "
    return ("\(place)\(subject)\(bytes: problem); \(bytes: remedy)" as MessageText).bytes
  }

  /// `KEY: `; nothing for the whole file.
  public var subject: MessageText { key.isEmpty ? "" : "\(bytes: key): " }

  var mark: TextMark { TextMark(line: line, column: column) }
}

/// Everything that is wrong in a configuration file, in the order of the file.
public struct ConfigurationErrors: Error, Equatable, Sendable {
  /// More than these help no reader: the first ones are usually the cause of the rest.
  public static let problemsMax = 50

  /// Never empty when thrown; at most `problemsMax`, those nearest to the top of the file.
  public let problems: [ConfigurationProblem]
  /// How many more there were.
  public let omittedCount: Int

  /// One line for each problem, each with a line end; `and N more` follows when some were left out.
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

/// Gathers problems, so that one run of the program shows all of them.
public final class ProblemCollector {
  private var problems: [ConfigurationProblem] = []
  private var omittedCount = 0
  /// What is right, and perhaps not meant or without an effect.
  public private(set) var warnings: [ConfigurationProblem] = []
  /// The sections that were read so far, and their keys.
  private var sections: [(path: ConfigurationPath, keys: [StaticString])] = []

  public init() {}

  public var isEmpty: Bool { problems.isEmpty }
  var count: Int { problems.count + omittedCount }
  public var errors: ConfigurationErrors {
    ConfigurationErrors(problems: problems, omittedCount: omittedCount)
  }

  // Every message of the reading passes here.
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

  /// A section in `path` that has this key, and is no item of a list.
  func section(in path: ConfigurationPath, having key: [UInt8]) -> ConfigurationPath? {
    for section in sections where section.path.isSection(in: path) {
      for known in section.keys where key.span.elementsEqual(known) { return section.path }
    }
    return nil
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

/// Which setting of the file is meant, such as `sensors[1].debounce`.
struct ConfigurationPath {
  static let root = ConfigurationPath(bytes: [])

  let bytes: [UInt8]

  func appending(_ key: [UInt8]) -> ConfigurationPath {
    let shown = MessageText.canShow(key) ? key.printable : [UInt8]("...")
    let dot: MessageText = bytes.isEmpty ? "" : "."
    return ConfigurationPath(bytes: ("\(bytes: bytes)\(dot)\(bytes: shown)" as MessageText).bytes)
  }

  fileprivate func isSection(in other: ConfigurationPath) -> Bool {
    bytes.count > other.bytes.count && bytes.span.starts(with: other.bytes.span)
      && !bytes.contains(UInt8(ascii: "["))
  }

  func appending(index: Int) -> ConfigurationPath {
    ConfigurationPath(bytes: bytes + ("[\(index)]" as MessageText).bytes)
  }
}
