import Board
import Bytes
import LinuxIO
import Outbox

// What is told of the program that follows an upload: that it fails once, until that changes, and
// what it says.

extension Reporter {
  func programEnded(_ ending: AfterUpload.Ending, _ settings: AfterUploadSettings) {
    events.write("program_ended") {
      $0.appendMember("result", ending.code)
      if case .exited(let status) = ending { $0.appendMember("status", Int(status)) }
    }
    switch ending {
    // The agent ends: it is no fault of the program.
    case .abandoned: return
    case .exited(status: 0):
      guard isProgramFailing else { return }
      isProgramFailing = false
      if troubles.ended(Troubles.Topic(.program)) { log.notice("\(settings.path) ends well again") }
    case .exited, .signaled, .timedOut, .stuck:
      programFailed(
        "\(settings.path), which runs after each upload, \(ending.words(settings.timeout))",
        ending.code)
    }
  }

  func programNotStarted(_ flaw: ProgramFlaw, _ settings: AfterUploadSettings) {
    programFailed(
      "\(flaw.words(of: settings.path).sentence) What to do: \(flaw.remedy(for: settings.path))",
      flaw.code)
    events.write("program_not_started") { $0.appendMember("cause", flaw.code) }
  }

  private func programFailed(_ words: MessageText, _ code: StaticString) {
    isProgramFailing = true
    if let words = telling(Troubles.Topic(.program), words) { log.warning(words, [.cause(code)]) }
  }

  /// A line of the program.
  func programSays(_ line: [UInt8]) {
    let words: MessageText = "after_upload says: \(bytes: line.printable)"
    if let words = telling(once: Troubles.Topic(.programOutput), words) { log.info(words) }
  }

  func programOutputDropped(_ count: Int) {
    if count > 0, log.isDebugging { log.debug("after_upload says \(count, "line") more") }
  }
}

extension AfterUpload.Ending {
  fileprivate var code: StaticString {
    switch self {
    case .exited: "exited"
    case .signaled: "signaled"
    case .timedOut: "timed_out"
    case .stuck: "stuck"
    case .abandoned: "abandoned"
    }
  }

  fileprivate func words(_ timeout: Duration) -> MessageText {
    switch self {
    case .exited(let status): "ended with the code \(Int(status))"
    case .signaled(let signal): "was ended by the signal \(Int(signal))"
    case .timedOut: "had not ended after \(timeout), and was ended; after_upload.timeout says when"
    case .stuck:
      "had not ended after \(timeout), and the kernel cannot end it: it waits for a device or a disk;"
        + " while it is there, it is not started again"
    case .abandoned: "was ended with the agent"
    }
  }
}
