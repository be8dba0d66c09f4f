public import Bytes
public import Sensing

public struct CommandResult: Equatable, Sendable {
  public let call: CommandCall
  /// Problem; nil after a success.
  public let problem: CommandProblem?
  /// Time of the result; nil if the board does not know the time.
  public let time: WallTime?

  public var code: StaticString {
    problem.map { $0.wasTried ? "failed" : "refused" } ?? "done"
  }
}

/// Why a command was not carried out.
public enum CommandProblem: Error, Equatable, Sendable {
  /// The agent has no such command.
  case unknownCommand
  /// `commands` of the configuration does not list it.
  case notAllowed
  /// Home Assistant may have reported to its sender that the notification did not arrive.
  case notConfirmed
  /// The command waited at the push relay for longer than the `ttl` of its data or
  /// `Command.ageMax`, or for an unknown time.
  case expired
  /// A command with this `id` came before.
  case repeated
  /// The queue of results for Home Assistant is full.
  case tooMany
  /// A member of its `data` is missing or invalid.
  case wrongData(StaticText)
  /// The configuration has no output of this name.
  case unknownOutput
  /// The configuration wants no anchor watch.
  case noAnchorWatch
  /// The service may not reboot the board.
  case noReboot
  /// The board started a moment ago.
  case tooSoon
  /// The line could not be switched, or does not follow.
  case outputFailed
  case noFix

  /// For scripts and automations.
  public var code: StaticString {
    switch self {
    case .unknownCommand: "unknown_command"
    case .notAllowed: "not_allowed"
    case .notConfirmed: "not_confirmed"
    case .expired: "expired"
    case .repeated: "repeated"
    case .tooMany: "too_many"
    case .wrongData: "wrong_data"
    case .unknownOutput: "unknown_output"
    case .noAnchorWatch: "no_anchor_watch"
    case .noReboot: "no_reboot"
    case .tooSoon: "too_soon"
    case .outputFailed: "output_failed"
    case .noFix: "no_fix"
    }
  }

  /// Whether it was tried; else it was refused.
  public var wasTried: Bool {
    switch self {
    case .outputFailed, .noFix: true
    default: false
    }
  }
}

/// Results of commands, until Home Assistant is proven to have them. Home Assistant gets each at
/// least once, as the data of `homeward_command`:
///
///     device_id           the id with which the device registered
///     device              its name
///     command             the message of the notification
///     id, output, action  `id`, `output` and `command` of its data, if present
///     result              "done", "refused" (not tried) or "failed"
///     reason              the cause, in a word; missing after "done"
///     key                 the invalid member of the data, if that is the reason
///     time                in seconds since 1970; missing if the board does not know the time
struct CommandResults {
  static let eventType: StaticString = "homeward_command"
  /// Maximum number of results. Further commands are refused without a report; only one that
  /// switches an output off is carried out, also without a report.
  static let countMax = 16
  /// Number of waiting results from which no refusal is reported.
  static let refusedCountMax = 8

  private var results: [CommandResult] = []
  /// Number of results that the present cycle has sent, with an answer.
  private var sentCount = 0

  var count: Int { results.count }

  /// Whether one is to be sent in the cycle under way.
  var isDue: Bool { sentCount < results.count }

  /// - Precondition: there are fewer than `countMax`.
  mutating func append(_ result: CommandResult) {
    precondition(count < Self.countMax, "there is room, or it is not told")
    results.append(result)
  }

  mutating func cycleBegan() { sentCount = 0 }

  mutating func answered() { sentCount += 1 }

  /// Removes the results that Home Assistant has.
  mutating func proven() {
    results.removeFirst(sentCount)
    sentCount = 0
  }

  /// Writes the `data` of the `fire_event` with the next one.
  func writeNext(into data: inout ByteBuffer, of device: History.Device) {
    let result = results[sentCount]
    data.appendEvent(Self.eventType, of: device) { result.appendMembers(to: &$0) }
  }
}

extension CommandResult {
  fileprivate func appendMembers(to data: inout ByteBuffer) {
    data.appendMember("command", call.word.span)
    if let id = call.id { data.appendMember("id", id.span) }
    if let output = call.output { data.appendMember("output", output.span) }
    if let action = call.action { data.appendMember("action", action.span) }
    data.appendMember("result", code)
    if let problem { data.appendMember("reason", problem.code) }
    if case .wrongData(let key) = problem { data.appendMember("key", key.text) }
    if let time {
      data.appendMember("time") { $0.appendJSON(time.unixSeconds) }
    }
  }
}
