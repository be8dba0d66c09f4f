public import Bytes

/// Reads the keys of one mapping.
///
/// What a section asks for is what it knows: the keys are listed nowhere else.
public final class SectionReader {
  private let field: ConfigurationField
  private let entries: [YAMLEntry]
  private var knownKeys: [StaticString] = []
  /// Keys of former versions.
  private var ignoredKeys: [StaticString] = []
  private var hint: (key: StaticString, remedy: MessageText)?

  init(_ field: ConfigurationField, entries: [YAMLEntry]) {
    self.field = field
    self.entries = entries
  }

  /// The field of `key`; nil when the key is absent, or has no value, which is reported.
  public func optional(_ key: StaticString) -> ConfigurationField? {
    entry(of: key).flatMap { value(of: $0) }
  }

  /// The field of `key`; nil, reported, when the key is absent or has no value. The position of
  /// an absent key is the mapping that lacks it.
  public func required(_ key: StaticString, example: StaticString) -> ConfigurationField? {
    if let entry = entry(of: key) { return value(of: entry) }
    field.report("the key \"\(key)\" is missing", remedy: "write for example \(example)")
    return nil
  }

  /// Which of these keys stands first in the mapping, if one does. It is not known by that.
  public func index(ofFirst keys: [StaticString]) -> Int? {
    for entry in entries {
      for index in keys.indices where entry.key.span.elementsEqual(keys[index]) { return index }
    }
    return nil
  }

  /// What to say about a key that does not exist, though people may expect it.
  public func hint(_ key: StaticString, _ remedy: MessageText) {
    hint = (key, remedy)
  }

  /// Accepts a key that had an effect in a former version, with a warning. Its value is not read,
  /// and no advice names such a key.
  public func ignore(_ key: StaticString, because reason: StaticString, remedy: MessageText) {
    ignoredKeys.append(key)
    for entry in entries where entry.key.span.elementsEqual(key) {
      field.problems.warn(
        at: entry.mark, field.path, "\"\(key)\" has no effect: \(reason)", remedy: remedy)
    }
  }

  /// Which of these keys stand in the mapping, in its order. They are not known by that.
  public func indices(of keys: [StaticString]) -> [Int] {
    entries.compactMap { entry in keys.firstIndex { entry.key.span.elementsEqual($0) } }
  }

  /// Reports something about a key that stands in the mapping.
  public func report(at key: StaticString, _ problem: MessageText, remedy: MessageText) {
    for entry in entries where entry.key.span.elementsEqual(key) {
      field.problems.report(at: entry.mark, field.path, problem, remedy: remedy)
    }
  }

  /// Reports the first key that is not `name`, for a mapping that lacks each of `kinds`. Returns
  /// whether there is one.
  public func reportMissingKind(_ kinds: [StaticString]) -> Bool {
    for entry in entries where !entry.key.span.elementsEqual("name") {
      let nearest = Suggestion.nearest(to: entry.key, in: kinds)
      field.problems.report(
        at: entry.mark, field.path, "\(quoted: entry.key) is not a kind of sensor",
        remedy: nearest.map { "did you mean \"\($0)\"?" } ?? "write \(anyOf: kinds)")
      return true
    }
    return false
  }

  /// Reports each key that no field asked for, whose value is never shown, and each that has no
  /// value.
  public func reportUnknownKeys() {
    field.problems.sectionRead(field.path, knownKeys)
    var empty: YAMLEntry?
    var hasLine = false
    for entry in entries where !isAmong(ignoredKeys, entry.key) {
      if isAmong(knownKeys, entry.key) {
        if let empty, !hasLine { reportEmpty(empty) }
        (empty, hasLine) = (entry.value.isEmpty ? entry : nil, false)
      } else if let empty, Suggestion.nearest(to: entry.key, in: knownKeys) == nil {
        // It stands under its section, and not in it.
        hasLine = true
        field.problems.report(
          at: entry.mark, field.path, "\(quoted: entry.key) belongs to \(bytes: empty.key)",
          remedy: "indent it by two spaces")
      } else {
        field.problems.report(
          at: entry.mark, field.path, "unknown key \(quoted: entry.key)",
          remedy: remedy(for: entry.key))
      }
    }
    if let empty, !hasLine { reportEmpty(empty) }
  }

  private func reportEmpty(_ entry: YAMLEntry) { _ = self.field(of: entry).hasValue }

  private func isAmong(_ keys: [StaticString], _ key: [UInt8]) -> Bool {
    for known in keys where key.span.elementsEqual(known) { return true }
    return false
  }

  private func entry(of key: StaticString) -> YAMLEntry? {
    knownKeys.append(key)
    for entry in entries where entry.key.span.elementsEqual(key) { return entry }
    return nil
  }

  /// Nil without a value, which is reported with the unknown keys.
  private func value(of entry: YAMLEntry) -> ConfigurationField? {
    if case .refused = entry.value.content { return nil }
    return entry.value.isEmpty ? nil : self.field(of: entry)
  }

  private func field(of entry: YAMLEntry) -> ConfigurationField {
    ConfigurationField(
      node: entry.value, path: field.path.appending(entry.key), problems: field.problems)
  }

  private func remedy(for key: [UInt8]) -> MessageText {
    if let hint, key.span.elementsEqual(hint.key) { return hint.remedy }
    if let section = field.problems.section(in: field.path, having: key) {
      return "it belongs below \(bytes: section.bytes)"
    }
    if let nearest = Suggestion.nearest(to: key, in: knownKeys) {
      return "did you mean \"\(nearest)\"?"
    }
    return knownKeys.count == 1
      ? "the only key here is \(anyOf: knownKeys)" : "write \(anyOf: knownKeys)"
  }
}
