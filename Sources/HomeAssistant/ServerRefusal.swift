/// Why a server that answered did not do what it was asked, where only the status of HTTP says so.
///
/// What Home Assistant says in its own words is no `ServerRefusal`: that a token is not valid, or
/// that a registration was deleted. `WebSocketRefusal` is for the opening of a WebSocket.
public enum ServerRefusal: Error, Equatable, Sendable {
  /// 401 or 403: Home Assistant banned this address, or a proxy before it wants a login of its own.
  case forbidden(status: Int)
  /// 404: what should answer is not loaded yet, or the URL is not Home Assistant's.
  case notFound
  /// 409, 429, or 500 to 599: there is a server, and it cannot answer now.
  case unavailable(status: Int)
  /// Any other status, or a success whose body is not Home Assistant's: a hotel's page, perhaps.
  case notHomeAssistant(status: Int)

  /// Judges an answer whose body says nothing that Home Assistant would say under this status.
  public init(status: Int) {
    switch status {
    case 401, 403: self = .forbidden(status: status)
    case 404: self = .notFound
    case 409, 429, 500...599: self = .unavailable(status: status)
    default: self = .notHomeAssistant(status: status)
    }
  }

  /// Whether only a person can end it, so that it is not worth asking again soon.
  public var isLasting: Bool { if case .forbidden = self { true } else { false } }
}
