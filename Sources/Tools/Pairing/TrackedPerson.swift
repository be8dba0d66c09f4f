import Board
import Bytes
import HomeAssistant
import HomeAssistantClient

/// Person whose place Home Assistant takes from this board: it makes each registered device a
/// tracker of the person of the user who registered it.
struct TrackedPerson {
  let person: Person
  let tracker: EntityID

  var otherTrackers: [EntityID] { person.deviceTrackers.filter { $0 != tracker } }

  /// Finds the person; nil if the board is no person's tracker.
  static func find(
    _ client: BlockingClient, user: User, deviceID: [UInt8]
  ) throws(CommandFailure) -> Result<TrackedPerson?, RequestError> {
    let people: People
    switch try client.ask(GetPeople()) {
    case .success(let answer): people = answer
    case .failure(let error): return .failure(error)
    }
    guard let person = people.stored.first(where: { $0.userID == user.id }),
      !person.deviceTrackers.isEmpty
    else { return .success(nil) }
    switch try client.ask(TrackerEntries(person.deviceTrackers)) {
    case .success(let entries):
      let tracker = person.deviceTrackers.first { entries.isMobileApp($0, deviceID: deviceID) }
      return .success(tracker.map { TrackedPerson(person: person, tracker: $0) })
    case .failure(let error): return .failure(error)
    }
  }

  /// Removes the board from the trackers of the person, which only an administrator may do.
  func detach(_ client: BlockingClient) throws(CommandFailure) -> RequestError? {
    let trackers = JSON.array(otherTrackers.map { .text($0.text) })
    let update = UpdatePerson(person.id, changes: ["device_trackers": trackers])
    switch try client.ask(update) {
    case .success: return nil
    case .failure(let error): return error
    }
  }
}

/// Request for entries of the entity registry by id: `config/entity_registry/get_entries`.
private struct TrackerEntries: Request {
  struct Response: JSONDecodable {
    private let entries: JSONObject

    init(json: JSON) throws(JSONDecodingError) { entries = try json.object() }

    func isMobileApp(_ id: EntityID, deviceID: [UInt8]) -> Bool {
      let entry = entries[id.text]
      return entry?["platform"] == .text("mobile_app")
        && entry?["unique_id"] == .text(Text(deviceID))
    }
  }

  private let ids: [EntityID]

  init(_ ids: [EntityID]) { self.ids = ids }

  var command: Text { "config/entity_registry/get_entries" }
  var payload: JSONObject { ["entity_ids": .array(ids.map { .text($0.text) })] }
}
