public import Bytes
public import HomeAssistant

/// Reason why a message to Home Assistant is not proven to have arrived.
public enum OutageCause: Equatable, Sendable {
  /// The connection failed. Indirect: the other causes are small, and copies include this one.
  indirect case noConnection(InlineText)
  /// An empty body: Home Assistant starts or reloads, or the registration was deleted.
  case notLive
  /// A plain answer instead of a sealed one: the message was dropped.
  case dropped
  /// An answer that the board's key does not open.
  case otherKey
  /// 410: the registration was deleted.
  case gone
  case badRequest
  case encryptionRequired
  /// Another server than a handler of Home Assistant answered.
  case server(ServerRefusal)
  /// No route is allowed: in a network that may not be home nothing is sent unencrypted.
  case noRoute
  /// The answer opened with the board's key, but contradicts Home Assistant's documentation.
  case unreadableAnswer
  /// The answer opened with the board's key, but belongs to another message: a proxy or an attacker
  /// on the way repeats an old one.
  case otherAnswer

  /// Returns the cause for an unproven message with this answer.
  public init(_ answer: Answer) {
    switch answer {
    case .opened, .content: self = .unreadableAnswer
    case .unproven: self = .dropped
    case .otherKey: self = .otherKey
    case .notLive: self = .notLive
    case .encryptionRequired: self = .encryptionRequired
    case .badRequest, .refused: self = .badRequest
    case .gone: self = .gone
    case .server(let refusal): self = .server(refusal)
    }
  }

  /// Whether a lasting outage of this kind means that the registration is no longer valid.
  var isDoubtful: Bool {
    switch self {
    case .notLive, .dropped, .otherKey, .encryptionRequired, .gone: true
    default: false
    }
  }
}
