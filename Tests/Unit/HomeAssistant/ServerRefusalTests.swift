import HomeAssistant
import Testing

/// Who wrote an answer, and what it means.
@Suite struct ServerRefusalTests {
  private func refusal(
    _ status: Int, type: String = "", _ body: String = "", location: String = ""
  ) -> ServerRefusal {
    var head = AnswerHead(status: status)
    if !type.isEmpty { head.setContentType([UInt8](type.utf8).span) }
    head.location = [UInt8](location.utf8)
    return ServerRefusal(head, [UInt8](body.utf8).span)
  }

  @Test(arguments: [
    (0, ServerRefusal.notHomeAssistant(status: 0)), (200, .notHomeAssistant(status: 200)),
    (302, .notHomeAssistant(status: 302)), (400, .notHomeAssistant(status: 400)),
    (401, .forbidden(status: 401)), (402, .notHomeAssistant(status: 402)),
    (403, .forbidden(status: 403)), (404, .notFound), (405, .notHomeAssistant(status: 405)),
    (407, .forbidden(status: 407)), (408, .notHomeAssistant(status: 408)),
    (409, .unavailable(status: 409)), (410, .notHomeAssistant(status: 410)),
    (428, .notHomeAssistant(status: 428)), (429, .unavailable(status: 429)),
    (499, .notHomeAssistant(status: 499)), (500, .unavailable(status: 500)),
    (511, .loginPage(status: 511, at: [])), (599, .unavailable(status: 599)),
    (600, .notHomeAssistant(status: 600)),
  ])
  func aStatusIsOneRefusal(status: Int, expected: ServerRefusal) {
    #expect(refusal(status) == expected)
  }

  /// What Home Assistant writes, and what is written in its place under the same status.
  @Test(arguments: [
    (400, "text/plain; charset=utf-8", "400: Bad Request", ServerRefusal.untrustedProxy),
    (400, "text/html", "<html><center><h1>400 Bad Request</h1></center>", nil),
    (400, "text/plain", "400 Bad Request", nil),
    (403, "text/plain; charset=utf-8", "403: Forbidden", .banned),
    (403, "text/html", "<title>Attention Required! | Cloudflare</title>", .forbidden(status: 403)),
    (403, "application/json", #"{"error":"forbidden"}"#, .forbidden(status: 403)),
    (
      400, "text/html", "<h1>400 The plain HTTP request was sent to HTTPS port</h1>", .wantsTLS
    ),
    (
      400, "text/plain; charset=utf-8", "Client sent an HTTP request to an HTTPS server.\n",
      .wantsTLS
    ),
    (
      400, "text/html; charset=iso-8859-1",
      "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />", .wantsTLS
    ),
  ])
  func theWordsShowWhoWroteThem(
    status: Int, type: String, body: String, expected: ServerRefusal?
  ) {
    #expect(refusal(status, type: type, body) == expected ?? .notHomeAssistant(status: status))
  }

  @Test(arguments: [
    (301, "https://home.example/auth/providers", ServerRefusal.moved(to: [])),
    (308, "https://home.example/api/webhook/0123456789abcdef", .moved(to: [])),
    (307, "https://home.example/api/mobile_app/registrations?x=1", .moved(to: [])),
    (302, "https://home.example/cdn-cgi/access/login/ha.example?redirect_url=%2F", nil),
    (302, "https://home.example/api/session", nil), (302, "https://home.example/api/", nil),
    (302, "https://home.example/", nil), (301, "https://home.example", nil),
    (302, "https://home.example/?rd=https%3A%2F%2Fha.example%2Fapi%2F", nil),
    (303, "https://home.example/auth/realms/home/protocol/openid-connect/auth", nil),
  ])
  func aRedirectLeadsToTheSameElsewhereOrToALogin(
    status: Int, location: String, expected: ServerRefusal?
  ) {
    let address = [UInt8]("https://home.example".utf8)
    #expect(
      refusal(status, location: location)
        == (expected == nil ? .loginPage(status: status, at: address) : .moved(to: address)))
  }

  @Test func aRedirectWithoutAServerNamesNone() {
    #expect(refusal(302, location: "/login") == .loginPage(status: 302, at: []))
    #expect(
      refusal(302, location: "/login?rd=https://home.example/")
        == .loginPage(status: 302, at: []))
    #expect(refusal(302, location: "login:") == .loginPage(status: 302, at: []))
    let long = "https://" + String(repeating: "a", count: 4096)
    #expect(
      refusal(302, location: long) == .loginPage(status: 302, at: [UInt8](long.utf8.prefix(128))),
      "which a log can hold")
  }

  /// A ban is ended by a person; what starts or restarts comes back.
  @Test func onlyARefusalOfTheAddressLasts() {
    for refusal in [ServerRefusal.banned, .forbidden(status: 401), .forbidden(status: 403)] {
      #expect(refusal.isLasting)
    }
    for other in [
      ServerRefusal.notFound, .unavailable(status: 503), .notHomeAssistant(status: 200),
      .untrustedProxy, .wantsTLS, .moved(to: []), .loginPage(status: 302, at: []),
    ] {
      #expect(!other.isLasting)
    }
  }

  @Test func aGatewayThatGotNoAnswerIsAProxy() {
    for status in [502, 504, 521, 530] { #expect(refusal(status).isOfProxy) }
    for status in [500, 503, 429, 401] { #expect(!refusal(status).isOfProxy) }
  }
}
