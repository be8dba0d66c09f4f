public import Bytes
public import HomeAssistant
public import Outbox
import Sensing
public import Transport

/// The subject of a refused request, in the parts of a message about it.
public struct RefusedRequest {
  var server: MessageText = "Home Assistant"
  /// Text after "refuses".
  var verb: StaticString = ""
  /// Text after "is not available".
  var purpose: StaticString = ""
  /// Text before "is not Home Assistant".
  var answerer: MessageText = "the server"

  public static var message: RefusedRequest { RefusedRequest() }
  public static var registration: RefusedRequest {
    RefusedRequest(
      verb: " to register", purpose: " to register",
      answerer: "the server that answered the registration")
  }
  public static var accessToken: RefusedRequest {
    RefusedRequest(
      purpose: " for an access token", answerer: "the server that answered for an access token")
  }
  public static var login: RefusedRequest {
    RefusedRequest(purpose: " to log in", answerer: "the server that answered the login")
  }
  /// No request yet: a probe only examined the server.
  public static func probe(of url: [UInt8]) -> RefusedRequest {
    RefusedRequest(
      server: "Home Assistant at \(bytes: url)", answerer: "the server at \(bytes: url)")
  }
}

extension ServerRefusal {
  /// Returns the event as a sentence without its full stop.
  public func words(_ request: RefusedRequest = .message) -> MessageText {
    switch self {
    case .banned:
      "\(request.server) refuses\(request.verb) this address (403); is it in its ip_bans.yaml?"
    case .forbidden(status: 403):
      "a proxy in front of \(request.server) refuses\(request.verb) this address (403)"
    case .forbidden(let status):
      "a proxy in front of \(request.server) refuses\(request.verb) this address (\(status)): it"
        + " requires its own login"
    case .untrustedProxy:
      "\(request.server) rejects requests from its proxy (400: Bad Request)"
    case .wantsTLS: "\(request.answerer) speaks HTTPS at that port, not HTTP (400)"
    case .moved(let address): "\(request.answerer) redirects to \(shown: Text(address))"
    case .loginPage(let status, let address):
      "\(request.answerer) is not Home Assistant (\(status)), "
        + (address.isEmpty ? "but a page" : "and redirects to a page at \(shown: Text(address))")
    case .unavailable(let status) where isOfProxy:
      "a proxy in front of \(request.server) gets no answer from it (\(status))"
    case .notFound: "\(request.server) is not ready\(request.purpose) (404)"
    case .unavailable(let status):
      "\(request.server) is not available\(request.purpose) (\(status))"
    case .notHomeAssistant(let status): "\(request.answerer) is not Home Assistant (\(status))"
    }
  }

  /// Returns the event and its remedy, with the address configured in `place`.
  public func words(
    _ request: RefusedRequest = .message, addressIn place: StaticString
  ) -> MessageText {
    switch self {
    case .notFound: "\(words(request)); if this continues, check \(place)"
    case .loginPage, .notHomeAssistant:
      "\(words(request)); is there a login page? If not, check \(place)"
    case .moved(let address): "\(words(request)); write \(shown: Text(address)) into \(place)"
    case .wantsTLS: "\(words(request)); write https:// in \(place)"
    case .untrustedProxy: "\(words(request)); \(Self.trustRemedy)"
    case .banned, .forbidden, .unavailable: words(request)
    }
  }

  /// Remedy in Home Assistant for `.untrustedProxy`.
  public static var trustRemedy: MessageText {
    "add the proxy's address, which is in Home Assistant's log, to http.trusted_proxies in its"
      + " configuration.yaml, with use_x_forwarded_for: true"
  }

  public var code: StaticString {
    switch self {
    case .banned, .forbidden: "forbidden"
    case .untrustedProxy: "untrusted_proxy"
    case .wantsTLS: "wants_tls"
    case .moved: "moved"
    case .loginPage: "login_page"
    case .notFound: "not_found"
    case .unavailable: "unavailable"
    case .notHomeAssistant: "not_home_assistant"
    }
  }
}

extension PushFetch.Problem {
  public var words: MessageText {
    switch self {
    case .noConnection(let reason): "it cannot be reached: \(unreached: reason)"
    case .tokenUnknown:
      "it does not know the token of this board (403), which was revoked or replaced. Make another"
        + " there (homeward-relay token add or rotate), and give it to this board:"
        + " \(Arguments.command("pair")) --relay"
    case .impossibleNumber:
      "it gives notifications numbers that are no time from 1970 to 2099. Set the clock of its"
        + " machine, and begin a new store there (homeward-relay token add)"
    case .refused(let status):
      switch status {
      case 429, 500...599: "it is not available (\(status))"
      case 401, 403, 407: "a proxy in front of it refuses this address (\(status))"
      default: "the server at push.relay is not a push relay (\(status)); check that address"
      }
    }
  }

  public var code: StaticString {
    switch self {
    case .noConnection: "no_connection"
    case .tokenUnknown: "token_unknown"
    case .impossibleNumber: "impossible_number"
    case .refused: "refused"
    }
  }
}

