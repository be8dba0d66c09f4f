public import Bytes

/// What entities are, kept up to date by the events of `SubscribeEntities`.
///
///     store.subscriptionStarted()              // each time Home Assistant accepts it
///     let change = try store.apply(event)      // the bytes of each event
///
/// One change costs the same among a hundred entities and among ten thousand. The store cannot be
/// copied, so no copy that a program keeps makes the next change copy them all; an `Entity` taken
/// out of it is a value of its own.
public struct EntityStore: ~Copyable {
  /// Entities that are kept; what is more is left out and counted.
  public static let countMax = 50_000

  /// What an event changed, each entity once.
  public struct Change: Equatable, Sendable {
    /// Those that were not known.
    public internal(set) var added: [EntityID] = []
    /// Those of which anything is other than before.
    public internal(set) var changed: [EntityID] = []
    /// Those that are gone.
    public internal(set) var removed: [EntityID] = []
    /// What was said of so many entities did not decode, or was of one too many. Those are as they
    /// were.
    public internal(set) var skippedCount = 0

    /// No change.
    public init() {}
    /// Whether nothing is other than before.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  struct Slot {
    enum Mark { case unchanged, changed, added }

    var entity: Entity
    /// The last event that said anything of the entity, and what that came to.
    var eventNumber: UInt64
    var mark: Mark
  }

  private(set) var slots: [EntityID: Slot] = [:]
  private var eventNumber: UInt64 = 0
  /// The next event says all there is.
  private var isBeginning = true

  /// A store that knows of nothing yet.
  public init() {}

  /// How many entities there are.
  public var count: Int { slots.count }
  /// Whether there are none.
  public var isEmpty: Bool { slots.isEmpty }

  /// An entity as it is now, or nil where there is none.
  public subscript(id: EntityID) -> Entity? { slots[id]?.entity }

  /// Calls `body` with every entity, in no order.
  public func forEach(_ body: (Entity) -> Void) {
    for slot in slots.values { body(slot.entity) }
  }

  /// Home Assistant has accepted the subscription, for the first time or again: its next event
  /// says all there is, and what it does not name is gone.
  public mutating func subscriptionStarted() { isBeginning = true }

  /// Applies one event: entities that are added, then those that are removed, then those that
  /// differ.
  ///
  /// - Parameter event: the value of `event` in Home Assistant's message.
  /// - Returns: what is really other than before.
  /// - Throws: where the event is no JSON or not of this kind; then nothing is changed.
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
      // An entity that came and went in one event is not here, and observers are not told.
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
        if let id, slots[id]?.stay(inEvent: eventNumber) == true { touched.append(id) }
        continue
      }
      if let isFirst = slots[id]?.become(state, inEvent: eventNumber) {
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
      // Of an entity that is not known, a difference says nothing.
      if slots[id]?.merge(difference, inEvent: eventNumber) == true { touched.append(id) }
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
  // Each says whether this is the first that this event says of the entity.

  fileprivate mutating func stay(inEvent number: UInt64) -> Bool { mark(false, inEvent: number) }

  fileprivate mutating func become(_ state: CompressedState, inEvent number: UInt64) -> Bool {
    mark(entity.become(state), inEvent: number)
  }

  fileprivate mutating func merge(
    _ difference: CompressedDifference, inEvent number: UInt64
  ) -> Bool {
    mark(entity.merge(difference), inEvent: number)
  }

  private mutating func mark(_ isChanged: Bool, inEvent number: UInt64) -> Bool {
    guard number == eventNumber else {
      eventNumber = number
      mark = isChanged ? .changed : .unchanged
      return true
    }
    if isChanged, mark == .unchanged { mark = .changed }
    return false
  }
}

/// Where the parts of an event stand in it.
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
