public import Bytes

/// One value of the file, where it stands, and who hears about what is wrong with it.
///
/// What can be read from it is a function for each kind of value, which returns nil after it has
/// reported why: the single values are in `ConfigurationField+Text.swift` and beside it, the
/// sections of the file in `Configuration+Sections.swift`. They are plain functions, since generic
/// rules, made anew for each kind, were a quarter of the shipped binary.
public final class ConfigurationField {
  let node: YAMLNode
  let path: ConfigurationPath
  let problems: ProblemCollector

  init(node: YAMLNode, path: ConfigurationPath, problems: ProblemCollector) {
    self.node = node
    self.path = path
    self.problems = problems
  }

  /// The file as a whole; nil, reported, when there is nothing to read from it. `example` shows the
  /// least that a file has to say.
  public convenience init?(file: [UInt8], example: StaticString, problems: ProblemCollector) {
    guard let source = ConfigurationSource(file, problems: problems) else { return nil }
    let root = YAMLTreeBuilder.tree(of: file, source, problems: problems)
    for comment in source.comments where comment.isTight { problems.warn(of: comment) }
    if problems.isEmpty, root?.isEmpty ?? true {
      problems.report(
        at: .start, .root, "the file has no settings", remedy: "write at least \(example)")
      return nil
    }
    guard let root else { return nil }
    self.init(node: root, path: .root, problems: problems)
    guard hasValue else { return nil }
  }

  public func report(_ problem: MessageText, remedy: MessageText) {
    problems.report(at: node.mark, path, problem, remedy: remedy)
  }

  /// How much was reported so far, of the whole file.
  public var problemCount: Int { problems.count }

  public func report(_ refusal: Refusal) { report(refusal.problem, remedy: refusal.remedy) }

  /// Whether there is something to read; reports when there is nothing after the key.
  var hasValue: Bool {
    if case .refused = node.content { return false }
    if node.isEmpty { report("there is no value", remedy: "write one, or remove the line") }
    return !node.isEmpty
  }

  public var isText: Bool { if case .scalar = node.content { true } else { false } }

  public var isMapping: Bool { if case .mapping = node.content { true } else { false } }

  /// The field's text, quoted or not; nil, reported, when it is a list or a mapping.
  public func text() -> [UInt8]? {
    if case .scalar(let text, _) = node.content { return text }
    report("one value is expected here", remedy: "write it without brackets, on the key's line")
    return nil
  }

  /// The keys and values of the field; nil, reported, when it is something else.
  ///
  /// The caller asks for each key it knows before it gives up, so that all problems show,
  /// and reports the unknown keys at its end.
  public func section(example: StaticString) -> SectionReader? {
    if case .mapping(let entries) = node.content { return SectionReader(self, entries: entries) }
    report("keys and values are expected here", remedy: "write for example \(example)")
    return nil
  }

  /// The items of the field that have a value, as many as allowed; none, reported, when it is not
  /// a list.
  public func items(count: ClosedRange<Int>, example: StaticString) -> [ConfigurationField] {
    guard case .sequence(let nodes) = node.content else {
      report("a list is expected here", remedy: "write for example \(example)")
      return []
    }
    if !count.contains(nodes.count) {
      report(
        "this list has \(nodes.count) items",
        remedy: "write \(count.lowerBound) to \(count.upperBound)")
    }
    var items: [ConfigurationField] = []
    for index in 0..<min(nodes.count, count.upperBound) {
      let item = ConfigurationField(
        node: nodes[index], path: path.appending(index: index), problems: problems)
      if item.hasValue { items.append(item) }
    }
    return items
  }
}

/// Why a text cannot be the value of a setting.
public struct Refusal: Error {
  public let problem: MessageText
  public let remedy: MessageText

  public init(_ problem: MessageText, remedy: MessageText) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// The texts that stood in the file so far where each may stand once, and their fields.
public final class SeenTexts {
  private var texts: [[UInt8]] = []
  private var fields: [ConfigurationField] = []
  private var writtenTexts: [[UInt8]] = []

  public init() {}

  /// Remembers the text of `field`, and reports it when it stood there before.
  ///
  /// - Parameters:
  ///   - text: what may stand there once.
  ///   - field: where it stands.
  ///   - written: what stands in the file, where several texts mean the same thing.
  public func add(_ text: [UInt8], of field: ConfigurationField, writtenAs written: [UInt8]? = nil)
  {
    let written = written ?? text
    if let index = texts.firstIndex(of: text) {
      let line = fields[index].node.mark.line
      field.report(
        writtenTexts[index] == written
          ? "this is already used on line \(line)"
          : "\(quoted: written) is \(quoted: writtenTexts[index]), already used on line \(line)",
        remedy: "write each one once")
    }
    texts.append(text)
    writtenTexts.append(written)
    fields.append(field)
  }
}
