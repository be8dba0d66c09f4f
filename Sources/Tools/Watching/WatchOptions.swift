import Board
import Bytes
import HomeAssistant
import YAML

/// What `homeward watch` was told.
struct WatchOptions {
  enum Topic {
    /// All entities where none is named.
    case states([EntityID])
    /// All types where none is named.
    case events(EventType?)
    case template(Text, variables: JSONObject)
  }

  var topic = Topic.states([])
  var configuration = [UInt8](Configuration.defaultFile)
  var isJSON = false
  var showsAttributes = false
  /// How many entries end it; nil for none.
  var entryCountMax: Int?
  /// `--once`: of states, all that are watched as they are now; else one entry.
  var isOnce = false

  static let topics: [StaticString] = ["states", "events", "template"]
}

extension WatchOptions.Topic {
  /// - Parameters:
  ///   - words: the topic, and what follows it.
  ///   - data: the value of `--data`, or nil.
  /// - Throws: what is wrong with the words.
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
