/// Reads the keys of one mapping.
///
/// What a section asks for is what it knows: the keys are listed nowhere else.
struct SectionReader {
  private let field: ConfigurationField
  private let entries: [YAMLEntry]
  private var knownKeys: [StaticString] = []
  private var hints: [(key: StaticString, remedy: MessageText)] = []

  init(_ field: ConfigurationField, entries: [YAMLEntry]) {
    self.field = field
    self.entries = entries
  }

  /// The value of `key`; nil when the key is absent or its value wrong.
  mutating func optional<Value>(
    _ key: StaticString, _ rule: ConfigurationRule<Value>
  ) -> Value? {
    field(for: key).flatMap { rule.read($0) }
  }

  /// The value of `key`, or `standard` when the key is absent. (A wrong value is reported, and the
  /// configuration as a whole refused.)
  mutating func optional<Value>(
    _ key: StaticString, _ rule: ConfigurationRule<Value>, default standard: Value
  ) -> Value {
    optional(key, rule) ?? standard
  }

  /// The value of `key`; nil, reported, when the key is absent or its value wrong. The position of
  /// an absent key is the mapping that lacks it.
  mutating func required<Value>(
    _ key: StaticString, _ rule: ConfigurationRule<Value>, example: StaticString
  ) -> Value? {
    if let field = field(for: key) { return rule.read(field) }
    field.report("the key \"\(key)\" is missing", remedy: "write for example \(example)")
    return nil
  }

  /// What to say about a key that does not exist, though people may expect it.
  mutating func hint(_ key: StaticString, _ remedy: MessageText) {
    hints.append((key, remedy))
  }

  /// Reports each key that nobody asked for; its value is never shown.
  func reportUnknownKeys() {
    for entry in entries where !knownKeys.contains(where: { entry.key.isEqual(to: $0) }) {
      field.problems.report(
        ConfigurationProblem(
          at: entry.mark, field.path, "unknown key \(quoted: entry.key)",
          remedy: remedy(for: entry.key)))
    }
  }

  private mutating func field(for key: StaticString) -> ConfigurationField? {
    knownKeys.append(key)
    guard let entry = entries.first(where: { $0.key.isEqual(to: key) }) else { return nil }
    return ConfigurationField(
      node: entry.value, path: field.path.appending(entry.key), problems: field.problems)
  }

  private func remedy(for key: [UInt8]) -> MessageText {
    if let hint = hints.first(where: { key.isEqual(to: $0.key) }) { return hint.remedy }
    if let nearest = Suggestion.nearest(to: key, in: knownKeys) {
      return "did you mean \"\(nearest)\"?"
    }
    return knownKeys.count == 1
      ? "the only key here is \(anyOf: knownKeys)" : "write \(anyOf: knownKeys)"
  }
}
