import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

/// A home that lives a random life and says of it what Home Assistant would: the whole states in
/// long form, and events of `subscribe_entities` with the differences in short form.
private struct Home {
  struct State: Equatable {
    var state = "unknown"
    /// Each value as JSON.
    var attributes: [String: String] = [:]
    var contextID = "c0"
    var userID: String?
    var parentID: String?
    /// In tenths of a microsecond, which is as fine as Home Assistant's short form is.
    var changed: Int64 = 0
    var updated: Int64 = 0
  }

  var states: [String: State] = [:]
  private var random: SplitMix64
  private var now: Int64 = 17_952_727_790_000_001

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  /// Lets a few entities come, change or go, each once: Home Assistant tells every change of one.
  mutating func live() {
    let ids = (0..<25).map { "light.l\($0)" }.shuffled(using: &random)
    for id in ids.prefix(Int.random(in: 1...6, using: &random)) {
      // Never halfway between two microseconds: there both roundings would be right.
      now += 10 * Int64.random(in: 1...9_000_000, using: &random)
      if states[id] != nil, chance(6) {
        states[id] = nil
      } else {
        states[id] = changed(states[id])
      }
    }
  }

  private mutating func changed(_ old: State?) -> State {
    var new = old ?? State(changed: now)
    if chance(2) { new.state = pick(["on", "off", "21.5", "é \\\"", "unavailable"]) }
    if new.state != old?.state { new.changed = now }
    new.updated = now
    for key in ["brightness", "rgb", "friendly_name", "modes", "a"] {
      if chance(3) { new.attributes[key] = pick(["1", "null", "2.50", "[1,{}]", "\"x\"", "true"]) }
      if chance(5) { new.attributes[key] = nil }
    }
    new.contextID = "c\(Int.random(in: 0..<1000, using: &random))"
    if chance(3) { new.userID = pick(["u1", "u2", nil]) }
    if chance(3) { new.parentID = pick(["p1", nil]) }
    return new
  }

  mutating func shuffledIDs() -> [String] { states.keys.sorted().shuffled(using: &random) }
}

extension Home.State {
  private func seconds(_ time: Int64) -> String {
    let fraction = String(time % 10_000_000)
    return "\(time / 10_000_000).\(String(repeating: "0", count: 7 - fraction.count))\(fraction)"
  }

  private func iso8601(_ time: Int64) -> String {
    let microseconds = (time + 5) / 10
    return Text(iso8601: WallTime(nanoseconds: microseconds * 1000)).string
  }

  private func attributesJSON(_ keys: [String]) -> String {
    object(keys.map { ($0, attributes[$0] ?? "null") })
  }

  func longForm(_ id: String) -> String {
    object([
      ("entity_id", text(id)), ("state", text(state)),
      ("attributes", attributesJSON(attributes.keys.sorted())),
      ("last_changed", text(iso8601(changed))), ("last_updated", text(iso8601(updated))),
      ("context", context),
    ])
  }

  private var context: String {
    object([("id", text(contextID)), ("parent_id", text(parentID)), ("user_id", text(userID))])
  }

  func shortForm() -> String {
    var members = [
      ("s", text(state)), ("a", attributesJSON(attributes.keys.sorted())),
      ("c", userID == nil && parentID == nil ? text(contextID) : context),
      ("lc", seconds(changed)),
    ]
    if updated != changed { members.append(("lu", seconds(updated))) }
    return object(members)
  }

  fileprivate func difference(from old: Home.State) -> String {
    var additions: [(String, String)] = []
    if state != old.state { additions.append(("s", text(state))) }
    if changed != old.changed {
      additions.append(("lc", seconds(changed)))
    } else if updated != old.updated {
      additions.append(("lu", seconds(updated)))
    }
    var context: [(String, String)] = []
    if parentID != old.parentID { context.append(("parent_id", text(parentID))) }
    if userID != old.userID { context.append(("user_id", text(userID))) }
    if contextID != old.contextID {
      if context.isEmpty {
        additions.append(("c", text(contextID)))
      } else {
        context.append(("id", text(contextID)))
      }
    }
    if !context.isEmpty { additions.append(("c", object(context))) }
    let other = attributes.keys.sorted().filter { attributes[$0] != old.attributes[$0] }
    if !other.isEmpty { additions.append(("a", attributesJSON(other))) }
    let gone = old.attributes.keys.sorted().filter { attributes[$0] == nil }
    guard !gone.isEmpty else { return object([("+", object(additions))]) }
    return object([("+", object(additions)), ("-", object([("a", list(gone))]))])
  }
}

extension Home {
  mutating func beginning() -> String {
    object([("a", object(shuffledIDs().map { ($0, states[$0]?.shortForm() ?? "") }))])
  }

  /// One event that says how this home differs from what it was.
  fileprivate mutating func event(since old: [String: State]) -> String {
    var (added, changed): ([(String, String)], [(String, String)]) = ([], [])
    for id in shuffledIDs() {
      guard let new = states[id] else { continue }
      if let old = old[id] {
        if old != new { changed.append((id, new.difference(from: old))) }
      } else {
        added.append((id, new.shortForm()))
      }
    }
    let removed = old.keys.sorted().filter { states[$0] == nil }
    var parts: [(String, String)] = []
    if !added.isEmpty { parts.append(("a", object(added))) }
    if !removed.isEmpty { parts.append(("r", list(removed))) }
    if !changed.isEmpty { parts.append(("c", object(changed))) }
    // The members of an object have no order.
    if chance(2) { parts.reverse() }
    return object(parts)
  }

  fileprivate func expectedChange(since old: [String: State]) -> [[EntityID]] {
    func ids(_ ids: some Sequence<String>) -> [EntityID] {
      ids.compactMap { EntityID(Text($0)) }.sorted()
    }
    return [
      ids(states.keys.filter { old[$0] == nil }),
      ids(states.keys.filter { old[$0] != nil && old[$0] != states[$0] }),
      ids(old.keys.filter { states[$0] == nil }),
    ]
  }
}

private func object(_ members: [(String, String)]) -> String {
  "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
}

private func list(_ texts: [String]) -> String {
  "[" + texts.map { text($0) }.joined(separator: ",") + "]"
}

private func text(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }

@Suite struct EntityStoreHistoryTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func aStoreThatFollowsAHomeIsAlwaysTheHome(seed: UInt64) throws {
    var home = Home(seed: seed)
    var store = EntityStore()
    var told: [String: Home.State] = [:]
    for step in 0..<80 {
      home.live()
      let event: String
      if step == 0 || home.chance(12) {
        // The connection was lost and is back.
        if home.chance(2) { home.live() }
        store.subscriptionStarted()
        event = home.beginning()
      } else {
        event = home.event(since: told)
      }
      let bytes = [UInt8](event.utf8)
      let change = try store.apply(bytes.span)
      #expect(
        [change.added.sorted(), change.changed.sorted(), change.removed.sorted()]
          == home.expectedChange(since: told), "\(event)")
      #expect(change.skippedCount == 0)
      told = home.states
      try expectEqual(store, home, event)
    }
  }

  private func expectEqual(_ store: borrowing EntityStore, _ home: Home, _ event: String) throws {
    let count = store.count
    #expect(count == home.states.count)
    for (id, state) in home.states {
      let expected: Entity = try decode(state.longForm(id))
      let isEqual = store[expected.id] == expected
      #expect(isEqual, "\(id) after \(event)")
    }
  }
}
