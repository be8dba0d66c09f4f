import Bytes
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

@Suite struct EntityStoreTests {
  /// As Home Assistant 2025.4.4 says it.
  private static let pump = """
    {"a":{"input_boolean.pump":{"s":"off","a":{"editable":false,"friendly_name":"Pump"},
    "c":"01M7Z9H9A64FWY6MJWX0624RZ6","lc":1795272779.0789297}}}
    """

  private static let light = """
    {"a":{"light.a":{"s":"on","a":{"brightness":5,"rgb":null,"modes":["x"]},
    "c":{"id":"c1","user_id":"u1","parent_id":"p1"},"lc":100.5,"lu":200.25}}}
    """

  private func entity(_ events: [String], _ id: EntityID = "light.a") throws -> Entity {
    var store = EntityStore()
    for event in events { _ = try store.apply(event) }
    let entity = store[id]
    return try #require(entity)
  }

  // New entities

  @Test func anEntityIsAddedWithAllThatIsSaid() throws {
    var store = EntityStore()
    let change = try store.apply(Self.light)
    #expect(change == .of(added: ["light.a"]))
    #expect(
      store["light.a"]
        == Entity(
          id: "light.a", state: "on", attributes: ["brightness": 5, "rgb": nil, "modes": ["x"]],
          lastChanged: time("1970-01-01T00:01:40.5Z"), lastUpdated: time("1970-01-01T00:03:20.25Z"),
          context: Context(id: "c1", userID: "u1", parentID: "p1")))
  }

  @Test func anEntityThatChangedWasAlsoUpdatedThen() throws {
    let pump = try entity([Self.pump], "input_boolean.pump")
    #expect(pump.lastChanged == time("2026-11-21T14:52:59.078930Z"))
    #expect(pump.lastUpdated == pump.lastChanged)
    #expect(pump.context == Context(id: "01M7Z9H9A64FWY6MJWX0624RZ6"))
  }

  @Test func anEntityWithoutAttributesOrContextIsOneAllTheSame() throws {
    let bare = try entity([#"{"a":{"light.a":{"s":"on","lc":1}}}"#])
    #expect(bare.attributes.isEmpty)
    #expect(bare.context == Context(id: ""))
  }

  @Test(arguments: [
    #""light.b":{"lc":1}"#, #""light.b":{"s":"on"}"#, #""light.b":{"s":1,"lc":1}"#,
    #""light.b":{"s":"on","lc":"now"}"#, #""light.b":{"s":"on","lc":1,"a":[]}"#,
    #""light.b":[]"#, #""lightb":{"s":"on","lc":1}"#, #""light.b":{"s":"on","lc":1,"c":7}"#,
  ])
  func oneEntityThatDoesNotDecodeLosesNoOther(bad: String) throws {
    var store = EntityStore()
    let change = try store.apply(
      #"{"a":{"light.a":{"s":"on","lc":1},\#(bad),"light.c":{"s":"on","lc":1}}}"#)
    #expect(change == .of(added: ["light.a", "light.c"], skippedCount: 1))
    let count = store.count
    #expect(count == 2)
  }

  // Known entities said again

  @Test func attributesSaidAgainAreReplacedWhole() throws {
    let light = try entity([
      Self.light, #"{"a":{"light.a":{"s":"off","a":{"brightness":6},"c":"c2","lc":300}}}"#,
    ])
    #expect(light.state == "off")
    #expect(light.attributes == ["brightness": 6])
    #expect(light.lastChanged == time("1970-01-01T00:05:00Z"))
    #expect(light.lastUpdated == time("1970-01-01T00:05:00Z"))
    #expect(light.context == Context(id: "c2"))
  }

  @Test func whatIsNotSaidAgainStays() throws {
    let light = try entity([Self.light, #"{"a":{"light.a":{"s":"off"}}}"#])
    let before = try entity([Self.light])
    #expect(light.state == "off")
    #expect(light.attributes == before.attributes)
    #expect(light.lastUpdated == before.lastUpdated)
    #expect(light.context == before.context)
  }

  // Differences

  private func difference(_ text: String) -> String { #"{"c":{"light.a":\#(text)}}"# }

  @Test func attributesThatDifferAreMergedAndOthersStay() throws {
    let light = try entity([
      Self.light, difference(#"{"+":{"a":{"brightness":6,"color":[1,2]}}}"#),
    ])
    #expect(
      light.attributes == ["brightness": 6, "rgb": nil, "modes": ["x"], "color": [1, 2]])
    #expect(light.state == "on")
  }

  @Test func anAttributeOfNullIsThereAndCanBecomeAnother() throws {
    let dark = try entity([Self.light, difference(#"{"+":{"a":{"brightness":null}}}"#)])
    #expect(dark.attributes["brightness"] == .null)
    let bright = try entity([Self.light, difference(#"{"+":{"a":{"rgb":[1]}}}"#)])
    #expect(bright.attributes["rgb"] == [1])
  }

  @Test func attributesThatAreGoneAreRemovedAfterOthersAreMerged() throws {
    let light = try entity([
      Self.light, difference(#"{"+":{"a":{"color":1,"modes":2}},"-":{"a":["modes","rgb","no"]}}"#),
    ])
    #expect(light.attributes == ["brightness": 5, "color": 1])
  }

  @Test(
    arguments: [
      (#""lc":300.5"#, "1970-01-01T00:05:00.5Z", "1970-01-01T00:05:00.5Z"),
      (#""lu":300.5"#, "1970-01-01T00:01:40.5Z", "1970-01-01T00:05:00.5Z"),
      (#""lc":300,"lu":301"#, "1970-01-01T00:05:00Z", "1970-01-01T00:05:01Z"),
      (#""lu":301,"lc":300"#, "1970-01-01T00:05:00Z", "1970-01-01T00:05:01Z"),
      (#""s":"off""#, "1970-01-01T00:01:40.5Z", "1970-01-01T00:03:20.25Z"),
    ] as [(String, StaticString, StaticString)])
  func aChangeAloneIsAlsoAnUpdateAndAnUpdateAloneIsNoChange(
    times: String, changed: StaticString, updated: StaticString
  ) throws {
    let light = try entity([Self.light, difference(#"{"+":{\#(times)}}"#)])
    #expect(light.lastChanged == time(changed))
    #expect(light.lastUpdated == time(updated))
  }

  @Test(
    arguments: [
      (#""c2""#, Context(id: "c2", userID: "u1", parentID: "p1")),
      (#"{"id":"c2"}"#, Context(id: "c2", userID: "u1", parentID: "p1")),
      (#"{"user_id":"u2"}"#, Context(id: "c1", userID: "u2", parentID: "p1")),
      (#"{"user_id":null,"id":"c2"}"#, Context(id: "c2", userID: nil, parentID: "p1")),
      (#"{"parent_id":null}"#, Context(id: "c1", userID: "u1", parentID: nil)),
    ] as [(String, Context)])
  func theContextIsMergedAndAnIDAloneChangesNothingElse(text: String, context: Context) throws {
    let light = try entity([Self.light, difference(#"{"+":{"c":\#(text)}}"#)])
    #expect(light.context == context)
  }

  @Test func aDifferenceOfAnUnknownEntityIsPassedOver() throws {
    var store = EntityStore()
    let change = try store.apply(difference(#"{"+":{"s":"on","lc":1}}"#))
    #expect(change == EntityStore.Change())
    let isEmpty = store.isEmpty
    #expect(isEmpty)
  }

  @Test(arguments: [#"{"+":{"s":1}}"#, #"{"+":[]}"#, #"{"-":{"a":[1]}}"#, "7"])
  func aDifferenceThatDoesNotDecodeLeavesTheEntityAsItWas(text: String) throws {
    var store = EntityStore()
    _ = try store.apply(Self.light)
    let change = try store.apply(difference(text))
    #expect(change == .of(skippedCount: 1) && change.isEmpty)
    let before = try entity([Self.light])
    #expect(store["light.a"] == before)
  }

  // What is reported

  @Test func anEventAddsThenRemovesThenMerges() throws {
    var store = EntityStore()
    _ = try store.apply(
      #"{"a":{"light.a":{"s":"on","lc":1},"light.b":{"s":"on","lc":1},"light.d":{"s":"on","lc":1}}}"#
    )
    let change = try store.apply(
      """
      {"c":{"light.c":{"+":{"s":"off"}},"light.a":{"+":{"s":"off"}},"light.b":{"+":{"s":"x"}}},
      "r":["light.b","light.x"],"a":{"light.c":{"s":"on","lc":1},"light.d":{"s":"on","lc":1}}}
      """)
    #expect(change.added == ["light.c"])
    #expect(change.changed == ["light.a"])
    #expect(change.removed == ["light.b"])
    #expect(store["light.c"]?.state == "off")
    #expect(store["light.b"] == nil)
  }

  @Test func anEntityIsReportedOnceHoweverOftenAnEventNamesIt() throws {
    var store = EntityStore()
    _ = try store.apply(Self.light)
    let change = try store.apply(
      """
      {"a":{"light.a":{"s":"off"},"light.n":{"s":"on","lc":1},"light.a":{"s":"x"}},
      "c":{"light.a":{"+":{"s":"y"}},"light.n":{"+":{"s":"y"}},"light.a":{"+":{"s":"z"}}}}
      """)
    #expect(change == .of(added: ["light.n"], changed: ["light.a"]))
    #expect(store["light.a"]?.state == "z")
  }

  @Test func anEntityThatComesAndGoesInOneEventIsNotReported() throws {
    var store = EntityStore()
    _ = try store.apply(#"{"a":{}}"#)
    let change = try store.apply(
      #"{"a":{"light.a":{"s":"on","lc":1}},"r":["light.a","light.a",7]}"#)
    #expect(change == .of(skippedCount: 1))
    let isEmpty = store.isEmpty
    #expect(isEmpty)
  }

  @Test(
    arguments: [
      // Said again, in words that decode or not, and then to differ.
      (
        #"{"a":{"light.a":{"s":"on"}},"c":{"light.a":{"+":{"s":"off"}}}}"#,
        .of(changed: ["light.a"])
      ),
      (
        #"{"a":{"light.a":{"s":7}},"c":{"light.a":{"+":{"s":"off"}}}}"#,
        .of(changed: ["light.a"], skippedCount: 1)
      ),
      // Said again, and then removed.
      (#"{"a":{"light.a":{"s":"off"}},"r":["light.a"]}"#, .of(removed: ["light.a"])),
      // Said again, and the same.
      (light, .of()),
      (
        #"{"c":{"light.a":{"+":{"s":"on","a":{"brightness":5},"c":"c1"},"-":{"a":["no"]}}}}"#, .of()
      ),
    ] as [(String, EntityStore.Change)])
  func anEntitySaidAgainIsReportedForWhatItIsInTheEnd(
    event: String, change: EntityStore.Change
  ) throws {
    var store = EntityStore()
    _ = try store.apply(Self.light)
    let reported = try store.apply(event)
    #expect(reported == change)
  }

  @Test func theFirstEventOfASubscriptionSaysAllThereIs() throws {
    var store = EntityStore()
    store.subscriptionStarted()
    _ = try store.apply(
      """
      {"a":{"light.a":{"s":"on","lc":1},"light.b":{"s":"on","lc":1},"light.c":{"s":"on","lc":1},
      "light.d":{"s":"on","lc":1}}}
      """)
    store.subscriptionStarted()
    let change = try store.apply(
      """
      {"a":{"light.a":{"s":"on","lc":1},"light.b":{"s":"off","lc":2},"light.n":{"s":"on","lc":1},
      "light.d":{"s":7}}}
      """)
    #expect(
      change
        == .of(
          added: ["light.n"], changed: ["light.b"], removed: ["light.c"], skippedCount: 1))
    // What was said of this one did not decode, but it was named: it is not gone.
    #expect(store["light.d"]?.state == "on")
    let later = try store.apply(#"{"a":{"light.m":{"s":"on","lc":1}}}"#)
    #expect(later.removed.isEmpty)
    let count = store.count
    #expect(count == 5)
  }

  @Test(arguments: [
    "", "null", "[]", "{", #"{"a":[]}"#, #"{"r":{}}"#, #"{"c":null}"#, "{} {}",
    #"{"a":{"light.b":{"s":"on","lc":1}},"c":[]}"#, #"{"a":{"light.b":{"s":"on","lc":1}},"c":{"#,
  ])
  func whatIsNoEventChangesNothing(text: String) throws {
    var store = EntityStore()
    _ = try store.apply(Self.light)
    var isRefused = false
    do throws(JSONError) { _ = try store.apply(text) } catch { isRefused = true }
    #expect(isRefused)
    let count = store.count
    #expect(count == 1)
    let before = try entity([Self.light])
    #expect(store["light.a"] == before)
  }

  @Test func moreEntitiesThanAreKeptAreLeftOutAndCounted() throws {
    func event(_ ids: Range<Int>) -> String {
      #"{"a":{"# + ids.map { #""light.l\#($0)":{"s":"on","lc":1}"# }.joined(separator: ",") + "}}"
    }
    var store = EntityStore()
    _ = try store.apply(event(0..<EntityStore.countMax))
    let change = try store.apply(event(EntityStore.countMax - 1..<EntityStore.countMax + 2))
    #expect(change.skippedCount == 2)
    let count = store.count
    #expect(count == 50_000)
  }

  @Test func everyEntityIsVisitedOnce() throws {
    var store = EntityStore()
    _ = try store.apply(#"{"a":{"light.a":{"s":"on","lc":1},"light.b":{"s":"on","lc":1}}}"#)
    var ids: [EntityID] = []
    store.forEach { ids.append($0.id) }
    #expect(ids.sorted() == ["light.a", "light.b"])
  }

  // What a change costs

  /// Where the entities are in memory. A copy of them all, or a table made anew, would be
  /// elsewhere.
  private func address(of store: borrowing EntityStore) -> UInt {
    unsafe unsafeBitCast(store.slots, to: UInt.self)
  }

  private func address(of attributes: JSONObject?) -> UInt? {
    unsafe attributes?.members.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  @Test(arguments: [100, 10_000])
  func aChangeCopiesNeitherTheStoreNorTheOtherAttributes(count: Int) throws {
    var store = EntityStore()
    _ = try store.apply(
      #"{"a":{"#
        + (0..<count).map { #""light.l\#($0)":{"s":"on","a":{"b":1,"c":[1]},"lc":1}"# }
        .joined(separator: ",") + "}}")
    let before = address(of: store)
    let attributes = address(of: store["light.l7"]?.attributes)
    for step in 0..<50 {
      let change = try store.apply(
        #"{"c":{"light.l7":{"+":{"s":"\#(step)","a":{"b":"\#(step)"},"lc":\#(step + 2)}}}}"#)
      #expect(change.changed == ["light.l7"])
      #expect(address(of: store) == before)
      #expect(address(of: store["light.l7"]?.attributes) == attributes)
    }
    store.subscriptionStarted()
    _ = try store.apply(
      #"{"a":{"#
        + (1..<count).map { #""light.l\#($0)":{"s":"on","a":{"b":1,"c":[1]},"lc":1}"# }
        .joined(separator: ",") + "}}")
    #expect(address(of: store) == before)
    let left = store.count
    #expect(left == count - 1)
  }
}

extension EntityStore {
  mutating func apply(_ event: String) throws(JSONError) -> Change {
    let bytes = [UInt8](event.utf8)
    return try apply(bytes.span)
  }
}

extension EntityStore.Change {
  static func of(
    added: [EntityID] = [], changed: [EntityID] = [], removed: [EntityID] = [],
    skippedCount: Int = 0
  ) -> EntityStore.Change {
    var change = EntityStore.Change()
    change.added = added
    change.changed = changed
    change.removed = removed
    change.skippedCount = skippedCount
    return change
  }
}
