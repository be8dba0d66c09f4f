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
  /// Entities as last shown.
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

  /// Returns the lines of an entity; nil if nothing that is shown has changed.
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