extension OutageCause {
  public var words: MessageText {
    switch self {
    case .noConnection(let reason): "Home Assistant cannot be reached: \(unreached: reason)"
    case .notLive:
      "Home Assistant sends empty answers: it is starting, or this device was deleted there;"
        + " \(Arguments.command("check")) shows which"
    case .dropped:
      "Home Assistant dropped the message without an error: it has another key, or none"
    case .otherKey: "Home Assistant answers with another key: the registration is not this board's"
    case .gone:
      "Home Assistant has deleted this device (410); to register it again:"
        + " \(Arguments.command("pair"))"
    case .badRequest: "Home Assistant rejects the message as malformed (400); please report it"
    case .encryptionRequired: "Home Assistant received the message unsealed; is there a proxy?"
    case .server(let refusal): refusal.words(addressIn: "home_assistant.url")
    case .noRoute:
      "there is no route to Home Assistant: if this may not be home, nothing is sent over plain"
        + " HTTP, unless home_assistant.plain_http_away allows it"
    case .unreadableAnswer: "Home Assistant's sealed answer is malformed"
    case .otherAnswer:
      "the answer belongs to another message: a proxy or an attacker on the way repeats old answers"
    }
  }

  public var code: StaticString {
    switch self {
    case .noConnection: "no_connection"
    case .notLive: "not_live"
    case .dropped: "dropped"
    case .otherKey: "other_key"
    case .gone: "gone"
    case .badRequest: "bad_request"
    case .encryptionRequired: "encryption_required"
    case .server(let refusal): refusal.code
    case .noRoute: "no_route"
    case .unreadableAnswer: "unreadable_answer"
    case .otherAnswer: "other_answer"
    }
  }
}

extension ConnectionFailure {
  /// Reason why there is no connection, for a person who waits for it.
  public var words: MessageText {
    switch self {
    case .unreachable(let words):
      "\(unreached: InlineText(text: words))"
    case .refused(let refusal): refusal.words
    case .closed: "Home Assistant closed the connection"
    case .violation: "the server there violates the WebSocket protocol"
    case .connectTimeout: "it does not answer"
    case .authenticationTimeout: "Home Assistant does not answer the login"
    case .noToken(let words): "there is no access token: \(shown: words)"
    case .unanswered: "Home Assistant no longer answers"
    case .slept: "this board was suspended"
    }
  }
}

extension WebSocketRefusal {
  fileprivate var words: MessageText {
    switch self {
    case .server(.notFound): "there is no WebSocket (404); is it the address of Home Assistant?"
    case .server(.notHomeAssistant(let status)):
      "it answers \(status); a proxy may block WebSockets"
    case .server(let refusal): refusal.words(addressIn: "home_assistant.url")
    case .notHTTP, .responseTooLong, .notUpgraded, .wrongAccept, .unwantedExtension,
      .unwantedSubprotocol:
      "the server there does not open a WebSocket; a proxy may block it"
    }
  }
}

extension RequestError {
  /// Reason why a request has no answer, for a person who waits for it.
  public var words: MessageText { "\(shown: summary)" }
}

extension MessageText.StringInterpolation {
  /// Appends why there is no connection to Home Assistant, and the remedy if it is known.
  public mutating func appendInterpolation(unreached reason: InlineText) {
    appendInterpolation(reason)
    if let flaw = ConnectionFlaw(reason) { appendInterpolation("; \(flaw.remedy)" as MessageText) }
  }
}

extension InlineText {
  /// Converts a reason from the library, which may be longer there.
  public init(text: Text) {
    let bytes = text.bytes
    self.init(bytes.span)
  }
}

extension ConnectionFlaw {
  public var remedy: MessageText {
    switch self {
    case .untrustedCertificate:
      "name its authority's certificate in home_assistant.tls.ca_file, or renew an expired"
        + " certificate"
    case .otherAuthority:
      "home_assistant.tls.ca_file must hold the certificate of the authority that signed it"
    case .unreadableAuthorities: "check home_assistant.tls.ca_file"
    case .certificateOutOfDate: "compare the clocks; \"date\" shows that of this board"
    case .certificateForAnotherName: "use the name in the certificate as the address"
    case .otherPublicKey: "check home_assistant.tls.public_key"
    case .noTLS, .plainServer:
      "at home, write http:// in home_assistant.url, or use the port that serves HTTPS"
    case .noAnswer: "read the log of the server there"
    case .noAnswerInPlain: "if that port needs TLS, write https:// in home_assistant.url"
    case .environmentProxy:
      "check http_proxy, https_proxy and all_proxy in its environment; no_proxy excludes a server"
    }
  }
}

extension CommandProblem {
  /// Reason why a command was not executed, and the remedy, for people.
  public var words: MessageText {
    switch self {
    case .unknownCommand: "this agent does not know this command"
    case .notAllowed: "the configuration does not allow it (commands)"
    case .notConfirmed:
      "Home Assistant did not accept the confirmation, and may have reported to the sender that the"
        + " command did not arrive"
    case .expired:
      "it waited too long at the push relay (\"ttl\" in its data is the time that it may wait)"
    case .repeated: "a command with this id arrived before"
    case .tooMany: "too many results wait for Home Assistant"
    case .wrongData(let key): "\(key.text) of its data is missing or invalid"
    case .unknownOutput: "the configuration has no output of this name"
    case .noAnchorWatch: "the configuration has no anchor watch (location.anchor)"
    case .noReboot:
      "a reboot of the board is not allowed; to allow it: sudo systemctl enable --now"
        + " homeward-reboot.path"
    case .tooSoon: "the board started a moment ago"
    case .outputFailed: "the line could not be switched, or does not follow"
    case .noFix: "there is no usable fix"
    }
  }
}
