import Bytes
import HomeAssistant

/// State of one entity in an event of `subscribe_entities`: all of it if the entity is new to the
/// subscription, else the differences.
///
/// | member | meaning |
/// |---|---|
/// | `s` | the state |
/// | `a` | the attributes |
/// | `c` | the context: its id as text, or an object of some of `id`, `user_id`, `parent_id` |
/// | `lc` | time of its last change, in seconds; without `lu`, also of its last update |
/// | `lu` | time of its last update, in seconds |
struct CompressedState: JSONDecodable {
  let state: Text?
  let attributes: JSONObject?
  let context: CompressedContext?
  let lastChanged: WallTime?
  let lastUpdated: WallTime?

  init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    state = try members.getIfPresent("s")
    attributes = try members.getIfPresent("a")
    context = try members.getIfPresent("c")
    lastChanged = try members.getIfPresent("lc")
    lastUpdated = try members.getIfPresent("lu") ?? lastChanged
  }
}

struct CompressedContext: JSONDecodable {
  let id: Text?
  /// Nil if the member is missing; nil inside if it is null.
  let userID: Text??
  let parentID: Text??

  init(json: JSON) throws(JSONDecodingError) {
    if case .text(let id) = json {
      self.id = id
      userID = nil
      parentID = nil
      return
    }
    let members = try json.object()
    id = try members.getIfPresent("id")
    userID = try Self.mention("user_id", in: members)
    parentID = try Self.mention("parent_id", in: members)
  }

  private static func mention(
    _ key: Text, in members: JSONObject
  ) throws(JSONDecodingError) -> Text?? {
    guard members[key] != nil else { return nil }
    return .some(try members.get(key))
  }
}

/// Difference between an entity and its last reported state.
///
/// | member | meaning |
/// |---|---|
/// | `+` | the new and the changed members; of the attributes, only those |
/// | `-` | in its `a`, the keys of the removed attributes |
struct CompressedDifference: JSONDecodable {
  let additions: CompressedState?
  let removedAttributes: [Text]

  init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    additions = try members.getIfPresent("+")
    let removals: JSONObject = try members.get("-", default: [:])
    removedAttributes = try removals.get("a", default: [])
  }
}

extension Entity {
  /// Creates a new entity. Fails without a state or a time, which Home Assistant never leaves out.
  init?(id: EntityID, _ compressed: CompressedState) {
    guard let state = compressed.state, let lastChanged = compressed.lastChanged,
      let lastUpdated = compressed.lastUpdated
    else { return nil }
    self.init(
      id: id, state: state, attributes: compressed.attributes ?? [:], lastChanged: lastChanged,
      lastUpdated: lastUpdated, context: Context(id: ""))
    if let context = compressed.context { self.context = Context(whole: context, or: self.context) }
  }

  /// Assigns the members that are present; the others stay. Returns whether anything changed.
  mutating func become(_ compressed: CompressedState) -> Bool {
    var isChanged = assignStateAndTimes(compressed)
    if let attributes = compressed.attributes {
      isChanged |= assign(attributes, to: &self.attributes)
    }
    if let context = compressed.context {
      isChanged |= assign(Context(whole: context, or: self.context), to: &self.context)
    }
    return isChanged
  }

  /// Assigns the differences. Returns whether anything changed.
  mutating func merge(_ difference: CompressedDifference) -> Bool {
    var isChanged = false
    if let additions = difference.additions {
      isChanged |= assignStateAndTimes(additions)
      for (key, value) in additions.attributes?.members ?? [] where attributes[key] != value {
        attributes[key] = value
        isChanged = true
      }
      if let context = additions.context { isChanged |= self.context.merge(context) }
    }
    isChanged |= attributes.remove(difference.removedAttributes)
    return isChanged
  }

  private mutating func assignStateAndTimes(_ compressed: CompressedState) -> Bool {
    var isChanged = false
    if let state = compressed.state { isChanged |= assign(state, to: &self.state) }
    if let time = compressed.lastChanged { isChanged |= assign(time, to: &lastChanged) }
    if let time = compressed.lastUpdated { isChanged |= assign(time, to: &lastUpdated) }
    return isChanged
  }
}

extension Context {
  /// Creates the context of a whole state: missing members become nil.
  fileprivate init(whole compressed: CompressedContext, or old: Context) {
    self.init(
      id: compressed.id ?? old.id, userID: compressed.userID ?? nil,
      parentID: compressed.parentID ?? nil)
  }

  /// Assigns the differences: an id alone leaves user and parent unchanged.
  fileprivate mutating func merge(_ compressed: CompressedContext) -> Bool {
    var isChanged = false
    if let id = compressed.id { isChanged |= assign(id, to: &self.id) }
    if let userID = compressed.userID { isChanged |= assign(userID, to: &self.userID) }
    if let parentID = compressed.parentID { isChanged |= assign(parentID, to: &self.parentID) }
    return isChanged
  }
}

/// Assigns the value, and returns whether it differs from the old one.
private func assign<Value: Equatable>(_ value: Value, to target: inout Value) -> Bool {
  guard target != value else { return false }
  target = value
  return true
}

extension Bool {
  fileprivate static func |= (left: inout Bool, right: Bool) { left = left || right }
}
