import Board
import Bytes
import HomeAssistant
import LinuxIO

/// Makes lines of what `subscribe_entities` says: one for an entity as it is, or as it became.
///
///     2026-11-21 17:12:33  sensor.boat_bat7_capacity  83 %
///
/// It keeps no more than `EntityStore.countMax` entities.
struct StateLines: ~Copyable {
  /// Longer ids push the rest of their line to the right.
  private static let idWidthMax = 48

  private let showsAttributes: Bool
  private var store = EntityStore()
  /// What people were shown last.
  private var shown: [EntityID: Entity] = [:]
  private var idWidth = 0

  init(showsAttributes: Bool) { self.showsAttributes = showsAttributes }

  /// Home Assistant has accepted the subscription, for the first time or again.
  mutating func subscriptionStarted() { store.subscriptionStarted() }

  func knows(_ id: EntityID) -> Bool { store[id] != nil }

  /// Tells `entry` the lines of each entity that an event makes worth showing.
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

  /// Nil where nothing that is shown is other than before.
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
