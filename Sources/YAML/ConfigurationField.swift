public import Bytes

/// Value of the file, with its position and the collector of its problems.
///
/// Each kind of value has a reading function, which reports the reason before it returns nil: those
/// of single values are in `ConfigurationField+Text.swift` and beside it, those of the sections of
/// the file in `Configuration+Sections.swift`. They are plain functions, since generic rules,
/// specialised for each kind, were a quarter of the shipped binary.
public final class ConfigurationField {
  let node: YAMLNode
  let path: ConfigurationPath
  let problems: ProblemCollector

  init(node: YAMLNode, path: ConfigurationPath, problems: ProblemCollector) {
    self.node = node
    self.path = path
    self.problems = problems
  }

  /// Reads the whole file; nil, reported, if it contains no settings. `example` shows the minimum
  /// content of a file.
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

  // Neither this nor `text` is inlined: most reading functions use both.
  @inline(never)
  public func report(_ problem: consuming MessageText, remedy: consuming MessageText) {
    problems.report(at: node.mark, path, problem, remedy: remedy)
  }

  /// Number of problems reported so far, for the whole file.
  public var problemCount: Int { problems.count }

  /// Whether a problem of the field or of a part of it was reported, also one of the YAML, because
  /// of which a part is left out.
  public var hasProblem: Bool { problems.hasProblem(in: path) }

  public func report(_ refusal: Refusal) { report(refusal.problem, remedy: refusal.remedy) }

  /// Whether there is a value; reports a key without one.
  var hasValue: Bool {
    if case .refused = node.content { return false }
    if node.isEmpty { report("there is no value", remedy: "write one, or remove the line") }
    return !node.isEmpty
  }

  public var isText: Bool { if case .scalar = node.content { true } else { false } }

  public var isMapping: Bool { if case .mapping = node.content { true } else { false } }

  /// Returns the field's text, quoted or not; nil, reported, if it is a list or a mapping.
  @inline(never)
  public func text() -> [UInt8]? {
    if case .scalar(let text, _) = node.content { return text }
    report("one value is expected here", remedy: "write it without brackets, on the key's line")
    return nil
  }

  /// Returns the keys and values of the field; nil, reported, if it is not a mapping.
  ///
  /// The caller reads every known key before it gives up, so that all problems are reported, and
  /// reports the unknown keys at the end.
  public func section(example: StaticString) -> SectionReader? {
    if case .mapping(let entries) = node.content { return SectionReader(self, entries: entries) }
    report("keys and values are expected here", remedy: "write for example \(example)")
    return nil
  }

  /// Returns the items of the field that have a value, at most as many as allowed; reports a field
  /// that is not a list and returns no items.
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

/// Reason why a text is not valid for a setting.
public struct Refusal: Error {
  public let problem: MessageText
  public let remedy: MessageText

  public init(_ problem: MessageText, remedy: MessageText) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// Texts that must be unique in the file, with their fields.
public final class SeenTexts {
  private var texts: [[UInt8]] = []
  private var fields: [ConfigurationField] = []
  private var writtenTexts: [[UInt8]] = []

  public init() {}

  /// Records the text of `field`, and reports it if it was used before. `written` is the text as
  /// written, if several texts have the same meaning.
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
