import Bytes

/// Reason that a server answered but did not do the request. All answers over HTTP are judged by
/// it.
///
/// Home Assistant's own verdict on a request is not a `ServerRefusal`: an invalid token, or a
/// deleted registration.
public enum ServerRefusal: Error, Equatable, Sendable {
  /// 403 in Home Assistant's words: it banned the address of the client.
  case banned
  /// 401, 403, 407 or 511 in other words: a proxy before Home Assistant, or the network, wants a
  /// login of its own.
  case forbidden(status: Int)
  /// 400 in the words of Home Assistant's web server: its `http.trusted_proxies` lacks the proxy.
  case untrustedProxy
  /// 400 in the words of a server that speaks HTTPS at this port and received HTTP.
  case wantsTLS
  /// The API is at another address: scheme, host and port.
  case moved(to: [UInt8])
  /// Redirect to another path, such as a login page; the address is that of its host, and empty if
  /// the server names none.
  case loginPage(status: Int, at: [UInt8])
  /// 404: the integration is not loaded yet, or the URL is not Home Assistant's.
  case notFound
  /// 409, 429, or 500 to 599: the server cannot answer now.
  case unavailable(status: Int)
  /// Any other status, or a success whose body is not Home Assistant's, such as a hotel's page.
  case notHomeAssistant(status: Int)

  /// Judges an answer that holds no verdict of Home Assistant on the request.
  public init(_ head: AnswerHead, _ body: Span<UInt8>) {
    switch head.status {
    case 300..<400 where !head.location.isEmpty: self.init(redirecting: head)
    case 400 where head.isOwnRefusal(body): self = .untrustedProxy
    case 400 where Self.asksForTLS(body): self = .wantsTLS
    case 403 where head.isOwnRefusal(body): self = .banned
    case 401, 403, 407: self = .forbidden(status: head.status)
    // That of a network with a login page (RFC 6585).
    case 511: self = .loginPage(status: 511, at: [])
    case 404: self = .notFound
    case 409, 429, 500...599: self = .unavailable(status: head.status)
    default: self = .notHomeAssistant(status: head.status)
    }
  }

  /// Whether only a person can end the refusal, so that an early retry is useless.
  public var isLasting: Bool {
    switch self {
    case .banned, .forbidden: true
    default: false
    }
  }

  /// Whether the refusal is from a proxy that got no answer from the server behind it.
  public var isOfProxy: Bool {
    switch self {
    case .unavailable(502), .unavailable(504), .unavailable(520...530): true
    default: false
    }
  }

  // MARK: TLS

  /// Whether the body is the reply of nginx, Apache or a Go server (Caddy, Traefik) to HTTP at an
  /// HTTPS port.
  private static func asksForTLS(_ body: Span<UInt8>) -> Bool {
    let beginning = body.extracting(first: 1024)
    for words in ["to HTTPS port", "to an HTTPS server", "plain HTTP to an SSL"] as [StaticString]
    where beginning.contains(words) { return true }
    return false
  }

  // MARK: Redirects

  private static let addressByteCountMax = 128

  private init(redirecting head: AnswerHead) {
    let location = head.location
    guard let colon = location.firstIndex(where: { !$0.isLetterOrDigit }),
      location.span.extracting(colon..<location.count).starts(with: "://")
    else {
      self = .loginPage(status: head.status, at: [])
      return
    }
    var end = colon + 3
    while end < location.count, !"/?#".utf8.contains(location[end]) { end += 1 }
    let address = [UInt8](location[..<min(end, Self.addressByteCountMax)])
    let path = location.span.extracting(end..<location.count)
    self = Self.isAsked(path) ? .moved(to: address) : .loginPage(status: head.status, at: address)
  }

  /// Whether the path is one that this client requests. The root of a server may be a portal, which
  /// must not get a password.
  private static func isAsked(_ path: Span<UInt8>) -> Bool {
    for start in [
      "/api/webhook/", "/api/mobile_app/", "/api/websocket", "/auth/providers", "/auth/token",
      "/auth/login_flow",
    ] as [StaticString] where path.starts(with: start) { return true }
    return false
  }
}
