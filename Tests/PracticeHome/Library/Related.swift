extension Command {
  /// The command that tells what hangs together.
  static let search: [String: Command] = [
    "search/related": Command([
      .required("item_type", .oneOf(["device", "entity"])), .required("item_id", .text),
    ]) { (home, call) throws(CommandFailure) in home.succeed(call, try home.related(call)) }
  ]
}

extension Home {
  /// What hangs together with a device or an entity, by kind. Of a kind without any there is
  /// nothing, and of an item that is not there nothing at all.
  fileprivate func related(_ call: Call) throws(CommandFailure) -> JSON {
    let id = call.text("item_id")
    if call.text("item_type") == "device" {
      let entities = registeredEntities.filter { registrations[$0.registration].registryID == id }
      guard let index = entities.first?.registration else { return [:] }
      // A disabled entity is none of the device's here.
      let ids = entities.filter { !$0.entry.isDisabled }.map(\.entityID)
      return relations(
        of: registrations[index], ["entity": .array(ids.map(JSON.string))], people: ids)
    }
    guard let entity = registeredEntities.first(where: { $0.entityID == id }) else {
      if states[id] == nil { return [:] }
      throw .notPlayed("to tell what is related to an entity of no device")
    }
    let registration = registrations[entity.registration]
    return relations(
      of: registration, ["device": [.string(registration.registryID)]], people: [id])
  }

  /// These, where they came from, and the people who are tracked by these entities.
  private func relations(
    of registration: Registration, _ items: JSONObject, people entityIDs: [String]
  ) -> JSON {
    var items = items
    items["config_entry"] = [.string(registration.entryID)]
    items["integration"] = ["mobile_app"]
    let isTracker = person.trackers.contains(where: entityIDs.contains)
    if isTracker { items["person"] = [.string(Person.entityID)] }
    return .object(JSONObject(items.pairs.filter { $0.value.array?.isEmpty == false }))
  }
}
