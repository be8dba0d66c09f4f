import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

/// The cache of what entities are. How events change them is `EntityStore`'s matter.
@Suite struct EntityCacheTests {
  private let rig = ClientRig(isReady: true)
  private let cache: EntityCache
  private let notes = Notes()

  init() { cache = EntityCache(rig.client) }

  private func observe(_ cache: EntityCache) -> Observation {
    cache.observe { [notes] entities, change in
      notes.changes.append(change)
      notes.counts.append(entities.count)
    }
  }

  /// Accepts the last subscription and says what there is.
  private func serve(_ states: String...) throws {
    let id = rig.driver.messageID(ofType: "subscribe_entities")
    rig.driver.answer(id)
    let all = states.map { "\"\($0)\":{\"s\":\"on\",\"lc\":1}" }.joined(separator: ",")
    rig.driver.tell(try json("{\"a\":{\(all)}}"), of: id)
  }

  private func tell(_ event: String) throws {
    rig.driver.tell(
      try json(event), of: rig.driver.messageID(ofType: "subscribe_entities"))
  }

  @Test func aChangeTellsWhichEntitiesChanged() throws {
    observe(cache).detach()
    #expect(!cache.isPopulated)
    try serve("light.a", "light.b")
    #expect(cache.isPopulated)
    try tell(
      #"{"c":{"light.a":{"+":{"s":"off"}}},"r":["light.b"],"a":{"sun.sun":{"s":"up","lc":2}}}"#)
    #expect(
      notes.changes == [
        .of(added: ["light.a", "light.b"]),
        .of(added: ["sun.sun"], changed: ["light.a"], removed: ["light.b"]),
      ])
    #expect(cache["light.a"]?.state == "off")
    #expect(cache["light.b"] == nil)
    #expect(cache.count == 2)
  }

