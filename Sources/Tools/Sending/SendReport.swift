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
  init(
    _ type: MessageType, _ answer: HomeAssistant.Answer, body: [UInt8], challenge: Challenge?
  ) {
    self.type = type
    var verdict = SendVerdict(answer, to: type)
    switch answer {
    case .opened(let place), .content(let place):
      var text = [UInt8](body[place])
      if let challenge {
        guard challenge.isRepeated(in: text.span, to: type) else {
          self.verdict = .undelivered(.otherAnswer)
          self.answer = nil
          return
        }
        if case .sealed = verdict { verdict = .proven }
        text = Self.without(challenge, text)
      }
      if Self.isRefusal(text, of: type) { verdict = .refused }
      self.answer = text
    case .refused(let place): self.answer = [UInt8](body[place])
    default: self.answer = nil
    }
    self.verdict = verdict
  }

  private static func without(_ challenge: Challenge, _ answer: [UInt8]) -> [UInt8] {
    guard case .object(var members)? = try? JSON(parsing: answer.span) else { return answer }
    members[challenge.key] = nil
    return JSON.object(members).serialized()
  }

  var code: ExitCode { verdict.code(for: type) }

  /// Returns whether Home Assistant refused a part of the message although it answered.
  private static func isRefusal(_ answer: [UInt8], of type: MessageType) -> Bool {
    guard case .object(let results)? = try? JSON(parsing: answer.span) else { return false }
    return switch type {
    case .renderTemplate: results.members.contains { Webhook.templateError($0.value) != nil }
    case .updateSensorStates:
      results.members.contains { $0.value["success"] == .boolean(false) }
    default: false
    }
  }

  /// JSON object on one line: `{"type":"get_zones","outcome":"proven","answer":[…]}`.
  var json: [UInt8] {
    jsonLine(capacity: 256 + 2 * (answer?.count ?? 0)) { line in
      line.appendMember("type", type.name)
      line.appendMember("outcome", verdict.name)
      guard let answer else { return }
      line.appendJSON(key: "answer")
      line.append(answer.onOneLine)
    }
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

/// Result of a message that a person sent.
enum SendVerdict {
  /// Home Assistant opened this very message with our key and did what it says.
  case proven
  /// Home Assistant sealed the answer with our key; nothing says that it is to this message.
  case sealed
  /// Home Assistant, or another server, answered a plain registration: nothing proves the sender.
  case answered
  /// Home Assistant received the message, and may have dropped it: it answers the same.
  case accepted
  /// Home Assistant opened the message and did not do it, or not all of it.
  case refused
  case dropped
  /// A service did not do its work, or does not exist.
  case failed
  case notLive
  /// The message reached no handler, or that of another registration.
  case undelivered(OutageCause)
  // enable_encryption
  case enabled
  case alreadyEnabled
  case notAvailable

  init(_ answer: HomeAssistant.Answer, to type: MessageType) {
    switch answer {
    case .opened: self = .sealed
    case .content: self = .answered
    case .refused: self = .refused
    case .unproven: self = type.isAnswered ? .dropped : .accepted
    case .notLive: self = type == .callService ? .failed : .notLive
    case .otherKey, .encryptionRequired, .badRequest, .gone, .server:
      self = .undelivered(OutageCause(answer))
    }
  }

  /// Name in the JSON output.
  var name: StaticString {
    switch self {
    case .proven: "proven"
    case .sealed: "sealed"
    case .answered: "answered"
    case .accepted: "accepted"
    case .refused: "refused"
    case .dropped: "dropped"
    case .failed: "failed"
    case .notLive: "not_live"
    case .undelivered(let cause): cause.code
    case .enabled: "enabled"
    case .alreadyEnabled: "already_enabled"
    case .notAvailable: "not_available"
    }
  }

  func code(for type: MessageType) -> ExitCode {
    switch self {
    case .proven, .sealed, .answered, .accepted, .enabled: .success
    // Only the key can be wrong with these messages.
    case .dropped where type.isDroppedForItsKey: OutageCause.dropped.exitCode
    case .refused, .dropped, .failed, .alreadyEnabled, .notAvailable: .dataError
    case .notLive: .temporaryFailure
    case .undelivered(let cause): cause.exitCode
    }
  }

  /// Returns the result for a person, with the remedy.
  func words(for type: MessageType) -> MessageText {
    switch self {
    case .proven: "Home Assistant opened the message and carried it out."
    case .sealed:
      "Home Assistant sealed this answer with this board's key. An old answer that a proxy or an"
        + " attacker on the way repeats would look the same."
    case .answered:
      "Home Assistant answered; without a key nothing proves that it was Home Assistant."
    case .accepted: Self.acceptedWords(for: type)
    case .refused: "Home Assistant refuses the message or a part of it."
    case .dropped: Self.droppedWords(for: type)
    case .failed:
      "The service does not exist, rejected its data, or failed; Home Assistant's log shows which."
        + " A webhook that is not active now looks the same."
    case .notLive: "\(OutageCause.notLive.words)."
    case .undelivered(let cause): "\(cause.words)."
    case .enabled: "Everything between this board and Home Assistant is sealed from now on."
    case .alreadyEnabled: "This registration is sealed already."
    case .notAvailable: "This Home Assistant cannot encrypt: it is from before 2022."
    }
  }

  private static func acceptedWords(for type: MessageType) -> MessageText {
    switch type {
    case .callService:
      "Home Assistant called the service, or dropped the message: its answer is the same."
    case .updateLocation: "\(acceptedWords) To see it arrive: sudo homeward watch states"
    default: "\(acceptedWords) To see it arrive: sudo homeward watch events"
    }
  }

  private static var acceptedWords: MessageText {
    "Home Assistant received the message; if it dropped the message, its answer is the same."
  }

  private static func droppedWords(for type: MessageType) -> MessageText {
    if type.isDroppedForItsKey {
      "Home Assistant dropped the message without an error: it has another key for this board, or"
        + " none. Pair the board again: \(Arguments.command("pair"))"
    } else {
      "Home Assistant dropped the message without an error: it rejects the content, or cannot open"
        + " the message. If sudo homeward send get_config works, it can open messages"
    }
  }
}

extension MessageType {
  /// Whether Home Assistant drops it only if it cannot open it.
  fileprivate var isDroppedForItsKey: Bool {
    switch self {
    case .getConfiguration, .getZones, .updateRegistration: true
    default: false
    }
  }
}
