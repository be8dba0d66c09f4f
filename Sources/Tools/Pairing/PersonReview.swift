import Board
import Bytes
import HomeAssistant
import HomeAssistantClient

/// Review of the person whose tracker this board became: reports it, and offers to undo it.
struct PersonReview {
  let client: BlockingClient
  let dialog: Dialog

  /// Runs the review. A failure is only reported: the board is paired already.
  func run(deviceID: [UInt8], _ summary: inout PairingSummary) throws(CommandFailure) {
    let user: User
    do throws(RequestError) {
      user = try client.ask(.currentUser)
      summary.user = user
      summary.person = try TrackedPerson.find(client, user: user, deviceID: deviceID)
    } catch {
      return dialog.say(
        "It is not known whether this board is now assigned to a person: \(error.words). Check"
          + " Settings, People.")
    }
    if let person = summary.person { try offer(to: person, of: user, &summary) }
  }

  private func offer(
    to found: TrackedPerson, of user: User, _ summary: inout PairingSummary
  ) throws(CommandFailure) {
    let name: MessageText = "\(shown: found.person.name)"
    dialog.say(
      "Home Assistant assigned this board to the person \"\(name)\": that person's location now"
        + " follows the board.")
    if !found.otherTrackers.isEmpty || user.isOwner {
      dialog.say(
        "It is better to create a user for the board only (Settings, People, Add person, \"Allow"
          + " login\"), and to pair it again with that user.")
    }
    guard user.isAdmin else {
      return dialog.say(
        "That is correct if \(name) stands for this board. If not, an administrator opens Settings,"
          + " People, \(name), and removes \(shown: found.tracker.text).")
    }
    guard try dialog.confirm("Remove this board from the person \"\(name)\"?", standard: false)
    else {
      return dialog.say(
        "To undo this later, open Settings, People, \(name), and remove"
          + " \(shown: found.tracker.text).")
    }
    do throws(RequestError) { try found.detach(client) } catch {
      return dialog.say("This board is still assigned to \"\(name)\": \(error.words)")
    }
    summary.isDetached = true
    dialog.say("This board is no longer assigned to \"\(name)\".")
  }
}

/// Person whose place Home Assistant takes from this board: it makes each registered device a
/// tracker of the person of the user who registered it.
struct TrackedPerson {
  let person: Person
  let tracker: EntityID

  var otherTrackers: [EntityID] { person.deviceTrackers.filter { $0 != tracker } }

  /// Finds the person; nil if the board is no person's tracker.
  static func find(
    _ client: BlockingClient, user: User, deviceID: [UInt8]
  ) throws(RequestError) -> TrackedPerson? {
    let people = try client.ask(.people)
    guard let person = people.stored.first(where: { $0.userID == user.id }),
      !person.deviceTrackers.isEmpty
    else { return nil }
    let entries = try client.ask(.entityRegistryEntries(person.deviceTrackers))
    let tracker = person.deviceTrackers.first { id in
      let entry = entries[id.text]
      return entry?["platform"] == .text("mobile_app")
        && entry?["unique_id"] == .text(Text(deviceID))
    }
    return tracker.map { TrackedPerson(person: person, tracker: $0) }
  }

  /// Removes the board from the trackers of the person, which only an administrator may do.
  func detach(_ client: BlockingClient) throws(RequestError) {
    let trackers = JSON.array(otherTrackers.map { .text($0.text) })
    _ = try client.ask(.updatePerson(person.id, changes: ["device_trackers": trackers]))
  }
}
