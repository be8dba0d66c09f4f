public import Bytes

/// Reads the keys of one mapping.
///
/// The keys that a section reads are its known keys; no other list of them exists.
public final class SectionReader {
  private let field: ConfigurationField
  private let entries: [YAMLEntry]
  private var knownKeys: [StaticString] = []
  /// Keys that had an effect in former versions.
  private var ignoredKeys: [StaticString] = []
  private var hints: [(keys: [StaticString], remedy: MessageText)] = []
  /// Unknown keys that may be shown, and the remedy for others; nil if all are shown.
  private var shown: (keys: [StaticString], remedy: MessageText)?

  init(_ field: ConfigurationField, entries: [YAMLEntry]) {
    self.field = field
    self.entries = entries
  }

  /// Returns the field of `key`; nil if the key is absent, or has no value, which is reported.
  public func optional(_ key: StaticString) -> ConfigurationField? {
    entry(of: key).flatMap { value(of: $0) }
  }

  /// Returns the field of `key`; nil, reported, if the key is absent or has no value. The position
  /// of an absent key is that of its mapping.
  public func required(_ key: StaticString, example: StaticString) -> ConfigurationField? {
    if let entry = entry(of: key) { return value(of: entry) }
    field.report("the key \"\(key)\" is missing", remedy: "write for example \(example)")
    return nil
  }

  /// Returns the index of the key that comes first, or nil; it does not become a known key.
  public func index(ofFirst keys: [StaticString]) -> Int? {
    for entry in entries {
      for index in keys.indices where entry.key.span.elementsEqual(keys[index]) { return index }
    }
    return nil
  }

  /// Sets the remedy for unknown keys that people may expect.
  public func hint(_ keys: StaticString..., remedy: MessageText) {
    hints.append((keys, remedy))
  }

  /// Hides all unknown keys but these in messages: in a section with a secret, an unknown key may
  /// be a part of it, such as the words after a comma in a text without quotes.
  public func show(only keys: [StaticString], remedy: MessageText) { shown = (keys, remedy) }

  /// Accepts a key that had an effect in a former version, with a warning. Its value is not read,
  /// and no message suggests it.
  public func ignore(_ key: StaticString, because reason: StaticString, remedy: MessageText) {
    ignoredKeys.append(key)
    for entry in entries where entry.key.span.elementsEqual(key) {
      field.problems.warn(
        at: entry.mark, field.path, "\"\(key)\" has no effect: \(reason)", remedy: remedy)
    }
  }

  /// Returns the indices of these keys in the order of the mapping. They do not become known keys.
  public func indices(of keys: [StaticString]) -> [Int] {
    entries.compactMap { entry in keys.firstIndex { entry.key.span.elementsEqual($0) } }
  }

  /// Reports a problem of a key in the mapping.
  public func report(at key: StaticString, _ problem: MessageText, remedy: MessageText) {
    for entry in entries where entry.key.span.elementsEqual(key) {
      field.problems.report(at: entry.mark, field.path, problem, remedy: remedy)
    }
  }

  /// Reports the first key other than `name`, for a mapping without any of `kinds`. Returns whether
  /// such a key exists.
  public func reportMissingKind(_ kinds: [StaticString]) -> Bool {
    for entry in entries where !entry.key.span.elementsEqual("name") {
      let nearest = Suggestion.nearest(to: entry.key, in: kinds)
      field.problems.report(
        at: entry.mark, field.path,
        field.problems.shows(entry.key)
          ? "\(quoted: entry.key) is not a kind of sensor" : "this is not a kind of sensor",
        remedy: nearest.map { "did you mean \"\($0)\"?" } ?? "write \(anyOf: kinds)")
      return true
    }
    return false
  }

  /// Reports each unknown key, without its value, and each known key without a value.
  public func reportUnknownKeys() {
    field.problems.sectionRead(field.path, knownKeys)
    var empty: YAMLEntry?
    var hasLine = false
    for entry in entries where !isAmong(ignoredKeys, entry.key) {
      let isShown = shown.map { isAmong($0.keys, entry.key) } ?? field.problems.shows(entry.key)
      if isAmong(knownKeys, entry.key) {
        if let empty, !hasLine { reportEmpty(empty) }
        (empty, hasLine) = (entry.value.isEmpty ? entry : nil, false)
      } else if let empty, isShown, Suggestion.nearest(to: entry.key, in: knownKeys) == nil {
        // The key is on a line below its section, but not indented into it.
        hasLine = true
        field.problems.report(
          at: entry.mark, field.path, "\(quoted: entry.key) belongs to \(bytes: empty.key)",
          remedy: "indent it by two spaces")
      } else {
        field.problems.report(
          at: entry.mark, field.path,
          isShown ? "unknown key \(quoted: entry.key)" : "this key is unknown",
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

  // Not inlined: each key of the configuration is read through it.
  /// Returns the field of an entry; nil without a value, which is reported with the unknown keys.
  @inline(never)
  private func value(of entry: YAMLEntry) -> ConfigurationField? {
    if case .refused = entry.value.content { return nil }
    return entry.value.isEmpty ? nil : self.field(of: entry)
  }

  private func field(of entry: YAMLEntry) -> ConfigurationField {
    ConfigurationField(
      node: entry.value, path: field.path.appending(entry.key), problems: field.problems)
  }

  private func remedy(for key: [UInt8]) -> MessageText {
    for hint in hints where isAmong(hint.keys, key) { return hint.remedy }
    if let section = field.problems.section(in: field.path, having: key) {
      return "it belongs below \(bytes: section.bytes)"
    }
    if let nearest = Suggestion.nearest(to: key, in: knownKeys) {
      return "did you mean \"\(nearest)\"?"
    }
    if let shown { return shown.remedy }
    return knownKeys.count == 1
      ? "the only key here is \(anyOf: knownKeys)" : "write \(anyOf: knownKeys)"
  }
}

/// Finds the word that the user probably meant.
public enum Suggestion {
  /// Maximum length of a word that is compared: no key or value is longer.
  private static let wordBytesMax = 32

  /// Returns the nearest word: at most two slips away, and at most half its length, since two slips
  /// turn any short word into any other.
  public static func nearest(to written: [UInt8], in words: [StaticString]) -> StaticString? {
    index(nearestTo: written, in: words.map { [UInt8]($0) }).map { words[$0] }
  }

  /// Returns the index of the nearest word, for words that are composed at run time.
  public static func index(nearestTo written: [UInt8], in words: [[UInt8]]) -> Int? {
    var nearest: (index: Int, distance: UInt8)?
    for index in words.indices {
      let candidate = words[index]
      guard written.count <= wordBytesMax, abs(written.count - candidate.count) <= 2 else {
        continue
      }
      let distance = editDistance(written.lowercasedASCII, candidate)
      guard distance <= min(2, candidate.count / 2), distance < nearest?.distance ?? 3 else {
        continue
      }
      nearest = (index, distance)
    }
    return nearest?.index
  }

  /// Returns the number of inserted, deleted, replaced or swapped letters ("optimal string
  /// alignment").
  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> UInt8 {
    var beforeLast: [UInt8] = []
    // The distances of words this short fit into bytes.
    var last: [UInt8] = [0]
    for _ in right { last.append(UInt8(last.count)) }
    for row in left.indices {
      var current = [UInt8(row + 1)]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var distance = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          distance = min(distance, beforeLast[column - 1] + 1)
        }
        current.append(distance)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
