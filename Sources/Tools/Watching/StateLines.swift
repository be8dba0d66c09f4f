import Board
import Bytes
import HomeAssistant
import HomeAssistantClient
import LinuxIO

/// Lines for the events of `subscribe_entities`: one for an entity as it is, or as it became.
///
///     2026-11-21 17:12:33  sensor.boat_bat7_capacity  83 %
///
/// At most `EntityStore.countMax` entities are stored.
struct StateLines: ~Copyable {
  /// Width limit: longer ids push the rest of their line to the right.
  private static let idWidthMax = 48

  private let showsAttributes: Bool
  private var store = EntityStore()
  private var shown: [EntityID: Entity] = [:]
  private var idWidth = 0

  init(showsAttributes: Bool) { self.showsAttributes = showsAttributes }

  /// Records that Home Assistant has accepted the subscription, for the first time or again.
  mutating func subscriptionStarted() { store.subscriptionStarted() }

  func knows(_ id: EntityID) -> Bool { store[id] != nil }

  /// Passes the lines of each entity that an event makes worth showing to `entry`.
  mutating func apply(
    _ event: Span<UInt8>, _ entry: (MessageText) -> Void
  ) throws(JSONError) {
    let change = try store.apply(event)
    let ids = change.added.sorted() + change.changed
    for id in ids { idWidth = max(idWidth, min(id.text.bytes.count, Self.idWidthMax)) }
    for id in ids {
      guard let entity = store[id], let lines = lines(of: entity, since: shown[id]) else {
        continue
      }
      shown[id] = entity
      entry(lines)
    }
    for id in change.removed {
      shown[id] = nil
      entry("\(localTime: Moment.now.wallTime)  \(column(id))  was removed\n")
    }
  }

  private func lines(of entity: Entity, since before: Entity?) -> MessageText? {
    let time = showsAttributes ? entity.lastUpdated : entity.lastChanged
    let line: MessageText = "\(localTime: time)  \(column(entity.id))  \(entity.value)\n"
    guard showsAttributes else { return entity.state == before?.state ? nil : line }
    let attributes = AttributeChanges(from: before?.attributes ?? [:], to: entity.attributes)
    if let before, attributes.isEmpty, entity.state == before.state { return nil }
    return line + attributes.lines
  }

  private func column(_ id: EntityID) -> MessageText {
    let text = id.text.bytes.printable
    let width = max(idWidth, text.count)
    return MessageText(
      bytes: text + [UInt8](repeating: UInt8(ascii: " "), count: width - text.count))
  }
}

extension Entity {
  var value: MessageText {
    let state = MessageText(bytes: state.bytes.printable)
    guard let unit: Text = attributes.get("unit_of_measurement", orOnFailure: nil) else {
      return state
    }
    return "\(state) \(shown: unit)"
  }
}

extension StateChange {
  /// Lines such as `sensor.boat_bat7_capacity 83 % -> 82 %`, with the changed attributes.
  var lines: MessageText {
    let id: MessageText = "\(shown: entityID.text)"
    guard let newState else { return "\(id) was removed\n" }
    let attributes = AttributeChanges(
      from: oldState?.attributes ?? [:], to: newState.attributes
    ).lines
    guard let oldState else { return "\(id) is new: \(newState.value)\n\(attributes)" }
    guard oldState.state != newState.state else {
      return "\(id)  \(newState.value)\n\(attributes)"
    }
    return "\(id)  \(oldState.value) -> \(newState.value)\n\(attributes)"
  }
}

/// Attributes of an entity that are new, changed or gone.
struct AttributeChanges {
  private var present: JSONObject = [:]
  private var gone: [Text] = []

  init(from before: JSONObject, to after: JSONObject) {
    for (key, value) in after.members where before[key] != value { present[key] = value }
    for (key, _) in before.members where after[key] == nil { gone.append(key) }
  }

  var isEmpty: Bool { present.isEmpty && gone.isEmpty }

  var lines: MessageText {
    var lines = MessageText(bytes: present.lines)
    for key in gone { lines = "\(lines)    \(bytes: key.bytes.printable) was removed\n" }
    return lines
  }
}
