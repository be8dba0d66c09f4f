import Board
import Bytes
import HomeAssistant

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
      "Home Assistant made this board a tracker of \(name): it shows that person where the board"
        + " is.")
    if !found.otherTrackers.isEmpty || user.isOwner {
      dialog.say(
        "Better give the board a user of its own (Settings, People, Add person, \"Allow login\"),"
          + " and pair it again as that one.")
    }
    guard user.isAdmin else {
      return dialog.say(
        "That is right if \(name) stands for this board. Else an administrator opens Settings,"
          + " People, \(name), and removes \(shown: found.tracker.text).")
    }
    guard try dialog.confirm("Take this board off \(name)?", standard: false) else {
      return dialog.say(
        "To undo this later, open Settings, People, \(name), and remove"
          + " \(shown: found.tracker.text).")
    }
    if let error = try found.detach(client) {
      return dialog.say("\(name) keeps this tracker: \(error.words)")
    }
    summary.isDetached = true
    dialog.say("This board is not a tracker of \(name) any more.")
  }

  private func sayUnknown(_ error: RequestError) {
    dialog.say(
      "Whether this board is a person's tracker now is not known: \(error.words). Look at Settings,"
        + " People.")
  }
}
