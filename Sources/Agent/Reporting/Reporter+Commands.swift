import Board
import Bytes
import LinuxIO
import Outbox

// Reports about the commands of Home Assistant.

extension Reporter {
  func command(_ result: CommandResult) {
    tellLeftOutCommands()
    let kind = CommandKind(word: result.call.word.span)
    if let problem = result.problem {
      let verdict: StaticString = problem.wasTried ? "failed" : "is refused"
      let words: MessageText = "\(result.call.words) \(verdict): \(problem.words)"
      if let count = commandLog.refused(kind, words, &troubles, now: now()) {
        log.warning(words + Self.leftOut(count))
      }
    } else if commandLog.carriedOut(kind, &troubles, now: now()) {
      log.notice("\(result.call.words) is done")
    }
    events.write("command") {
      $0.appendMember("command", result.call.word.span)
      $0.appendMember("result", result.code)
      if let problem = result.problem { $0.appendMember("reason", problem.code) }
    }
  }

  /// Logs the number of successful commands that were not logged, if it is due.
  func tellLeftOutCommands(isEnding: Bool = false) {
    let count = commandLog.takeLeftOut(now: now(), isEnding: isEnding)
    if count > 0 {
      log.notice("\(count, "more command") done; too many in an hour to log each")
    }
  }

  /// - Parameter failure: error of the request to the service manager; nil on success.
  func rebooting(_ failure: Errno?) {
    guard let failure else { return log.notice("the board reboots, as Home Assistant requested") }
    log.error("the board does not reboot: the service manager cannot be reached: \(failure)")
    events.write("reboot_failed")
  }
}

extension CommandCall {
  /// Such as `the command "command_gpio" ("Pump", "turn_on")`.
  fileprivate var words: MessageText {
    switch (output, action) {
    case (nil, nil): "the command \(received: word)"
    case (let name?, nil), (nil, let name?): "the command \(received: word) (\(received: name))"
    case (let output?, let action?):
      "the command \(received: word) (\(received: output), \(received: action))"
    }
  }
}
