import Bytes
import HomeAssistant
import Testing

@Suite struct WebSocketHandshakeTests {
  private typealias Event = ConversationRig.Event

  @Test func theRequestIsThatOfTheSpecification() {
    let rig = ConversationRig()
    rig.connect()
    #expect(
      String(decoding: rig.sent, as: UTF8.self) == """
        GET /chat HTTP/1.1\r
        Host: server.example.com\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \r\n
        """)
  }

  @Test func theUserAgentIsNamed() {
    let rig = ConversationRig()
    rig.connect(userAgent: "Homeward/1")
    #expect(String(decoding: rig.sent, as: UTF8.self).contains("\r\nUser-Agent: Homeward/1\r\n"))
  }

  @Test(
    arguments: [
      (false, "boat.local", 80, "boat.local"), (false, "boat.local", 443, "boat.local:443"),
      (false, "boat.local", 8123, "boat.local:8123"), (true, "boat.local", 443, "boat.local"),
      (true, "boat.local", 80, "boat.local:80"), (true, "[fd00::5]", 8123, "[fd00::5]:8123"),
    ] as [(Bool, String, UInt16, String)])
  func thePortIsNamedUnlessTheSchemeImpliesIt(
    isSecure: Bool, host: String, port: UInt16, expected: String
  ) {
    let rig = ConversationRig()
    rig.connect(isSecure: isSecure, host: host, port: port)
    #expect(String(decoding: rig.sent, as: UTF8.self).contains("\r\nHost: \(expected)\r\n"))
  }

  @Test(arguments: [
    "chat", "", "/a b", "/a\r\nEvil: 1", "/" + String(repeating: "x", count: 4096),
  ])
  func nothingElseComesIntoTheRequestByItsPath(path: String) {
    #expect(
      WebSocketAddress(
        isSecure: false, host: [UInt8]("boat".utf8), port: 80, path: [UInt8](path.utf8)) == nil)
  }

  @Test(arguments: ["", "a b", "boat\r\nEvil: 1", String(repeating: "x", count: 4096)])
  func nothingElseComesIntoTheRequestByItsHost(host: String) {
    #expect(
      WebSocketAddress(
        isSecure: false, host: [UInt8](host.utf8), port: 80, path: [UInt8]("/".utf8)) == nil)
  }

  @Test func theAnswerOfTheSpecificationOpens() {
    let rig = ConversationRig()
    rig.connect()
    #expect(!rig.isOpen)
    rig.receive(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    #expect(rig.events == [.opened])
    #expect(rig.isOpen && rig.deadline == nil)
  }

  @Test(arguments: [
    "upgrade: WebSocket\r\nconnection: keep-alive, UPGRADE\r\n",
    "UPGRADE:websocket\r\nConnection: keep-alive\r\nConnection:\tupgrade \r\n",
    "Server: x\r\nUpgrade: websocket\r\nX-Empty:\r\nConnection: Upgrade,\r\n",
  ])
  func theAnswerMayBeWrittenInEveryWayThatHTTPAllows(fields: String) {
    #expect(
      events(
        "HTTP/1.1 101 \r\n\(fields)sec-websocket-accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=  \r\n\r\n")
        == [.opened])
  }

  @Test func framesMayFollowInTheSamePiece() {
    let rig = ConversationRig()
    rig.connect()
    rig.receive([UInt8](ServerSide.accepting.utf8) + ServerSide.frame(ServerSide.text, "Hello"))
    #expect(rig.events == [.opened, .message(.text, [UInt8]("Hello"))])
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func aRedirectionIsNotFollowedAndSaysWhereItLeads(status: Int) {
    let location = "https://boat.example/api/websocket"
    #expect(
      events("HTTP/1.1 \(status) Moved\r\nServer: x\r\nlocation:  \(location)\r\n\r\n")
        == [refused(.server(.moved(to: [UInt8]("https://boat.example".utf8))))])
    #expect(
      events("HTTP/1.1 \(status) Moved\r\n\r\n")
        == [refused(.server(.notHomeAssistant(status: status)))])
  }

  @Test(
    arguments: [
      (404, .notFound), (200, .notHomeAssistant(status: 200)),
    ] as [(Int, ServerRefusal)])
  func everyOtherStatusIsARefusal(status: Int, refusal: ServerRefusal) {
    #expect(events("HTTP/1.1 \(status) X\r\n\r\nbody") == [refused(.server(refusal))])
    #expect(events("HTTP/1.0 \(status) X\r\n\r\nbody") == [refused(.server(refusal))])
  }

  /// The words may stand far behind, as Apache's do.
  private static let page = "<html><head>" + String(repeating: "x", count: 200) + "\r\n<body>"
  private static let nginx = page + "The plain HTTP request was sent to HTTPS port</body>\r\n"
  private static let apache = page + "You're speaking plain HTTP to an SSL-enabled server port."

  /// The same judgement as of every other answer; what shows who wrote it may come late.
  @Test(
    arguments: [
      ("400 Bad Request", "text/plain; charset=utf-8", "400: Bad Request", .untrustedProxy),
      ("403 Forbidden", "text/plain; charset=utf-8", "403: Forbidden", .banned),
      ("403 Forbidden", "text/html", "<html>403 Forbidden</html>", .forbidden(status: 403)),
      ("400 Bad Request", "text/html", nginx, .wantsTLS),
      ("400 Bad Request", "text/html; charset=iso-8859-1", apache, .wantsTLS),
      (
        "400 Bad Request", "text/plain; charset=utf-8", "No WebSocket UPGRADE hdr: None",
        .notHomeAssistant(status: 400)
      ),
    ] as [(String, String, String, ServerRefusal)])
  func whoRefusedIsSeenFromTheBody(
    status: String, type: String, body: String, refusal: ServerRefusal
  ) {
    #expect(
      events(
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
          + body) == [refused(.server(refusal))])
    // A proxy may send the same in chunks.
    for length in [5, 300] {
      #expect(
        events(
          "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks(of: body, length)) == [refused(.server(refusal))], "chunks of \(length)")
    }
  }

  private func chunks(of body: String, _ length: Int) -> String {
    var text = ""
    var rest = body[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(length)
      text += String(chunk.utf8.count, radix: 16) + ";note=1\r\n\(chunk)\r\n"
      rest = rest.dropFirst(length)
    }
    return text + "0\r\n\r\n"
  }

  @Test(arguments: [
    "", "x\r\n", "-5\r\nabcde", "ffffffffffffffffffff\r\nabc", "5\r\nabc",
    String(repeating: "1", count: 2048), String(repeating: "1\r\na\r\n", count: 500),
  ])
  func chunksThatAreNoneEndNothing(chunks: String) {
    let rig = ConversationRig()
    rig.connect()
    rig.receive("HTTP/1.1 400 X\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
    rig.wait(.seconds(10))
    #expect(rig.events.count == 1)
    #expect(rig.deadline == nil)
  }

  @Test(
    arguments: [
      ("", .wrongAccept),
      ("Sec-WebSocket-Accept: \r\n", .wrongAccept),
      ("Sec-WebSocket-Accept: dGhlIHNhbXBsZSBub25jZQ==\r\n", .wrongAccept),
      ("Sec-WebSocket-Accept: S3PPLMBITXAQ9KYGZZHZRBK+XOO=\r\n", .wrongAccept),
      (
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
          + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", .wrongAccept
      ),
      (
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
          + "Sec-WebSocket-Extensions: permessage-deflate\r\n", .unwantedExtension
      ),
      (
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n",
        .unwantedSubprotocol
      ),
      ("Sec-WebSocket-Accept\r\n", .notHTTP), (": x\r\n", .notHTTP), ("A B: x\r\n", .notHTTP),
      ("X-Long: a\r\n b: c\r\n", .notHTTP),
    ] as [(String, WebSocketRefusal)])
  func whatIsNotTheAnswerToOurKeyOpensNothing(fields: String, refusal: WebSocketRefusal) {
    #expect(
      events("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(fields)\r\n")
        == [refused(refusal)])
  }

  @Test(arguments: [
    "Upgrade: websocket\r\n", "Connection: Upgrade\r\n", "",
    "Upgrade: h2c\r\nConnection: Upgrade\r\n", "Upgrade: websocket\r\nConnection: close\r\n",
    "Upgrade: websocket\r\nConnection: upgraded\r\n",
  ])
  func anAnswerThatDoesNotUpgradeOpensNothing(fields: String) {
    let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
    #expect(events("HTTP/1.1 101 X\r\n\(fields)\(accept)\r\n") == [refused(.notUpgraded)])
  }

  /// Without an end of the line, which would be waited for.
  @Test(arguments: ["SSH-2.0-OpenSSH_9.2", "\u{0}", "HTTP/2", "http/1.1"])
  func anotherProtocolIsSeenAtOnce(words: String) {
    #expect(events(words) == [refused(.notHTTP)])
  }

  @Test(arguments: [
    "HTTP/1.1 1x1 X", "HTTP/1.1 10 X", "HTTP/1.1", "HTTP/1.x 101 X", "HTTP/1.1  101 X",
    "HTTP/1.1 1011 X",
  ])
  func aLineThatIsNoStatusIsNoAnswer(line: String) {
    #expect(events("\(line)\r\n\r\n") == [refused(.notHTTP)])
  }

  @Test func anAnswerWithoutEndIsNotListenedToForEver() {
    let start = "HTTP/1.1 101 X\r\nX-Long: "
    #expect(events(start + String(repeating: "x", count: 8191 - start.utf8.count)) == [])
    #expect(
      events(start + String(repeating: "x", count: 8192 - start.utf8.count))
        == [refused(.responseTooLong)])
  }

  @Test func theLongestAnswerOpens() {
    let head = ServerSide.accepting.dropLast() + "X-Long: "  // CR LF is one Character.
    let padding = String(repeating: "x", count: 8192 - head.utf8.count - 4)
    #expect(events("\(head)\(padding)\r\n\r\n") == [.opened])
    #expect(events("\(head)\(padding)x\r\n\r\n") == [refused(.responseTooLong)])
  }

  @Test func aServerThatSaysNothingIsLeftAfterTenSeconds() {
    let rig = ConversationRig()
    rig.connect()
    #expect(rig.deadline == rig.now + .seconds(10))
    rig.receive("HTTP/1.1 101")
    rig.wait(.milliseconds(9_999))
    #expect(rig.events == [])
    rig.wait(.milliseconds(1))
    #expect(rig.events == [.end(.timedOut(.opening))])
    #expect(rig.deadline == nil)
  }

  @Test func aServerThatHangsUpMeanwhileWasLost() {
    let rig = ConversationRig()
    rig.connect()
    rig.receive("HTTP/1.1 101 Switch")
    rig.disconnect()
    #expect(rig.events == [.end(.disconnected(InlineText("gone")))])
  }

  @Test func closingBeforeItIsOpenHangsUp() {
    let rig = ConversationRig()
    rig.connect()
    #expect(!rig.sent.isEmpty)
    rig.close(1000)
    #expect(rig.events == [.end(.closedByUs)])
    #expect(!rig.send(.text, [UInt8]("late")))
  }

  @Test func anotherConnectionBeginsAnew() {
    let rig = ConversationRig()
    rig.connect()
    rig.receive("HTTP/1.1 500 X\r\n\r\n")
    rig.connect(path: "/again")
    rig.receive(ServerSide.accepting)
    rig.receive(ServerSide.frame(ServerSide.text, "Hel", fin: false))
    rig.disconnect()
    rig.connect()
    rig.receive(ServerSide.accepting)
    rig.receive(ServerSide.frame(ServerSide.text, "new"))
    #expect(
      rig.events == [
        refused(.server(.unavailable(status: 500))), .opened,
        .end(.disconnected(InlineText("gone"))),
        .opened, .message(.text, [UInt8]("new")),
      ])
  }

  @Test func everySplitOfTheAnswerGivesTheSame() {
    let bytes = [UInt8](ServerSide.accepting.utf8) + ServerSide.frame(ServerSide.text, "Hello")
    for split in 0...bytes.count {
      let rig = ConversationRig()
      rig.connect()
      rig.receive([UInt8](bytes[..<split]))
      rig.receive([UInt8](bytes[split...]))
      #expect(rig.events == [.opened, .message(.text, [UInt8]("Hello"))], "split at \(split)")
    }
  }

  private func events(_ answer: String) -> [Event] {
    let rig = ConversationRig()
    rig.connect()
    rig.receive(answer)
    // In single bytes, too: an answer is never judged otherwise for coming slowly.
    let slow = ConversationRig()
    slow.connect()
    for byte in answer.utf8 where slow.events.isEmpty { slow.receive([byte]) }
    #expect(slow.events == rig.events)
    return rig.events
  }

  private func refused(_ refusal: WebSocketRefusal) -> Event { .end(.refused(refusal)) }
}
