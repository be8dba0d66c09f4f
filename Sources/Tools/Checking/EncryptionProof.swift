import Board
import Bytes
import HomeAssistant
import Outbox

/// Check that Home Assistant can open the messages of this board: it gets a sealed challenge, which
/// only the holder of the key can repeat, and is then asked for its configuration.
struct EncryptionProof {
  /// Size of the configuration of a large home.
  static let answerByteCountMax = 1 << 20

  let http: BlockingHTTP
  let registration: Registration
  let deviceID: [UInt8]
  /// Key of the address in the configuration.
  let urlKey: StaticString

  /// Returns the finding over the first of the routes that answers, or over the last one; nil
  /// without a route.
  func finding(
    over routes: [Route], of here: CheckedRoutes, _ loginCheck: LoginCheck?,
    _ version: inout Text?
  ) throws(CommandFailure) -> Finding? {
    var finding: Finding?
    for route in routes {
      guard let url = here.routes.url(of: route) else { continue }
      finding = try self.finding(
        over: route, isOther: route != here.configured, at: url, loginCheck, &version)
      if http.isAnswered { break }
    }
    return finding
  }

  private func finding(
    over route: Route, isOther: Bool, at url: [UInt8], _ loginCheck: LoginCheck?,
    _ version: inout Text?
  ) throws(CommandFailure) -> Finding {
    for type in [MessageType.renderTemplate, .getConfiguration] {
      let answer: HomeAssistant.Answer
      do throws(CommandFailure) { answer = try ask(type, over: route, at: url) } catch {
        return .wrong("encryption", "no_connection", .network, error.code, error.text)
      }
      if answer == .notLive {
        // Only the user of this board can see why.
        return loginCheck?.findingNotLive(deviceID)
          ?? .wrong(
            "encryption", "not_live", .homeAssistant, .temporaryFailure,
            "Home Assistant sends empty answers: it is starting, or it does not know this device",
            remedy: "wait some minutes, and check again; if this continues, the device was deleted"
              + " there: \(Arguments.command("pair"))")
      }
      if let flaw = flaw(of: answer, to: type, &version) { return finding(flaw) }
    }
    if registration.isPlain {
      return .well(
        "encryption",
        "Off, as the configuration allows; an attacker on the network path can forge answers")
    }
    let way: MessageText = isOther ? " over \(route.words)" : ""
    return .well("encryption", "Home Assistant \(shown: version ?? "") opened the message\(way)")
  }

  private func ask(
    _ type: MessageType, over route: Route, at url: [UInt8]
  ) throws(CommandFailure) -> HomeAssistant.Answer {
    try http.send(type, [UInt8]("{}"), to: registration, over: route, at: url)
    return http.readAnswer(to: registration)
  }

  private func flaw(
    of answer: HomeAssistant.Answer, to type: MessageType, _ version: inout Text?
  ) -> OutageCause? {
    switch answer {
    case .opened(let place), .content(let place):
      let text = http.body.span.extracting(place)
      if let challenge = http.challenge {
        return challenge.isRepeated(in: text, to: type) ? nil : .otherAnswer
      }
      guard let configuration = try? Webhook.ServerConfiguration(text) else {
        return .unreadableAnswer
      }
      version = configuration.version.text
      return nil
    default: return OutageCause(answer)
    }
  }

  private func finding(_ cause: OutageCause) -> Finding {
    switch cause {
    case .dropped, .otherKey, .encryptionRequired:
      .wrong(
        "encryption", cause.code, .homeAssistant, .protocolError,
        "\(cause.words). Waiting does not help", remedy: Self.again)
    case .otherAnswer:
      .wrong(
        "encryption", cause.code, .network, .protocolError, cause.words,
        remedy: "look for a proxy that caches answers; over https:// no proxy on the way can")
    case .gone:
      .wrong(
        "encryption", cause.code, .homeAssistant, .unavailable,
        "Home Assistant has deleted this device (410)", remedy: Self.again)
    case .server(let refusal):
      .wrong(
        "encryption", cause.code, refusal.culprit, refusal.exitCode, refusal.words(),
        remedy: refusal.remedy(for: urlKey))
    default:
      .wrong(
        "encryption", cause.code, .homeAssistant, .temporaryFailure, cause.words,
        remedy: Self.waiting)
    }
  }

  static var waiting: MessageText { "wait a while, and check again" }

  static var again: MessageText {
    "\(Arguments.command("pair")) (Home Assistant then creates new entities)"
  }
}
