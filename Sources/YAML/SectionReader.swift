public import Bytes

/// Reads the keys of one mapping.
///
/// What a section asks for is what it knows: the keys are listed nowhere else.
public final class SectionReader {
  private let field: ConfigurationField
  private let entries: [YAMLEntry]
  private var knownKeys: [StaticString] = []
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

  /// Reports each key that no field asked for; its value is never shown.
  public func reportUnknownKeys() {
    for entry in entries where !isKnown(entry.key) {
      field.problems.report(
        at: entry.mark, field.path, "unknown key \(quoted: entry.key)",
        remedy: remedy(for: entry.key))
    }
  }

  private func isKnown(_ key: [UInt8]) -> Bool {
    for known in knownKeys where key.span.elementsEqual(known) { return true }
    return false
  }

  private func entry(of key: StaticString) -> YAMLEntry? {
    knownKeys.append(key)
    for entry in entries where entry.key.span.elementsEqual(key) { return entry }
    return nil
  }

  private func value(of entry: YAMLEntry) -> ConfigurationField? {
    let value = ConfigurationField(
      node: entry.value, path: field.path.appending(entry.key), problems: field.problems)
    return value.hasValue ? value : nil
  }

  private func remedy(for key: [UInt8]) -> MessageText {
    if let hint, key.span.elementsEqual(hint.key) { return hint.remedy }
    if let nearest = Suggestion.nearest(to: key, in: knownKeys) {
      return "did you mean \"\(nearest)\"?"
    }
    return knownKeys.count == 1
      ? "the only key here is \(anyOf: knownKeys)" : "write \(anyOf: knownKeys)"
  }
}
