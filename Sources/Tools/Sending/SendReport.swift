import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

/// Result of a message that a person sent, for the person and for scripts.
struct SendReport {
  /// Key of the only template of a `render_template`.
  static let templateKey: Text = "result"

  private let type: MessageType
  /// Name of the outcome in the JSON output.
  let outcome: StaticString
  let code: ExitCode
  /// Outcome for a person, with the remedy.
  let words: MessageText
  private let answer: [UInt8]?

  init(
    _ type: MessageType, _ outcome: StaticString, _ code: ExitCode, _ words: MessageText,
    _ answer: [UInt8]? = nil
  ) {
    self.type = type
    self.outcome = outcome
    self.code = code
    self.words = words
    self.answer = answer
  }

  /// Creates the report of an answer, which repeats `challenge` if its type has room for that.
  init(
    _ type: MessageType, _ answer: HomeAssistant.Answer, body: [UInt8], challenge: Challenge?
  ) {
    switch answer {
    case .opened(let place):
      self.init(type, [UInt8](body[place]), isSealed: true, challenge)
    case .content(let place):
      self.init(type, [UInt8](body[place]), isSealed: false, challenge)
    case .refused(let place): self.init(refusing: type, [UInt8](body[place]))
    case .unproven where !type.isAnswered:
      self.init(type, "accepted", .success, Self.acceptedWords(for: type))
    case .unproven where type.isDroppedForItsKey:
      self.init(
        type, "dropped", OutageCause.dropped.exitCode,
        "\(OutageCause.dropped.words). Pair the board again: \(Arguments.command("pair"))")
    case .unproven:
      self.init(
        type, "dropped", .dataError,
        "Home Assistant dropped the message without an error: it rejects the content, or cannot open"
          + " the message. If sudo homeward send get_config works, it can open messages")
    case .notLive where type == .callService:
      self.init(
        type, "failed", .dataError,
        "The service does not exist, rejected its data, or failed; Home Assistant's log shows which."
          + " A webhook that is not active now looks the same.")
    case .notLive:
      self.init(type, "not_live", .temporaryFailure, "\(OutageCause.notLive.words).")
    case .otherKey, .encryptionRequired, .badRequest, .gone, .server:
      self.init(undelivered: type, OutageCause(answer))
    }
  }

  /// Creates the report of a message that Home Assistant, or another server, answered as done.
  private init(_ type: MessageType, _ answer: [UInt8], isSealed: Bool, _ challenge: Challenge?) {
    var answer = answer
    if let challenge {
      guard challenge.isRepeated(in: answer.span, to: type) else {
        self.init(undelivered: type, .otherAnswer)
        return
      }
      answer = Self.without(challenge, answer)
    }
    if Self.isRefusal(answer, of: type) {
      self.init(refusing: type, answer)
    } else if !isSealed {
      self.init(
        type, "answered", .success,
        "Home Assistant answered; without a key nothing proves that it was Home Assistant.", answer)
    } else if challenge != nil {
      self.init(
        type, "proven", .success, "Home Assistant opened the message and carried it out.", answer)
    } else {
      self.init(
        type, "sealed", .success,
        "Home Assistant sealed this answer with this board's key. An old answer that a proxy or an"
          + " attacker on the way repeats would look the same.", answer)
    }
  }

  /// Creates the report of a message that Home Assistant did not carry out, or not all of it.
  private init(refusing type: MessageType, _ answer: [UInt8]) {
    self.init(
      type, "refused", .dataError, "Home Assistant refuses the message or a part of it.", answer)
  }

  /// Creates the report of a message that reached no handler, or that of another registration.
  private init(undelivered type: MessageType, _ cause: OutageCause) {
    self.init(type, cause.code, cause.exitCode, "\(cause.words).")
  }

  private static func without(_ challenge: Challenge, _ answer: [UInt8]) -> [UInt8] {
    guard case .object(var members)? = try? JSON(parsing: answer.span) else { return answer }
    members[challenge.key] = nil
    return JSON.object(members).serialized()
  }

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

  /// Home Assistant may have dropped the message: its answer is the same.
  private static func acceptedWords(for type: MessageType) -> MessageText {
    if type == .callService {
      return "Home Assistant called the service, or dropped the message: its answer is the same."
    }
    let topic: StaticString = type == .updateLocation ? "states" : "events"
    return "Home Assistant received the message; if it dropped the message, its answer is the same."
      + " To see it arrive: sudo homeward watch \(topic)"
  }

  /// JSON object on one line: `{"type":"get_zones","outcome":"proven","answer":[…]}`.
  var json: [UInt8] {
    jsonLine { line in
      line.appendMember("type", type.name)
      line.appendMember("outcome", outcome)
      guard let answer else { return }
      line.appendJSON(key: "answer")
      line.append(answer.onOneLine)
    }
  }

  /// Part of the answer that the person asked for; empty if there is none.
  var lines: [UInt8] {
    guard let answer, let json = try? JSON(parsing: answer.span) else { return [] }
    let part: JSON? =
      switch type {
      case .renderTemplate: json[Self.templateKey]
      case .conversationProcess: json["response"]?["speech"]?["plain"]?["speech"]
      default: nil
      }
    return (part ?? json).lines
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
