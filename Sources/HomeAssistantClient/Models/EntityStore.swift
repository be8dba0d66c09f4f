public import Bytes
public import HomeAssistant

/// Entities that are kept up to date by the events of `SubscribeEntities`.
///
///     store.subscriptionStarted()              // each time Home Assistant accepts it
///     let change = try store.apply(event)      // the bytes of each event
///
/// The cost of a change does not depend on the number of entities. The store cannot be copied, so a
/// change never copies all entities; an `Entity` taken out of it is an independent value.
public struct EntityStore: ~Copyable {
  /// Maximum number of entities; further ones are left out and counted.
  public static let countMax = 50_000

  /// Changes of an event, each entity once.
  public struct Change: Equatable, Sendable {
    /// New entities.
    public internal(set) var added: [EntityID] = []
    /// Entities with a difference.
    public internal(set) var changed: [EntityID] = []
    /// Removed entities.
    public internal(set) var removed: [EntityID] = []
    /// Number of entities whose data did not decode, or that exceed the maximum. They stay
    /// unchanged.
    public internal(set) var skippedCount = 0

    /// Creates an empty change.
    public init() {}
    /// Whether no entity was added, changed or removed.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  struct Slot {
    enum Mark { case unchanged, changed, added }

    var entity: Entity
    /// Number of the last event that named the entity; `mark` is its effect.
    var eventNumber: UInt64
    var mark: Mark
  }

  private(set) var slots: [EntityID: Slot] = [:]
  private var eventNumber: UInt64 = 0
  /// Whether the next event holds all entities.
  private var isBeginning = true

  /// Creates an empty store.
  public init() {}

  /// Number of entities.
  public var count: Int { slots.count }
  /// Whether the store holds no entities.
  public var isEmpty: Bool { slots.isEmpty }

  /// Current entity, or nil if the id is unknown.
  public subscript(id: EntityID) -> Entity? { slots[id]?.entity }

  /// Calls `body` with every entity, in no order.
  public func forEach(_ body: (Entity) -> Void) {
    for slot in slots.values { body(slot.entity) }
  }

  /// Reports that Home Assistant accepted the subscription, for the first time or again: its next
  /// event holds all entities, and the others are removed.
  public mutating func subscriptionStarted() { isBeginning = true }

  /// Applies the value of `event` in Home Assistant's message: additions, then removals, then
  /// differences. Returns the real changes. If it throws, because the event is not JSON or of
  /// another kind, the store is unchanged.
  public mutating func apply(_ event: Span<UInt8>) throws(JSONError) -> Change {
    let parts = try EventParts(event)
    eventNumber += 1
    var change = Change()
    var touched: [EntityID] = []
    if let range = parts.additions { try add(event.extracting(range), &change, &touched) }
    if isBeginning {
      removeUnmentioned(&change)
      isBeginning = false
    }
    if let range = parts.removals { try remove(event.extracting(range), &change) }
    if let range = parts.differences { try merge(event.extracting(range), &change, &touched) }
    for id in touched {
      // An entity that was added and removed in one event is missing here, and is not reported.
      switch slots[id]?.mark {
      case .added: change.added.append(id)
      case .changed: change.changed.append(id)
      case .unchanged, nil: break
      }
    }
    return change
  }

  private mutating func add(
    _ entities: Span<UInt8>, _ change: inout Change, _ touched: inout [EntityID]
  ) throws(JSONError) {
    var reader = JSONReader(entities)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let id = EntityID(Text(key))
      let range = try reader.skipValue()
      guard let id, let state = try? CompressedState(decoding: entities.extracting(range)) else {
        change.skippedCount += 1
        if let id, slots[id]?.note(inEvent: eventNumber) == true { touched.append(id) }
        continue
      }
      if let isFirst = slots[id]?.note(inEvent: eventNumber, { $0.become(state) }) {
        if isFirst { touched.append(id) }
      } else if slots.count < Self.countMax, let entity = Entity(id: id, state) {
        slots[id] = Slot(entity: entity, eventNumber: eventNumber, mark: .added)
        touched.append(id)
      } else {
        change.skippedCount += 1
      }
    }
  }

  private mutating func remove(
    _ ids: Span<UInt8>, _ change: inout Change
  ) throws(JSONError) {
    var reader = JSONReader(ids)
    try reader.openArray()
    while try reader.nextElement() {
      let range = try reader.skipValue()
      guard let id = try? EntityID(decoding: ids.extracting(range)) else {
        change.skippedCount += 1
        continue
      }
      remove(id, &change)
    }
  }

  private mutating func merge(
    _ entities: Span<UInt8>, _ change: inout Change, _ touched: inout [EntityID]
  ) throws(JSONError) {
    var reader = JSONReader(entities)
    try reader.openObject()
    while let key = try reader.nextKey() {
      let id = EntityID(Text(key))
      let range = try reader.skipValue()
      guard let id,
        let difference = try? CompressedDifference(decoding: entities.extracting(range))
      else {
        change.skippedCount += 1
        continue
      }
      // A difference of an unknown entity is ignored.
      if slots[id]?.note(inEvent: eventNumber, { $0.merge(difference) }) == true {
        touched.append(id)
      }
    }
  }

  private mutating func remove(_ id: EntityID, _ change: inout Change) {
    guard let slot = slots.removeValue(forKey: id) else { return }
    let isAddedNow = slot.mark == .added && slot.eventNumber == eventNumber
    if !isAddedNow { change.removed.append(id) }
  }

  private mutating func removeUnmentioned(_ change: inout Change) {
    let unmentioned = slots.filter { $0.value.eventNumber != eventNumber }.keys.sorted()
    for id in unmentioned { remove(id, &change) }
  }
}

extension EntityStore.Slot {
  /// Applies `change` to the entity, which returns whether the entity changed. Returns whether this
  /// is the first mention of the entity in the event.
  fileprivate mutating func note(
    inEvent number: UInt64, _ change: (inout Entity) -> Bool = { _ in false }
  ) -> Bool {
    let isChanged = change(&entity)
    guard number == eventNumber else {
      eventNumber = number
      mark = isChanged ? .changed : .unchanged
      return true
    }
    if isChanged, mark == .unchanged { mark = .changed }
    return false
  }
}

/// Positions of the parts of an event.
private struct EventParts {
  private(set) var additions: Range<Int>?
  private(set) var removals: Range<Int>?
  private(set) var differences: Range<Int>?

  init(_ event: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(event)
    try reader.openObject()
    while let key = try reader.nextKey() {
      if key.elementsEqual("a") {
        additions = try Self.part(.object, &reader)
      } else if key.elementsEqual("r") {
        removals = try Self.part(.array, &reader)
      } else if key.elementsEqual("c") {
        differences = try Self.part(.object, &reader)
      } else {
        try reader.skipValue()
      }
    }
    try reader.finish()
  }

  private static func part(
    _ kind: JSONReader.Kind, _ reader: inout JSONReader
  ) throws(JSONError) -> Range<Int> {
    guard try reader.nextKind() == kind else { throw .unexpected(at: reader.position) }
    return try reader.skipValue()
  }
}
