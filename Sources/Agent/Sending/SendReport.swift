import Bytes
import HomeAssistant

/// What became of a message that a person sent, for the person and for scripts.
struct SendReport {
  private let type: MessageType
  private let outcome: StaticString
  private let answer: JSON?
  let code: ExitCode

  init(_ type: MessageType, _ outcome: StaticString, _ code: ExitCode) {
    self.type = type
    self.outcome = outcome
    self.code = code
    answer = nil
  }

  init(_ type: MessageType, _ outcome: Outcome, body: borrowing ByteBuffer) {
    self.type = type
    self.outcome = outcome.name
    code = outcome.code
    answer = outcome.place.flatMap { try? JSON(parsing: body.bytes.extracting($0)) }
  }

  /// One line: `{"type":"get_zones","outcome":"proven","answer":[…]}`.
  var json: [UInt8] {
    var report: JSONObject = [
      "type": .text(Text([UInt8](type.name))), "outcome": .text(Text([UInt8](outcome))),
    ]
    report["answer"] = answer
    return JSON.object(report).serialized() + [UInt8(ascii: "\n")]
  }

  var text: [UInt8] {
    var outline = Outline()
    if let answer { outline.append(shown(answer)) }
    return outline.bytes + words.bytes
  }

  /// The part of an answer that somebody asked for.
  private func shown(_ answer: JSON) -> JSON {
    switch type {
    case .renderTemplate: answer["result"] ?? answer
    case .conversationProcess:
      answer["response"]?["speech"]?["plain"]?["speech"] ?? answer
    default: answer
    }
  }

  private var words: MessageText {
    switch outcome {
    case _ where outcome ~~ "proven": "Home Assistant opened the message and did what it says.\n"
    case _ where outcome ~~ "answered": "Home Assistant answered; without a key nothing proves it.\n"
    case _ where outcome ~~ "accepted":
      "Home Assistant got the message. Its answer is the same where it dropped it.\n"
    case _ where outcome ~~ "refused": "Home Assistant opened the message and refused it.\n"
    case _ where outcome ~~ "dropped":
      "Home Assistant dropped the message: it does not like what stands in it, or cannot open"
        + " it.\n"
    case _ where outcome ~~ "failed":
      "The service failed, does not exist, or the webhook does not live now.\n"
    case _ where outcome ~~ "not_live":
      "The webhook does not live now: Home Assistant starts or reloads, or the registration is"
        + " gone.\n"
    case _ where outcome ~~ "enabled": "The registration is sealed from now on.\n"
    case _ where outcome ~~ "already_enabled": "The registration is sealed already.\n"
    case _ where outcome ~~ "not_available": "This Home Assistant cannot encrypt.\n"
    default: "The message did not arrive: \(outcome).\n"
    }
  }
}
