import Board
import Bytes
import LinuxIO
import Outbox
import Sensing

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

/// Selection of the command results to log.
///
/// Invariants:
/// 1. Successful commands are logged, up to `LineRateLimiter.linesMax` in an hour; outputs are
/// counted separately, so that other commands cannot hide the switching of a pump.
/// 2. A failed command is logged once, until a command of its kind succeeds: an automation may
/// repeat a forbidden command for a year.
/// 3. The memory use does not grow with the commands of Home Assistant.
struct CommandLog {
  private var outputs = LineRateLimiter()
  private var others = LineRateLimiter()

  /// Records a successful command. Returns whether to log it.
  mutating func carriedOut(_ kind: CommandKind?, _ troubles: inout Troubles, now: Instant) -> Bool {
    _ = troubles.ended(Self.topic(kind))
    return kind == .output ? outputs.happened(now: now) : others.happened(now: now)
  }

  /// Records a failed command, described by `words`. Returns the result of `Troubles.began`.
  func refused(
    _ kind: CommandKind?, _ words: MessageText, _ troubles: inout Troubles, now: Instant
  ) -> Int? {
    troubles.began(Self.topic(kind), words.bytes, now: now)
  }

  /// Returns the number of successful commands that were not logged, once it is due.
  mutating func takeLeftOut(now: Instant, isEnding: Bool = false) -> Int {
    outputs.takeLeftOut(now: now, isEnding: isEnding)
      + others.takeLeftOut(now: now, isEnding: isEnding)
  }

  /// Returns the topic of a kind; all unknown commands share one.
  private static func topic(_ kind: CommandKind?) -> Troubles.Topic {
    Troubles.Topic(.command, InlineText(kind?.word ?? ""))
  }
}

/// Limits the rate of log lines that all matter, such as the switching of a pump, to spare the SD
/// card: `linesMax` in an hour, then the number of suppressed lines.
struct LineRateLimiter {
  static let linesMax = 20
  static let window: Duration = .seconds(3600)

  /// End of the hour that began with a line; nil before the first one.
  private var end: Instant?
  private var lineCount = 0
  private var leftOutCount = 0

  /// Records an event. Returns whether to log it.
  mutating func happened(now: Instant) -> Bool {
    if end.map({ now >= $0 }) ?? true {
      end = now + Self.window
      lineCount = 0
    }
    guard lineCount < Self.linesMax else {
      leftOutCount += 1
      return false
    }
    lineCount += 1
    return true
  }

  /// Returns the number of suppressed lines, once, when the hour is over or the agent ends.
  mutating func takeLeftOut(now: Instant, isEnding: Bool = false) -> Int {
    guard leftOutCount > 0, let end, isEnding || now >= end else { return 0 }
    defer { leftOutCount = 0 }
    return leftOutCount
  }
}
