import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

/// Result of a message that a person sent, for the person and for scripts.
struct SendReport {
  /// Key of the only template of a `render_template`.
  static let templateKey: Text = "result"

  let type: MessageType
  let verdict: SendVerdict
  /// JSON answer of Home Assistant.
  private let answer: [UInt8]?

  init(_ type: MessageType, _ verdict: SendVerdict) {
    self.type = type
    self.verdict = verdict
    answer = nil
  }

  /// Creates a report; the answer repeats `challenge` if its type has room for that.
  init(_ type: MessageType, _ outcome: Outcome, body: [UInt8], challenge: Challenge?) {
    self.type = type
    var answer = outcome.place.map { [UInt8](body[$0]) }
    var verdict = SendVerdict(outcome)
    if let challenge, outcome.isDone, let text = answer {
      if challenge.isRepeated(in: text.span, to: type) {
        if case .sealed = verdict { verdict = .proven }
        answer = Self.without(challenge, text)
      } else {
        verdict = .undelivered(.otherAnswer)
        answer = nil
      }
    }
    if let answer, outcome.isDone, Self.isRefusal(answer, of: type) { verdict = .refused }
    self.answer = answer
    self.verdict = verdict
  }

  /// Returns the answer without the repeated challenge.
  private static func without(_ challenge: Challenge, _ answer: [UInt8]) -> [UInt8] {
    guard case .object(var members)? = try? JSON(parsing: answer.span) else { return answer }
    members[challenge.key] = nil
    var text = ByteBuffer(capacity: 2 * answer.count)
    JSON.object(members).write(into: &text)
    return [UInt8](text.bytes)
  }

  var code: ExitCode { verdict.code(for: type) }

  /// Returns whether Home Assistant refused a part of the message although it answered.
  private static func isRefusal(_ answer: [UInt8], of type: MessageType) -> Bool {
    switch type {
    case .renderTemplate:
      guard let results = try? Webhook.RenderTemplate.read(answer.span) else { return false }
      return results.contains { if case .failure = $0.rendering { true } else { false } }
    case .updateSensorStates:
      guard case .object(let sensors)? = try? JSON(parsing: answer.span) else { return false }
      return sensors.members.contains { $0.value["success"] == .boolean(false) }
    default: return false
    }
  }

  /// JSON object on one line: `{"type":"get_zones","outcome":"proven","answer":[…]}`.
  var json: [UInt8] {
    var line = ByteBuffer(capacity: 128 + (answer?.count ?? 0))
    line.openJSONObject()
    line.appendMember("type", type.name)
    line.appendMember("outcome", verdict.name)
    if let answer {
      line.appendJSON(key: "answer")
      line.append(answer.onOneLine)
    }
    line.closeJSONObject()
    line.append(UInt8(ascii: "\n"))
    return [UInt8](line.bytes)
  }

  /// Answer for people; empty if there is none.
  var lines: [UInt8] {
    guard let answer, let json = try? JSON(parsing: answer.span) else { return [] }
    return shown(json).lines
  }

  /// Returns the part of an answer that the person asked for.
  private func shown(_ answer: JSON) -> JSON {
    switch type {
    case .renderTemplate: answer[Self.templateKey] ?? answer
    case .conversationProcess:
      answer["response"]?["speech"]?["plain"]?["speech"] ?? answer
    default: answer
    }
  }
}

extension Outcome {
  /// Range of the JSON answer in the body.
  fileprivate var place: Range<Int>? {
    switch self {
    case .sealed(let place), .answered(let place), .refused(let place): place
    case .accepted, .dropped, .failed, .notLive, .undelivered: nil
    }
  }

  fileprivate var isDone: Bool {
    switch self {
    case .sealed, .answered: true
    default: false
    }
  }
}
