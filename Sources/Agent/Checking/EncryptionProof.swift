import Bytes
import HomeAssistant
import Outbox

/// Whether Home Assistant opens what this board sends: it is sent a sealed question, and only who
/// holds the key can answer it.
struct EncryptionProof {
  /// The configuration of a large home.
  static let answerByteCountMax = 1 << 20

  let exchange: Exchange
  let registration: Registration
  let deviceID: [UInt8]

  func finding(
    at url: [UInt8], visit: LoginVisit?, _ version: inout Text?
  ) throws(CommandFailure) -> Finding {
    let status: Int
    do throws(CommandFailure) {
      status = try exchange.send(.getConfiguration, [UInt8]("{}"), to: registration, at: url)
    } catch {
      return .wrong("encryption", "no_connection", .network, error.code, error.text)
    }
    let answer = exchange.readAnswer(status: status, to: registration)
    switch Outcome(answer, to: .getConfiguration) {
    case .proven(let place):
      let text = exchange.body.span.extracting(place)
      guard let configuration = try? Webhook.ServerConfiguration(text) else { break }
      version = configuration.version.text
      return .well(
        "encryption", "Home Assistant \(shown: configuration.version.text) opened our message")
    case .answered:
      return .well("encryption", "There is none, as the configuration allows; anybody can answer")
    case .notLive: return try notLive(visit)
    default: break
    }
    return Self.finding(OutageCause(answer))
  }

  private static func finding(_ cause: OutageCause) -> Finding {
    switch cause {
    case .dropped, .otherKey, .encryptionRequired:
      .wrong(
        "encryption", cause.code, .homeAssistant, .protocolError,
        "\(cause.words). That does not mend itself", remedy: again)
    case .gone:
      .wrong(
        "encryption", cause.code, .homeAssistant, .unavailable,
        "Home Assistant has deleted this device (410)", remedy: again)
    case .forbidden:
      .wrong(
        "encryption", cause.code, .homeAssistant, .noPermission, cause.words,
        remedy: Self.banRemedy)
    default:
      .wrong(
        "encryption", cause.code, .homeAssistant, .temporaryFailure, cause.words,
        remedy: Self.waiting)
    }
  }

  static var banRemedy: MessageText {
    "look into ip_bans.yaml of Home Assistant, and at a proxy before it"
  }

  static var waiting: MessageText { "wait a while, and check again" }

  private static var again: MessageText {
    "homeward pair (Home Assistant then makes new entities)"
  }

  /// The webhook does not live now: only the user of this board can see why.
  private func notLive(_ visit: LoginVisit?) throws(CommandFailure) -> Finding {
    switch try visit?.standing(deviceID: deviceID) ?? .unknown {
    case .unknown:
      .wrong(
        "encryption", "not_live", .homeAssistant, .temporaryFailure, OutageCause.notLive.words,
        remedy: "wait some minutes, and check again; if this stays, the device was deleted there:"
          + " homeward pair")
    case .starting:
      .wrong(
        "encryption", "starting", .homeAssistant, .temporaryFailure, "Home Assistant is starting",
        remedy: "wait some minutes, and check again")
    case .missing:
      .wrong(
        "encryption", "gone", .homeAssistant, .unavailable,
        "Home Assistant runs, and this board was deleted there", remedy: Self.again)
    case .disabled:
      .wrong(
        "encryption", "disabled", .homeAssistant, .unavailable,
        "Home Assistant runs, and somebody disabled this board there",
        remedy: "enable it in Home Assistant: Settings, Devices & services, Mobile App")
    case .present:
      .wrong(
        "encryption", "replaced", .homeAssistant, .unavailable,
        "Home Assistant runs and knows this board, but not by this registration: the board was"
          + " registered again, or Home Assistant could not set it up, and its log says why",
        remedy: Self.again)
    }
  }
}
