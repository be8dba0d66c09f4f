import Bytes
import HomeAssistant
import LinuxIO

/// What became of a message that a person sent, for the person and for scripts.
struct SendReport {
  /// What the one template of a `render_template` is called.
  static let templateKey: Text = "result"

  let type: MessageType
  let verdict: SendVerdict
  /// The JSON that Home Assistant answered, as it came.
  private let answer: [UInt8]?

  init(_ type: MessageType, _ verdict: SendVerdict) {
    self.type = type
    self.verdict = verdict
    answer = nil
  }

  init(_ type: MessageType, _ outcome: Outcome, body: [UInt8]) {
    self.type = type
    answer = outcome.place.map { [UInt8](body[$0]) }
    let verdict = SendVerdict(outcome)
    if outcome.isDone, let answer, Self.isRefusal(answer, of: type) {
      self.verdict = .refused
    } else {
      self.verdict = verdict
    }
  }

  var code: ExitCode { verdict.code(for: type) }

  /// Some types are answered whole where a part of them was refused.
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

  /// One line: `{"type":"get_zones","outcome":"proven","answer":[…]}`. The answer is what came.
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

  /// The answer for people; empty where there is none.
  var outline: [UInt8] {
    guard let answer, let json = try? JSON(parsing: answer.span) else { return [] }
    var outline = Outline()
    outline.append(shown(json))
    return outline.bytes
  }

  /// The part of an answer that somebody asked for.
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
  /// Where the JSON of the answer stands.
  fileprivate var place: Range<Int>? {
    switch self {
    case .proven(let place), .answered(let place), .refused(let place): place
    case .accepted, .dropped, .failed, .notLive, .undelivered: nil
    }
  }

  fileprivate var isDone: Bool {
    switch self {
    case .proven, .answered: true
    default: false
    }
  }
}
