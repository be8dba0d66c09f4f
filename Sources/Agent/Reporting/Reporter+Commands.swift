import Board
import Bytes
import LinuxIO
import Outbox

// What is told of the commands of Home Assistant.

extension Reporter {
  func command(_ result: CommandResult) {
    let word = result.call.word
    if let problem = result.problem {
      let verdict: StaticString = problem.wasTried ? "failed" : "is refused"
      log.warning("the command \(received: word) \(verdict): \(problem.words)")
    } else {
      log.notice("the command \(received: word) is done")
    }
    events.write("command") {
      $0.appendMember("command", word.span)
      $0.appendMember("result", result.code)
      if let problem = result.problem { $0.appendMember("reason", problem.code) }
    }
  }

  /// - Parameter failure: why the service manager cannot be asked; nil where it was.
  func rebooting(_ failure: Errno?) {
    guard let failure else { return log.notice("the board reboots, as Home Assistant asked for") }
    log.error("the board does not reboot, as the service manager cannot be asked: \(failure)")
    events.write("reboot_failed")
  }
}