  @Test func whatChangesNothingIsNotTold() throws {
    observe(cache).detach()
    try serve("light.a")
    try tell(#"{"c":{"light.a":{"+":{"s":"on"}},"light.z":{"+":{"s":"on"}}}}"#)
    #expect(notes.changes.count == 1)
  }

  @Test func entitiesWithoutObserversAreForgotten() throws {
    let cache = EntityCache(rig.client, retention: .forgotten(after: .zero))
    let observation = observe(cache)
    try serve("light.a")
    observation.cancel()
    #expect(cache.count == 0)
    observe(cache).detach()
    try serve("light.b")
    #expect(notes.changes.last == .of(added: ["light.b"]))
    #expect(cache.count == 1)
  }

  @Test func aHomeWithoutEntitiesIsKnownToo() throws {
    let observation = observe(EntityCache(rig.client))
    try serve()
    #expect(notes.changes == [.of()])
    observation.cancel()
  }

  @Test func aLaterObserverIsToldAllThereIsInOrder() throws {
    cache.observe { _, _ in }.detach()
    try serve("light.b", "light.a")
    rig.forget()
    observe(cache).detach()
    cache.once { #expect($0.count == 2) }.detach()
    #expect(notes.changes == [.of(added: ["light.a", "light.b"])])
    #expect(rig.driver.messages.isEmpty)
  }

  @Test func anotherConnectionTellsTheDifferenceAndForgetsWhatIsGone() throws {
    observe(cache).detach()
    try serve("light.a", "light.b")
    rig.forget()
    rig.reconnect()
    #expect(rig.ids(of: "subscribe_entities").count == 1)
    #expect(cache.count == 2)
    try serve("light.b", "light.c")
    #expect(notes.changes.last == .of(added: ["light.c"], removed: ["light.a"]))
    #expect(rig.ids(of: "subscribe_entities").count == 1)
    #expect(rig.ids(of: "unsubscribe_events").isEmpty)
  }

  @Test func anEventThatIsNoneHasItSubscribeAgain() throws {
    observe(cache).detach()
    try serve("light.a")
    let old = rig.driver.messageID(ofType: "subscribe_entities")
    try tell(#"{"a":[]}"#)
    #expect(rig.ids(of: "subscribe_entities").count == 1)
    rig.driver.advance(by: .seconds(5))
    #expect(rig.ids(of: "subscribe_entities").count == 2)
    rig.driver.tell(try json(#"{"c":{"light.a":{"+":{"s":"off"}}}}"#), of: old)
    #expect(notes.changes.last == .of(changed: ["light.a"]))
    try serve("light.b")
    #expect(notes.changes.last == .of(added: ["light.b"], removed: ["light.a"]))
  }

  @Test func anEventThatCanBeReadEndsTheFailuresBeforeIt() throws {
    observe(cache).detach()
    try serve("light.a")
    for round in 1...6 {
      try tell(#"{"a":[]}"#)
      // The wait does not grow with each round.
      rig.driver.advance(by: .seconds(5))
      #expect(rig.ids(of: "subscribe_entities").count == 1 + round)
      try serve("light.a")
    }
  }

  @Test func aServerThatDoesNotKnowTheSubscriptionIsToldOf() {
    observe(cache).detach()
    rig.driver.refuse(code: "unknown_command")
    #expect(cache.failure == .server(code: "unknown_command", message: ""))
    #expect(!cache.isPopulated)
  }

  @Test func oneEntityIsToldOfItsChangesAlone() throws {
    let light = cache.entity("light.a")
    #expect(light.value == nil)
    var told: [Text?] = []
    let observation = light.observe { told.append($0?.state) }
    try serve("light.b")
    try tell(#"{"a":{"light.a":{"s":"on","lc":1}}}"#)
    try tell(#"{"c":{"light.b":{"+":{"s":"off"}}}}"#)
    try tell(#"{"c":{"light.a":{"+":{"s":"off"}}}}"#)
    try tell(#"{"r":["light.a"]}"#)
    #expect(told == [nil, "on", "off", nil])
    observation.cancel()
    #expect(light.value == .some(nil))
  }

  @Test func whatAllEntitiesComeToIsToldAfterEachChange() throws {
    let count = EntityCache(rig.client).map { $0.count }
    var told: [Int] = []
    let observation = count.observe { told.append($0) }
    try serve("light.a", "light.b")
    try tell(#"{"r":["light.a"]}"#)
    #expect(told == [2, 1])
    #expect(count.value == 1)
    observation.cancel()
    #expect(count.value == 1)
  }

  @Test func anObserverMayEndItWhileItLooksAtTheEntities() throws {
    let cache = EntityCache(rig.client, retention: .forgotten(after: .zero))
    let notes = notes
    notes.observation = cache.observe { entities, _ in
      notes.observation = nil
      notes.counts.append(entities.count)
    }
    try serve("light.a")
    #expect(notes.counts == [1])
    #expect(cache.count == 0)
    #expect(!cache.isPopulated)
    #expect(rig.driver.messageTypes.last == "unsubscribe_events")
    observe(cache).detach()
    try serve("light.b")
    #expect(notes.changes == [.of(added: ["light.b"])])
  }

  @Test func anObserverMayEndItAndBeginAgainWhileItLooks() throws {
    let cache = EntityCache(rig.client, retention: .forgotten(after: .zero))
    let notes = notes
    notes.observation = cache.observe { [unowned cache] _, _ in
      notes.observation = nil
      notes.observation = cache.observe { entities, change in
        notes.counts.append(entities.count)
        notes.changes.append(change)
      }
    }
    try serve("light.a")
    #expect(notes.changes.isEmpty)
    try serve("light.b")
    #expect(notes.changes == [.of(added: ["light.b"])])
    notes.observation = nil
  }

  /// What it looks at does not go away under it.
  @Test func anObserverMayBeginAnotherAndEndBothWhileItLooks() throws {
    let cache = EntityCache(rig.client, retention: .forgotten(after: .zero))
    let notes = notes
    notes.observation = cache.observe { [unowned cache] entities, _ in
      cache.observe { entities, _ in notes.counts.append(entities.count) }.cancel()
      notes.observation = nil
      notes.counts.append(entities.count)
    }
    try serve("light.a")
    #expect(notes.counts == [1, 1])
    #expect(cache.count == 0)
  }

  @Test func anEventCopiesNothingHoweverManyObserve() throws {
    func address(of store: borrowing EntityStore) -> UInt {
      unsafe unsafeBitCast(store.slots, to: UInt.self)
    }
    observe(cache).detach()
    let second = cache.entity("light.a").observe { _ in }
    let third = cache.map { $0["light.b"] }.observe { _ in }
    try serve("light.a", "light.b")
    let before = address(of: cache.core.store)
    for step in 0..<9 {
      try tell(#"{"c":{"light.a":{"+":{"s":"\#(step)"}}}}"#)
      #expect(address(of: cache.core.store) == before)
    }
    #expect(notes.changes.count == 10)
    second.cancel()
    third.cancel()
  }

  final class Notes {
    var changes: [EntityStore.Change] = []
    var counts: [Int] = []
    var observation: Observation?
  }
}
