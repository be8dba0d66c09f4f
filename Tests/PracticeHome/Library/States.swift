/// What Home Assistant shows of one entity.
public struct EntityState: Sendable, Equatable {
  public var entityID: String
  public var state: String
  public var attributes: JSONObject
  /// When `state` last became different, or was written by force.
  public var lastChanged: Moment
  /// When `state` or an attribute last became different.
  public var lastUpdated: Moment
  /// When it was last written, the same value included.
  public var lastReported: Moment
  var contextID: String

  var json: JSON {
    [
      "entity_id": .string(entityID), "state": .string(state), "attributes": .object(attributes),
      "last_changed": .string(lastChanged.isoformat),
      "last_reported": .string(lastReported.isoformat),
      "last_updated": .string(lastUpdated.isoformat),
      "context": ["id": .string(contextID), "parent_id": nil, "user_id": nil],
    ]
  }
}

/// An entity that came, changed or went.
struct StateChange: Sendable {
  var old: EntityState?
  var new: EntityState?

  var entityID: String { new?.entityID ?? old?.entityID ?? "" }
}

/// The state machine: the current state of every entity, in the order they appeared.
struct States: Sendable {
  /// Longer states are shown as "unknown".
  static let stateLengthMax = 255

  private(set) var all: [EntityState] = []
  /// What no session was told of yet, oldest first.
  private var changes: [StateChange] = []

  subscript(entityID: String) -> EntityState? { all.first { $0.entityID == entityID } }

  /// Writes a state. An equal one leaves `lastChanged` and `lastUpdated` alone, unless forced.
  mutating func write(
    _ entityID: String, state: String, attributes: JSONObject, force: Bool = false, now: Moment
  ) {
    let isTooLong = state.unicodeScalars.count > Self.stateLengthMax
    let state = isTooLong ? "unknown" : state
    let attributes = isTooLong ? [:] : attributes
    guard let index = all.firstIndex(where: { $0.entityID == entityID }) else {
      all.append(
        EntityState(
          entityID: entityID, state: state, attributes: attributes, lastChanged: now,
          lastUpdated: now, lastReported: now, contextID: Self.contextID(now)))
      changes.append(StateChange(old: nil, new: all.last))
      return
    }
    let old = all[index]
    all[index].lastReported = now
    let isSameState = all[index].state == state && !force
    if isSameState && all[index].attributes == attributes { return }
    if !isSameState { all[index].lastChanged = now }
    all[index].lastUpdated = now
    all[index].contextID = Self.contextID(now)
    all[index].state = state
    all[index].attributes = attributes
    changes.append(StateChange(old: old, new: all[index]))
  }

  mutating func remove(_ entityID: String) {
    guard let index = all.firstIndex(where: { $0.entityID == entityID }) else { return }
    changes.append(StateChange(old: all.remove(at: index), new: nil))
  }

  /// What changed since the home last took it.
  mutating func takeChanges() -> [StateChange] {
    defer { changes = [] }
    return changes
  }

  /// Looks like the identifier Home Assistant uses: 26 digits that grow with time.
  static func contextID(_ now: Moment) -> String {
    let text = String(now.microseconds, radix: 32, uppercase: true)
    return String(repeating: "0", count: max(0, 26 - text.count)) + text
  }
}
