import Bytes

/// Why a server that answered did not do what it was asked: the one judgement of all answers over
/// HTTP, whatever was asked.
///
/// What Home Assistant says of what it was asked is no `ServerRefusal`: that a token is not valid,
/// or that a registration was deleted.
public enum ServerRefusal: Error, Equatable, Sendable {
  /// 403 in Home Assistant's words: it banned this address.
  case banned
  /// 401, 403, 407 or 511 in other words: a proxy before Home Assistant, or the network, wants a
  /// login of its own.
  case forbidden(status: Int)
  /// 400 in the words of Home Assistant's web server: its `http.trusted_proxies` lacks the proxy.
  case untrustedProxy
  /// 400 in the words of a server that speaks HTTPS at this port, and was spoken HTTP to.
  case wantsTLS
  /// The same is found at another address, which this is: scheme, host and port.
  case moved(to: [UInt8])
  /// A redirect to something else, such as a page to log in; the address is that of its host, and
  /// empty where the server names none.
  case loginPage(status: Int, at: [UInt8])
  /// 404: what should answer is not loaded yet, or the URL is not Home Assistant's.
  case notFound
  /// 409, 429, or 500 to 599: there is a server, and it cannot answer now.
  case unavailable(status: Int)
  /// Any other status, or a success whose body is not Home Assistant's: a hotel's page, perhaps.
  case notHomeAssistant(status: Int)

  /// Judges an answer whose body says nothing that Home Assistant would say of what it was asked.
  public init(_ head: AnswerHead, _ body: Span<UInt8>) {
    switch head.status {
    case 300..<400 where !head.location.isEmpty: self.init(redirecting: head)
    case 400 where head.isOwnRefusal(body): self = .untrustedProxy
    case 400 where Self.asksForTLS(body): self = .wantsTLS
    case 403 where head.isOwnRefusal(body): self = .banned
    case 401, 403, 407, 511: self = .forbidden(status: head.status)
    case 404: self = .notFound
    case 409, 429, 500...599: self = .unavailable(status: head.status)
    default: self = .notHomeAssistant(status: head.status)
    }
  }

  /// Whether only a person can end it, so that it is not worth asking again soon.
  public var isLasting: Bool {
    switch self {
    case .banned, .forbidden: true
    default: false
    }
  }

  /// Whether a server gave it that got no answer from the one behind it.
  public var isOfProxy: Bool {
    switch self {
    case .unavailable(502), .unavailable(504), .unavailable(520...530): true
    default: false
    }
  }

  // MARK: TLS

  /// How nginx, Go's servers (Caddy, Traefik) and Apache answer to HTTP where they speak HTTPS.
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

  /// Whether it is what is asked for here: the root of a server may be that of a portal, to which
  /// no person is to give a password.
  private static func isAsked(_ path: Span<UInt8>) -> Bool {
    for start in [
      "/api/webhook/", "/api/mobile_app/", "/api/websocket", "/auth/providers", "/auth/token",
      "/auth/login_flow",
    ] as [StaticString] where path.starts(with: start) { return true }
    return false
  }
}
