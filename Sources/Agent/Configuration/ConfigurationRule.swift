/// One value of the file, where it stands, and who hears about what is wrong with it.
struct ConfigurationField {
  let node: YAMLNode
  let path: ConfigurationPath
  let problems: ProblemCollector

  func report(_ problem: MessageText, remedy: MessageText) {
    problems.report(ConfigurationProblem(at: node.mark, path, problem, remedy: remedy))
  }

  /// Whether there is something to read; reports when there is nothing after the key.
  func hasValue() -> Bool {
    if case .refused = node.content { return false }
    if node.isEmpty { report("there is no value", remedy: "write one, or remove the line") }
    return !node.isEmpty
  }

  /// The field's text; nil, reported, when it is a list or a mapping.
  func text() -> [UInt8]? {
    if case .scalar(let text, _) = node.content { return text }
    report("one value is expected here", remedy: "write it without brackets, on the key's line")
    return nil
  }

  /// The keys and values of the field; nil, reported, when it is something else.
  func section(example: StaticString) -> SectionReader? {
    if case .mapping(let entries) = node.content { return SectionReader(self, entries: entries) }
    report("keys and values are expected here", remedy: "write for example \(example)")
    return nil
  }

  /// The items of the field, as many as allowed; nil, reported, when it is not a list.
  func items(count: ClosedRange<Int>, example: StaticString) -> [ConfigurationField]? {
    guard case .sequence(let nodes) = node.content else {
      report("a list is expected here", remedy: "write for example \(example)")
      return nil
    }
    if !count.contains(nodes.count) {
      report(
        "this list has \(nodes.count) items",
        remedy: "write \(count.lowerBound) to \(count.upperBound)")
    }
    return nodes.prefix(count.upperBound).enumerated().map { index, node in
      ConfigurationField(node: node, path: path.appending(index: index), problems: problems)
    }
  }
}

/// Why a text cannot be the value of a setting.
struct Refusal: Error {
  let problem: MessageText
  let remedy: MessageText

  init(_ problem: MessageText, remedy: MessageText) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// How one kind of value is read. The kinds of single values are in `ConfigurationRule+Text.swift`,
/// the sections of the file in `Configuration+Sections.swift`.
struct ConfigurationRule<Value> {
  /// Returns nil after it has reported why.
  private let body: (ConfigurationField) -> Value?

  init(_ body: @escaping (ConfigurationField) -> Value?) { self.body = body }

  /// The value of `field`; nil when something is wrong with it, which has been reported.
  func read(_ field: ConfigurationField) -> Value? {
    field.hasValue() ? body(field) : nil
  }
}

extension ConfigurationRule {
  /// A single value, read from its text. Quotes make no difference.
  static func text(_ parse: @escaping ([UInt8]) throws(Refusal) -> Value) -> Self {
    Self { field in
      guard let text = field.text() else { return nil }
      do throws(Refusal) {
        return try parse(text)
      } catch {
        field.report(error.problem, remedy: error.remedy)
        return nil
      }
    }
  }

  /// One of some words.
  static func word(_ words: [(StaticString, Value)]) -> Self {
    let names = words.map { $0.0 }
    return .text { (text) throws(Refusal) in words[try index(of: text, in: names)].1 }
  }

  /// One of some words, or something that is not a single value.
  static func word(
    _ words: [(StaticString, Value)], or other: Self, remedy: MessageText
  ) -> Self {
    Self { field in
      guard case .scalar(let text, _) = field.node.content else { return other.read(field) }
      if let match = words.first(where: { text.isEqual(to: $0.0) }) { return match.1 }
      field.report("\(quoted: text) is not possible here", remedy: remedy)
      return nil
    }
  }

  /// Keys and their values. `body` asks for each key it knows; whatever else stands there is
  /// reported after it. Bodies ask for everything before they give up, so that all problems show.
  static func section(
    example: StaticString, _ body: @escaping (inout SectionReader) -> Value?
  ) -> Self {
    Self { field in
      guard var section = field.section(example: example) else { return nil }
      let value = body(&section)
      section.reportUnknownKeys()
      return value
    }
  }

  /// A list; items that are wrong are reported and left out.
  static func list<Item>(
    of item: ConfigurationRule<Item>, count: ClosedRange<Int>, example: StaticString
  ) -> Self where Value == [Item] {
    Self { field in
      guard let items = field.items(count: count, example: example) else { return nil }
      var values: [Item] = []
      for field in items {
        if let value = item.read(field) { values.append(value) }
      }
      return values
    }
  }

  func map<Other>(_ transform: @escaping (Value) -> Other) -> ConfigurationRule<Other> {
    ConfigurationRule<Other> { field in read(field).map(transform) }
  }

  /// Refuses a value that another field, read with the same `seen`, has already.
  func unique(
    among seen: SeenValues<Value>, by areSame: @escaping (Value, Value) -> Bool
  ) -> Self {
    Self { field in
      guard let value = read(field) else { return nil }
      if let first = seen.values.first(where: { areSame($0.value, value) }) {
        field.report(
          "this is already used on line \(first.line)", remedy: "each may stand there once")
      }
      seen.values.append((value, field.node.mark.line))
      return value
    }
  }
}

/// The values that stood in the file so far, and their lines.
final class SeenValues<Value> {
  var values: [(value: Value, line: Int)] = []
}

/// Which of the words a text is.
private func index(of text: [UInt8], in words: [StaticString]) throws(Refusal) -> Int {
  if let match = words.firstIndex(where: { text.isEqual(to: $0) }) { return match }
  let nearest = Suggestion.nearest(to: text, in: words)
  throw Refusal(
    "\(quoted: text) is unknown",
    remedy: nearest.map { "did you mean \"\($0)\"?" } ?? "write \(anyOf: words)")
}
