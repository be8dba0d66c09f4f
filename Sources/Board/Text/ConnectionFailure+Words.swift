public import Bytes
public import HomeAssistant

extension ConnectionFailure {
  /// Why there is no connection, for a person who waits for it.
  public var words: MessageText {
    switch self {
    case .unreachable(let words):
      "\(unreached: InlineText(text: words))"
    case .refused(let refusal): refusal.words
    case .closed: "Home Assistant closed the connection"
    case .violation: "what answers there does not speak WebSocket as it should"
    case .connectTimeout: "it does not answer"
    case .authenticationTimeout: "Home Assistant does not answer to the login"
    case .noToken(let words): "there is no access token: \(shown: words)"
    case .unanswered: "Home Assistant does not answer any more"
    case .slept: "this board slept"
    }
  }
}

extension WebSocketRefusal {
  fileprivate var words: MessageText {
    switch self {
    case .redirected(let status, let location):
      "it redirects to \(shown: Text(location)) (\(status)), which is not followed; is that the"
        + " address to use?"
    case .unauthorized: ServerRefusal.forbidden(status: 401).words()
    case .forbidden: ServerRefusal.forbidden(status: 403).words()
    case .notFound: "there is no WebSocket (404); is it the address of Home Assistant?"
    case .serverFailed(let status): ServerRefusal.unavailable(status: status).words()
    case .unexpectedStatus(let status): "it answers \(status); is it Home Assistant?"
    case .notHTTP, .responseTooLong, .notUpgraded, .wrongAccept, .unwantedExtension,
      .unwantedSubprotocol:
      "what answers there opens no WebSocket; is it Home Assistant?"
    }
  }
}

extension RequestError {
  /// Why a request has no answer, for a person who waits for it.
  public var words: MessageText { "\(shown: summary)" }
}
