public import Bytes
public import HomeAssistant

/// Why a message to Home Assistant was not proven to have arrived.
public enum OutageCause: Equatable, Sendable {
  /// Held in a box: the other causes are small, and this is copied with them.
  indirect case noConnection(InlineText)
  /// A body of no bytes: Home Assistant starts or reloads, or the registration is gone.
  case notLive
  /// A plain answer where a sealed one was due: the message was dropped.
  case dropped
  /// An answer that our key does not open.
  case otherKey
  /// 410: the registration was deleted.
  case gone
  case badRequest
  case encryptionRequired
  /// No handler of Home Assistant answered.
  case server(ServerRefusal)
  /// There is no way that may be taken: where this may not be home nothing is sent in plain.
  case noRoute
  /// The answer opened with our key and is not what Home Assistant's documentation promises.
  case unreadableAnswer
  /// The answer opened with our key, and is not the one to this message: it is an old one, which a
  /// proxy or an attacker on the way gives again.
  case otherAnswer

  /// Why a message with this answer is not proven.
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

  /// Whether a lasting outage of this kind means that the registration is no longer ours.
  var isDoubtful: Bool {
    switch self {
    case .notLive, .dropped, .otherKey, .encryptionRequired, .gone: true
    default: false
    }
  }
}
