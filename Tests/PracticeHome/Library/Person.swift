/// The resident as an entity, which is where the trackers of their devices are.
struct Person: Sendable {
  static let id = "practice"
  static let entityID = "person.practice"
  /// States a person does not take over from a tracker.
  private static let emptyStates = ["unknown", "unavailable"]

  var name: String
  var userID: String?
  private(set) var trackers: [String] = []

  init(_ resident: Resident) {
    name = resident.displayName
    userID = resident.id
  }

  mutating func add(_ tracker: String) {
    if !trackers.contains(tracker) { trackers.append(tracker) }
  }

  mutating func remove(_ tracker: String) { trackers.removeAll { $0 == tracker } }

  mutating func update(_ changes: JSONObject) {
    if let name = changes["name"]?.string { self.name = name }
    if let user = changes["user_id"] { userID = user.string }
    // Always there: a client that does not mention the trackers takes them away.
    trackers = changes["device_trackers"]?.array?.compactMap(\.string) ?? []
  }

  var json: JSON {
    [
      "id": .string(Self.id), "name": .string(name), "user_id": JSON(userID),
      "device_trackers": .array(trackers.map(JSON.string)),
    ]
  }

  /// The tracker whose word counts: the one that spoke last.
  func source(in states: States) -> EntityState? {
    trackers.compactMap { states[$0] }.filter { !Self.emptyStates.contains($0.state) }
      .reduce(nil) { best, next in
        guard let best, best.lastUpdated >= next.lastUpdated else { return next }
        return best
      }
  }

  func attributes(source: EntityState?) -> JSONObject {
    var attributes: JSONObject = [
      "editable": true, "id": .string(Self.id),
      "device_trackers": .array(trackers.map(JSON.string)),
    ]
    if let source {
      for key in ["latitude", "longitude", "gps_accuracy"] {
        attributes[key] = source.attributes[key]
      }
      attributes["source"] = .string(source.entityID)
    }
    if let userID { attributes["user_id"] = .string(userID) }
    attributes["friendly_name"] = .string(name)
    return attributes
  }
}

extension Home {
  static let cameraID = "camera.practice"

  /// Puts in place what is there before any device comes.
  mutating func furnish(_ now: Moment) {
    guard states[Zone.entityID] == nil else { return }
    writeZone(now: now)
    writePerson(now: now)
    states.write(
      Self.cameraID, state: "idle",
      attributes: ["friendly_name": "Practice", "supported_features": 0], now: now)
  }

  mutating func writePerson(now: Moment) {
    let source = person.source(in: states)
    states.write(
      Person.entityID, state: source?.state ?? "unknown",
      attributes: person.attributes(source: source), now: now)
  }

  private mutating func writeZone(now: Moment) {
    let persons = states[Person.entityID]?.state == "home" ? [Person.entityID] : []
    states.write(
      Zone.entityID, state: "\(persons.count)", attributes: zone.attributes(persons: persons),
      now: now)
  }

  /// What one change brings about in the rest of the home.
  mutating func follow(_ change: StateChange, now: Moment) {
    if person.trackers.contains(change.entityID) { writePerson(now: now) }
    if change.entityID == Person.entityID { writeZone(now: now) }
  }
}

// MARK: Commands

extension Command {
  /// Commands about persons.
  static let people: [String: Command] = [
    "person/list": Command { (home, call) throws(CommandFailure) in
      home.succeed(call, ["storage": [home.person.json], "config": []])
    },
    "person/update": Command(
      [
        .required("person_id", .text), .optional("name", .text),
        .optional("user_id", .textOrNull), .optional("device_trackers", .entityIDs, default: []),
        .optional("picture", .textOrNull),
      ], isForAdministrators: true
    ) { (home, call) throws(CommandFailure) in
      let id = call.text("person_id")
      guard id == Person.id else { throw .notFound("Unable to find person_id \(id)") }
      home.person.update(call.content)
      home.writePerson(now: call.now)
      home.succeed(call, home.person.json)
    },
  ]
}
