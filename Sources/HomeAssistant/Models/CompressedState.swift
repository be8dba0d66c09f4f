import Bytes

/// What an event of `subscribe_entities` says of one entity: all of it where the entity is new to
/// the subscription, or else what differs.
///
/// | member | meaning |
/// |---|---|
/// | `s` | the state |
/// | `a` | the attributes |
/// | `c` | the context: its id as text, or an object of some of `id`, `user_id`, `parent_id` |
/// | `lc` | when it last changed, in seconds; without `lu`, it was last updated then, too |
/// | `lu` | when it was last updated, in seconds |
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
  /// Nil where nothing is said; nil inside where it is said that there is none.
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

/// How an entity differs from what was said of it last.
///
/// | member | meaning |
/// |---|---|
/// | `+` | what is new or other than before; of the attributes, only those |
/// | `-` | in its `a`, the keys of the attributes that are gone |
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
  /// An entity that was not known. Nil without a state or a time, which Home Assistant never
  /// leaves out.
  init?(id: EntityID, _ compressed: CompressedState) {
    guard let state = compressed.state, let lastChanged = compressed.lastChanged,
      let lastUpdated = compressed.lastUpdated
    else { return nil }
    self.init(
      id: id, state: state, attributes: compressed.attributes ?? [:], lastChanged: lastChanged,
      lastUpdated: lastUpdated, context: Context(id: ""))
    if let context = compressed.context { self.context = Context(whole: context, or: self.context) }
  }

  /// Becomes what is said; what is not said stays. Says whether anything is other than before.
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

  /// Takes over what differs. Says whether anything is other than before.
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
  /// The context of a whole state: what is not said, there is not.
  fileprivate init(whole compressed: CompressedContext, or old: Context) {
    self.init(
      id: compressed.id ?? old.id, userID: compressed.userID ?? nil,
      parentID: compressed.parentID ?? nil)
  }

  /// Takes over what differs: an id alone leaves user and parent as they are.
  fileprivate mutating func merge(_ compressed: CompressedContext) -> Bool {
    var isChanged = false
    if let id = compressed.id { isChanged |= assign(id, to: &self.id) }
    if let userID = compressed.userID { isChanged |= assign(userID, to: &self.userID) }
    if let parentID = compressed.parentID { isChanged |= assign(parentID, to: &self.parentID) }
    return isChanged
  }
}

/// Whether the target was another value before.
private func assign<Value: Equatable>(_ value: Value, to target: inout Value) -> Bool {
  guard target != value else { return false }
  target = value
  return true
}

extension Bool {
  fileprivate static func |= (left: inout Bool, right: Bool) { left = left || right }
}
