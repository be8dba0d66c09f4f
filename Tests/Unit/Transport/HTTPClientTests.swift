import Bytes
import HomeAssistant
import LinuxIO
import Testing

@testable import Transport

@Suite(.serialized) final class HTTPClientTests {
  let loop: EventLoop
  let client: HTTPClient
  let owner = RecordingOwner()
  private var servers: [ScriptedServer] = []

  init() throws {
    loop = try EventLoop()
    client = try #require(
      HTTPClient(
        loop: loop, requestByteCountMax: 512 * 1024, userAgent: [UInt8]("Homeward/test")))
  }

  deinit { for server in servers { server.stop() } }

  // MARK: Answers

  @Test(arguments: [200, 201, 400, 401, 403, 404, 410, 500, 503])
  func everyStatusIsAnAnswerAndHasItsBody(status: Int) throws {
    let server = try server(.whole(status: status, [UInt8](#"{"encrypted":true}"#)))
    #expect(try post("{}", to: server) == .answered(status: status))
    #expect(body == #"{"encrypted":true}"#)
    #expect(!client.isBusy)
  }

  /// Whether Home Assistant or a proxy wrote it is seen from the head of an answer that says no.
  @Test func theHeadOfARefusalShowsWhoWroteIt() throws {
    func answer(_ status: Int, _ fields: String, _ body: String) -> ScriptedServer.Reply {
      let head = "HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n"
      return .answer([UInt8]((head + body).utf8))
    }
    let text = "Content-Type: text/plain; charset=utf-8\r\n"
    let server = try server(
      answer(401, text, "401: Unauthorized"),
      answer(401, text + "WWW-Authenticate: Bearer realm=\"x\"\r\n", "401: Unauthorized"),
      answer(401, text + "WWW-Authenticate: Basic realm=\"x\"\r\n", "401: Unauthorized"),
      answer(401, "Content-Type: text/html\r\n", "401: Unauthorized"),
      answer(301, "Location: /api/elsewhere\r\n", ""), answer(200, "", "{}"))
    var areOwn: [Bool] = []
    for _ in 0..<4 {
      _ = try post("{}", to: server)
      areOwn.append(client.answerHead.rejectsToken([UInt8](body.utf8).span))
    }
    #expect(areOwn == [true, true, false, false])
    _ = try post("{}", to: server)
    let location = "http://127.0.0.1:\(server.port)/api/elsewhere"
    #expect(client.answerHead.location == [UInt8](location.utf8), "libcurl makes it absolute")
    _ = try post("{}", to: server)
    #expect(client.answerHead == AnswerHead(status: 200))
  }

  /// A board's clock is held against it, so a date that no clock tells is none.
  @Test(arguments: [
    ("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n", 1 as Int64?),
    ("Date: Tue, 19 Jan 2038 03:14:08 GMT\r\n", 2_147_483_648),
    ("Date: Fri, 01 Jan 2100 00:00:00 GMT\r\n", 4_102_444_800),
    ("Date: Fri, 01 Jan 2100 00:00:01 GMT\r\n", nil),
    ("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n", nil), ("Date: yesterday\r\n", nil), ("", nil),
  ])
  func theDateOfAnAnswerIsTheServersTime(_ field: String, _ seconds: Int64?) throws {
    let head = "HTTP/1.1 200 OK\r\n\(field)Content-Length: 0\r\n\r\n"
    _ = try post("{}", to: try server(.answer([UInt8](head.utf8))))
    #expect(client.serverTime == seconds.map { WallTime(nanoseconds: $0 * 1_000_000_000) })
  }

  @Test func aPortThatHangsUpOnPlainHTTPMayWantTLS() throws {
    let server = try server(.lastWords([]))
    #expect(
      try post("{}", to: server) == .failed(InlineText(ConnectionFlaw.noAnswerInPlain.words)))
  }

  @Test func anAnswerWithoutABodyIsEmpty() throws {
    let server = try server(.whole([UInt8]("before")), .whole([]))
    _ = try post("1", to: server)
    #expect(try post("2", to: server) == .answered(status: 200))
    #expect(body == "")
  }

  @Test func anAnswerInChunksIsPutTogether() throws {
    let chunks = "4\r\n{\"en\r\n1\r\nc\r\n10\r\nrypted\":false}  \r\n0\r\n\r\n"
    let server = try server(
      .answer([UInt8]("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)".utf8)))
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "{\"encrypted\":false}  ")
  }

  @Test func anAnswerThatEndsWithItsConnectionIsWhole() throws {
    let server = try server(.lastWords([UInt8]("HTTP/1.0 200 OK\r\n\r\n{}")))
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "{}")
  }

  /// A server that answers instead of Home Assistant must not get what was meant for it.
  @Test func aRedirectionIsAnAnswerAndIsNotFollowed() throws {
    let elsewhere = try server(.whole([UInt8]("elsewhere")))
    let server = try server(
      .answer(
        [UInt8](
          "HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:\(elsewhere.port)/\r\nContent-Length: 0\r\n\r\n"
            .utf8)))
    #expect(try post("{}", to: server) == .answered(status: 307))
    #expect(elsewhere.connectionCount == 0)
  }

  @Test func theLongestAnswerIsKept() throws {
    let longest = [UInt8](repeating: 0x20, count: HTTPClient.responseByteCountMax)
    let server = try server(.whole(longest))
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body.utf8.count == longest.count && !isTooLong)
  }

  @Test func aLongerAnswerIsSeenToBeTooLongAndEndsWithItsTransfer() throws {
    let server = try server(
      .whole([UInt8](repeating: 0x20, count: HTTPClient.responseByteCountMax + 1)),
      .whole([UInt8]("{}")))
    #expect(try post("1", to: server) == .answered(status: 200))
    #expect(isTooLong)
    #expect(try post("2", to: server) == .answered(status: 200))
    #expect(body == "{}" && !isTooLong)
  }

  @Test func anAnswerWithoutEndIsNotListenedToForEver() throws {
    let server = try server(
      .endless([UInt8]("HTTP/1.1 200 OK\r\n\r\n")), .whole([UInt8]("{}")))
    #expect(try post("1", to: server) == .answered(status: 200))
    #expect(isTooLong)
    // Not much more than what the two sockets hold.
    #expect(server.sentByteCount < 64 * 1024 * 1024)
    #expect(try post("2", to: server) == .answered(status: 200))
    #expect(body == "{}")
  }

  // MARK: Requests

  @Test func theRequestIsAPostOfJSONAndNothingElse() throws {
    let server = try server(.whole([]))
    _ = try post(#"{"type":"update_location"}"#, to: server, path: "/api/webhook/0f33")
    let request = try #require(server.requests.first.map { String(decoding: $0, as: UTF8.self) })
    let parts = request.split(separator: "\r\n\r\n")
    let head = parts[0].split(separator: "\r\n")
    #expect(head[0] == "POST /api/webhook/0f33 HTTP/1.1")
    #expect(
      head.dropFirst().sorted() == [
        "Content-Length: 26", "Content-Type: application/json",
        "Host: 127.0.0.1:\(server.port)", "User-Agent: Homeward/test",
      ])
    #expect(parts[1] == #"{"type":"update_location"}"#)
  }

  @Test func theTokenGoesWhereItIsMeantToAndNowhereElse() throws {
    let server = try server(.whole([]), .whole([]))
    _ = try post("1", to: server, token: [UInt8]("secret"))
    _ = try post("2", to: server)
    let heads = server.requests.map { String(decoding: $0, as: UTF8.self) }
    #expect(heads[0].contains("\r\nAuthorization: Bearer secret\r\n"))
    #expect(!heads[1].contains("secret"))
  }

  @Test func aLongRequestArrivesWhole() throws {
    let long = String(repeating: "0123456789abcdef", count: 30_000)
    let server = try server(.whole([]))
    #expect(try post(long, to: server) == .answered(status: 200))
    #expect(server.requests.first?.suffix(long.utf8.count) == [UInt8](long.utf8)[...])
  }

  @Test(
    arguments: [
      (.get, "GET"), (.delete, "DELETE"), (.options, "OPTIONS"), (.head, "HEAD"),
    ] as [(HTTPMethod, String)])
  func aRequestWithoutABodyHasNone(method: HTTPMethod, name: String) throws {
    // After one that had a body, and before one that has: neither leaves a trace.
    let answer: ScriptedServer.Reply =
      method == .head
      ? .answer([UInt8]("HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\n")) : .whole([UInt8]("x"))
    let server = try server(.whole([]), answer, .whole([]))
    _ = try post("{}", to: server)
    let result = try send(endpoint(server, path: "/api/states/sun.sun?a=b", method: method))
    #expect(result == .answered(status: 200))
    #expect(body == (method == .head ? "" : "x"))
    _ = try post("{}", to: server)
    let requests = server.requests.map { String(decoding: $0, as: UTF8.self) }
    let lines = requests[1].split(separator: "\r\n").map(String.init)
    #expect(lines.first == "\(name) /api/states/sun.sun?a=b HTTP/1.1")
    #expect(
      lines.dropFirst().sorted() == [
        "Host: 127.0.0.1:\(server.port)", "User-Agent: Homeward/test",
      ])
    #expect(requests[2] == requests[0] && server.connectionCount == 1)
  }

  @Test(arguments: [(.put, "PUT"), (.patch, "PATCH"), (.post, "POST")] as [(HTTPMethod, String)])
  func aRequestWithABodyHasItUnderItsName(method: HTTPMethod, name: String) throws {
    let server = try server(.whole([]), .whole([]))
    write(#"{"state":"on"}"#)
    #expect(try send(endpoint(server, method: method)) == .answered(status: 200))
    let request = String(decoding: server.requests[0], as: UTF8.self)
    #expect(request.hasPrefix("\(name) / HTTP/1.1\r\n"))
    #expect(request.contains("\r\nContent-Type: application/json\r\n"))
    #expect(request.hasSuffix("\r\n\r\n{\"state\":\"on\"}"))
    // Also an empty body is one.
    write("")
    _ = try send(endpoint(server, method: method))
    let empty = String(decoding: server.requests[1], as: UTF8.self)
    #expect(empty.contains("\r\nContent-Length: 0\r\n"))
  }

  @Test func aFormSaysThatItIsOne() throws {
    let server = try server(.whole([]))
    write("grant_type=refresh_token")
    _ = try send(endpoint(server, encoding: .form))
    let request = String(decoding: server.requests[0], as: UTF8.self)
    #expect(request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
  }

  @Test(arguments: [
    ("application/json", "application/json"),
    ("Application/JSON; charset=UTF-8", "application/json"),
    ("text/plain ;x", "text/plain"), ("", ""),
    (String(repeating: "x", count: 60), String(repeating: "x", count: 47)),
  ])
  func theAnswerSaysWhatItIs(contentType: String, expected: String) throws {
    let server = try server(
      .answer(
        [UInt8]("HTTP/1.1 200 X\r\nContent-Type: \(contentType)\r\nContent-Length: 0\r\n\r\n".utf8)),
      .whole([UInt8]("{}")))
    _ = try send(endpoint(server, method: .get))
    #expect(client.responseMediaType == InlineText([UInt8](expected.utf8).span))
    _ = try send(endpoint(server, method: .get))
    #expect(client.responseMediaType == InlineText(""))
  }

  // MARK: Failures

  @Test func aPortThatRefusesIsAFailureAndTheNextPostMaySucceed() throws {
    let refusing = try ScriptedServer(loop: loop, isListening: false)
    let result = try post("{}", to: refusing)
    // In the words of libcurl 7, or of libcurl 8.
    #expect(
      result == .failed(InlineText("couldn't connect to server"))
        || result == .failed(InlineText("could not connect to server")))
    #expect(!client.isBusy)
    let server = try server(.whole([UInt8]("{}")))
    #expect(try post("{}", to: server) == .answered(status: 200))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"encrypted\":tr",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{}", "\u{0}\u{1}\u{2}",
    "SSH-2.0-OpenSSH_9.2\r\n",
  ])
  func whatIsCutShortIsNoAnswer(words: String) throws {
    let server = try server(.lastWords([UInt8](words.utf8)), .whole([UInt8]("{}")))
    let result = try post("{}", to: server)
    guard case .failed(let reason) = result else {
      Issue.record("taken for an answer: \(result)")
      return
    }
    #expect(reason.count > 0)
    #expect(try post("{}", to: server) == .answered(status: 200))
  }

  @Test func anAddressThatIsNoneIsAFailure() throws {
    write("{}")
    client.send(to: Endpoint(address: [UInt8]("http://[::1/")), telling: owner)
    try turn(untilResults: 1)
    guard case .failed? = owner.results.first else {
      Issue.record("no failure")
      return
    }
  }

  @Test func aServerThatHangsIsLeftByCancelling() throws {
    let server = try server(.silence, .whole([UInt8]("{}")))
    write("{}")
    client.send(to: endpoint(server), telling: owner)
    try turn { server.requests.count == 1 }
    #expect(client.isBusy && client.deadline != nil)
    client.cancel()
    #expect(!client.isBusy)
    // The server sees that the client waits no more; the owner is told nothing.
    try turn { server.hangUpCount == 1 }
    #expect(owner.results.isEmpty)
    client.cancel()
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(owner.results.count == 1)
  }

  @Test func aClientThatIsDoneGoesAwayAndHangsUp() throws {
    let server = try server(.whole([UInt8]("{}")))
    weak var gone: HTTPClient?
    do {
      let client = try #require(
        HTTPClient(loop: loop, requestByteCountMax: 16, userAgent: [UInt8]("x")))
      gone = client
      _ = try owner.result(of: endpoint(server), from: client, on: loop)
    }
    #expect(gone == nil)
    try turn { server.hangUpCount == 1 }
  }

  // MARK: Tools

  func server(_ replies: ScriptedServer.Reply...) throws -> ScriptedServer {
    let server = try ScriptedServer(loop: loop, replies: replies)
    servers.append(server)
    return server
  }

  func endpoint(
    _ server: ScriptedServer, path: String = "/", method: HTTPMethod = .post,
    encoding: AuthCall.Encoding = .json, token: [UInt8]? = nil
  ) -> Endpoint {
    Endpoint(
      address: [UInt8]("http://127.0.0.1:\(server.port)".utf8), path: [UInt8](path.utf8),
      method: method, encoding: encoding, bearerToken: token)
  }

  var body: String {
    func bytes(of buffer: borrowing ByteBuffer) -> [UInt8] { [UInt8](buffer.bytes) }
    return String(decoding: bytes(of: client.response), as: UTF8.self)
  }

  private var isTooLong: Bool { client.response.isOverflowed }

  func write(_ text: String) {
    client.request.removeAll()
    client.request.append([UInt8](text.utf8))
  }

  /// Posts and turns the loop until it has ended.
  func post(
    _ text: String, to server: ScriptedServer, path: String = "/", token: [UInt8]? = nil
  ) throws -> TransferResult {
    write(text)
    return try send(endpoint(server, path: path, token: token))
  }

  private func send(_ endpoint: Endpoint) throws -> TransferResult {
    try owner.result(of: endpoint, from: client, on: loop)
  }

  func turn(untilResults count: Int) throws {
    try turn { owner.results.count == count }
  }

  func turn(until isDone: () -> Bool) throws { try loop.turn(client, until: isDone) }
}

final class RecordingOwner: TransferOwner {
  private(set) var results: [TransferResult] = []
  var whenEnded: (() -> Void)?

  func transferEnded(_ result: TransferResult) {
    results.append(result)
    whenEnded?()
  }

  /// Sends a request and turns the loop until it has ended.
  func result(
    of endpoint: Endpoint, from client: HTTPClient, on loop: EventLoop
  ) throws -> TransferResult {
    let count = results.count
    client.send(to: endpoint, telling: self)
    try loop.turn(client) { results.count > count }
    return results[count]
  }
}
