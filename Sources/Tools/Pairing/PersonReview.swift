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
    switch try client.ask(CurrentUser()) {
    case .success(let answer): user = answer
    case .failure(let error): return sayUnknown(error)
    }
    summary.user = user
    let found: TrackedPerson?
    switch try TrackedPerson.find(client, user: user, deviceID: deviceID) {
    case .success(let answer): found = answer
    case .failure(let error): return sayUnknown(error)
    }
    guard let found else { return }
    summary.person = found
    try offer(to: found, of: user, &summary)
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
    if let error = try found.detach(client) {
      return dialog.say("This board is still assigned to \"\(name)\": \(error.words)")
    }
    summary.isDetached = true
    dialog.say("This board is no longer assigned to \"\(name)\".")
  }

  private func sayUnknown(_ error: RequestError) {
    dialog.say(
      "It is not known whether this board is now assigned to a person: \(error.words). Check"
        + " Settings, People.")
  }
}
