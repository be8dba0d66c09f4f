/// Entities as `subscribe_entities` tells of them: with keys of one letter, and only what changed.
extension EntityState {
  private static func seconds(_ moment: Moment) -> JSON {
    .float(Double(moment.microseconds) / 1_000_000)
  }

  var compressed: JSON {
    var content: JSONObject = [
      "s": .string(state), "a": .object(attributes), "c": .string(contextID),
      "lc": Self.seconds(lastChanged),
    ]
    if lastUpdated != lastChanged { content["lu"] = Self.seconds(lastUpdated) }
    return .object(content)
  }

  /// What to add to, and what to take from, what was told of the old state.
  fileprivate func difference(from old: EntityState) -> JSON {
    var additions = JSONObject()
    if state != old.state { additions["s"] = .string(state) }
    if lastChanged != old.lastChanged {
      additions["lc"] = Self.seconds(lastChanged)
    } else if lastUpdated != old.lastUpdated {
      additions["lu"] = Self.seconds(lastUpdated)
    }
    if contextID != old.contextID { additions["c"] = .string(contextID) }
    var added = JSONObject()
    for (key, value) in attributes.pairs where old.attributes[key] != value { added[key] = value }
    if !added.isEmpty { additions["a"] = .object(added) }
    var difference: JSONObject = ["+": .object(additions)]
    let removed = old.attributes.keys.filter { attributes[$0] == nil }
    if !removed.isEmpty { difference["-"] = ["a": .array(removed.map(JSON.string))] }
    return .object(difference)
  }
}

extension StateChange {
  /// `a`dded, `c`hanged or `r`emoved.
  var compressed: JSON {
    guard let new else { return ["r": [.string(entityID)]] }
    guard let old else { return ["a": .object([entityID: new.compressed])] }
    return ["c": .object([entityID: new.difference(from: old)])]
  }

  /// What an event `state_changed` holds.
  var content: JSONObject {
    [
      "entity_id": .string(entityID), "old_state": old?.json ?? .null,
      "new_state": new?.json ?? .null,
    ]
  }
}
