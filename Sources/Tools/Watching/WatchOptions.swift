import Board
import Bytes
import CLinux
import HomeAssistant
import HomeAssistantClient
import YAML

struct WatchOptions {
  enum Topic {
    /// All entities if none is named.
    case states([EntityID])
    /// All types if none is named.
    case events(EventType?)
    case template(Text, variables: JSONObject)
  }

  static let topics: [StaticString] = ["states", "events", "template"]
  private static let countDigitsMax = 9

  private let options: Options
  let topic: Topic
  /// Number of entries after which it ends; nil for no limit.
  private(set) var entryCountMax: Int?

  var file: [UInt8] { options.file }
  var isJSON: Bool { options.isJSON }
  var showsAttributes: Bool { options.has("--attributes") }
  /// `--once`: with states, all watched entities as they are now; else one entry.
  var isOnce: Bool { options.has("--once") }

  init(_ options: Options) throws(UsageError) {
    self.options = options
    topic = try Topic(options.words, data: try DataArgument(in: options))
    if let word = options["--count"] {
      guard word.count <= Self.countDigitsMax, let count = word.span.decimalValue, count > 0 else {
        throw .mistake("--count needs a whole number of at least 1, not \(quoted: word)")
      }
      entryCountMax = Int(count)
    }
    if case .states = topic { return }
    if showsAttributes { throw .mistake("--attributes works only with states") }
    if isOnce { entryCountMax = 1 }
  }
}

extension WatchOptions.Topic {
  /// Reads the topic and the words after it; `data` is the value of `--data`.
  init(_ words: [[UInt8]], data: DataArgument?) throws(UsageError) {
    guard let name = words.first else {
      self = .states([])
      return
    }
    let rest = Array(words.dropFirst())
    switch Text(name) {
    case "states": self = .states(try Self.entities(rest))
    case "events": self = .events(try Self.eventType(rest))
    case "template":
      guard rest.count == 1 else {
        throw .mistake("template needs a template, such as '{{ states(\"sun.sun\") }}'")
      }
      self = .template(Text(rest[0]), variables: try data?.object() ?? [:])
      return
    default:
      guard EntityID(Text(name)) != nil else { throw Self.unknown(name) }
      self = .states(try Self.entities(words))
    }
    guard data == nil else { throw .mistake("--data works only with template") }
  }

  private static func entities(_ words: [[UInt8]]) throws(UsageError) -> [EntityID] {
    var ids: [EntityID] = []
    for word in words {
      guard let id = EntityID(Text(word)) else {
        throw .mistake("\(quoted: word) is not the id of an entity, such as sun.sun")
      }
      ids.append(id)
    }
    return ids
  }

  private static func eventType(_ words: [[UInt8]]) throws(UsageError) -> EventType? {
    guard words.count <= 1 else { throw .mistake("events takes at most one type of event") }
    return words.first.map { EventType(Text($0)) }
  }

  private static func unknown(_ name: [UInt8]) -> UsageError {
    guard let nearest = Suggestion.nearest(to: name, in: WatchOptions.topics) else {
      return .mistake(
        "\(quoted: name) cannot be watched; write \(anyOf: WatchOptions.topics)")
    }
    return .mistake("\(quoted: name) cannot be watched; did you mean \"\(nearest)\"?")
  }
}

/// Standard output, up to a number of entries, or for as long as a program reads it.
struct WatchOutput {
  private var entriesLeft: Int?
  private var isClosed = false
  private var pending: [UInt8] = []

  init(entryCountMax: Int?) { entriesLeft = entryCountMax }

  var isDone: Bool { isClosed || entriesLeft == 0 }

  /// Adds an entry, which ends with the end of a line. Entries beyond the limit are left out.
  mutating func append(_ entry: [UInt8]) {
    guard !isDone else { return }
    pending += entry
    countEntry()
  }

  /// Ends the output with the entries so far.
  mutating func end() { entriesLeft = 0 }

  /// Counts an entry that is shown elsewhere.
  mutating func countEntry() {
    guard let left = entriesLeft, left > 0 else { return }
    entriesLeft = left - 1
  }

  mutating func flush() {
    guard !pending.isEmpty else { return }
    if !writeToTerminal(pending, STDOUT_FILENO) { isClosed = true }
    pending.removeAll(keepingCapacity: true)
  }
}
