import Bytes
import HomeAssistant
import LinuxIO
import Testing

@testable import Transport

@Suite(.serialized) final class WebSocketConnectionTests {
  private let rig: WebSocketRig

  init() throws { rig = try WebSocketRig() }
  deinit { rig.stop() }

  // MARK: Opening

  @Test func theRequestAsksForThePathAtTheHost() throws {
    rig.open()
    let lines = try rig.head(from: rig.peer()).split(separator: "\r\n")
    #expect(lines.first == "GET /api/websocket HTTP/1.1")
    #expect(lines.contains("Host: 127.0.0.1:\(rig.server.port)"))
    #expect(lines.contains("User-Agent: Homeward/test"))
    #expect(lines.count == 7)
  }

  @Test func theQueryIsAskedForAndAFragmentIsNot() throws {
    rig.open("http://localhost:\(rig.server.port)?a=b%20c#d")
    let lines = try rig.head(from: rig.peer()).split(separator: "\r\n")
    #expect(lines.first == "GET /?a=b%20c HTTP/1.1")
    #expect(lines.contains("Host: localhost:\(rig.server.port)"))
  }

  @Test func everyConnectionHasAKeyOfItsOwn() throws {
    var keys: Set<String> = []
    for _ in 0..<3 {
      rig.open()
      let head = try rig.head(from: rig.peer())
      let lines = head.split(separator: "\r\n")
      keys.insert(String(try #require(lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") })))
      rig.connection.abandon()
      try rig.turn { rig.server.peers.isEmpty }
    }
    #expect(keys.count == 3)
  }

  @Test func theAnswerMayComeInSingleBytes() throws {
    rig.open()
    let peer = try rig.peer()
    let answer = WebSocketRig.accepting(try rig.head(from: peer))
    for byte in answer + WebSocketRig.frame(0x81, "Hello") {
      rig.server.send([byte], to: peer)
      try rig.turnOnce()
    }
    try rig.turn(untilEvents: 2)
    #expect(rig.events == [.opened, .received(.text, [UInt8]("Hello"))])
  }

  @Test func aPortThatRefusesIsNoConnection() throws {
    let refusing = try StreamServer(loop: rig.loop, isListening: false)
    rig.open("http://127.0.0.1:\(refusing.port)/")
    #expect(rig.events.isEmpty)
    try rig.turn(untilEvents: 1)
    // In the words of libcurl 7, or of libcurl 8.
    #expect(
      rig.events == [.closed(.notConnected(InlineText("couldn't connect to server")))]
        || rig.events == [.closed(.notConnected(InlineText("could not connect to server")))])
  }

  @Test(arguments: ["http://[::1/", "ftp://127.0.0.1/", "", "ws://127.0.0.1/"])
  func aURLThatIsNoneIsNoConnection(url: String) throws {
    rig.open(url)
    #expect(rig.events.isEmpty)
    try rig.turn(untilEvents: 1)
    guard case .closed(.notConnected(let words))? = rig.events.first else {
      Issue.record("\(rig.events)")
      return
    }
    #expect(words.count > 0)
  }

  @Test func aServerThatSaysNothingIsLeft() throws {
    rig.open()
    _ = try rig.head(from: rig.peer())
    let deadline = try #require(rig.connection.deadline)
    #expect(deadline > Moment.now.instant)
    rig.connection.deadlineReached(now: deadline)
    #expect(rig.events == [.closed(.timedOut(.opening))])
    try rig.turn { rig.server.hangUpCount == 1 }
  }

  @Test func aServerThatHangsUpInsteadOfAnsweringWasLost() throws {
    rig.open()
    let peer = try rig.peer()
    _ = try rig.head(from: peer)
    rig.server.close(peer)
    try rig.turn(untilEvents: 1)
    #expect(rig.events == [.closed(.disconnected(InlineText("The server closed the connection")))])
  }

  // MARK: Messages

  @Test func messagesGoBothWays() throws {
    let peer = try rig.openAndAccept()
    rig.server.send(
      WebSocketRig.frame(0x81, "one") + WebSocketRig.frame(0x82, [1, 2, 3]), to: peer)
    try rig.turn(untilEvents: 3)
    #expect(
      rig.events == [.opened, .received(.text, [UInt8]("one")), .received(.binary, [1, 2, 3])])
    #expect(rig.send(.text, [UInt8]("two")))
    let frame = try rig.frame(from: peer)
    #expect(frame.first == 0x81 && frame.payload == [UInt8]("two"))
  }

  /// The message is sent from where it stands.
  @Test func anOwnerMayAnswerWhileItIsTold() throws {
    let peer = try rig.openAndAccept()
    rig.reacting = { [connection = rig.connection] event in
      guard case .received(let kind, _) = event else { return }
      func send(_ message: borrowing ByteBuffer) -> Bool { connection.send(kind, message.bytes) }
      let isSent = send(connection.message)
      #expect(isSent)
    }
    let payload = [UInt8](repeating: 7, count: 70_000)
    rig.server.send(WebSocketRig.frame(0x82, payload), to: peer)
    let frame = try rig.frame(from: peer)
    #expect(frame.first == 0x82 && frame.payload == payload)
  }

  @Test func theLongestMessageArrivesWhole() throws {
    let peer = try rig.openAndAccept()
    let payload = (0..<1 << 22).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    rig.server.send(WebSocketRig.frame(0x82, payload), to: peer)
    try rig.turn(untilEvents: 2)
    #expect(rig.events.last == .received(.binary, payload))
  }

  @Test func aServerThatReadsSlowlyGetsEverythingInOrder() throws {
    let peer = try rig.openAndAccept()
    rig.server.setReading(false, from: peer)
    let payload = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 8) }
    var sentCount = 0
    // The sockets hold some of it, the buffer the rest; what does not fit is not taken.
    while sentCount < 64, rig.send(.binary, payload) {
      sentCount += 1
      try rig.turnOnce()
    }
    #expect((2..<64).contains(sentCount))
    // Meanwhile, what the server says is heard.
    rig.server.send(WebSocketRig.frame(0x81, "slow down"), to: peer)
    try rig.turn(untilEvents: 2)
    #expect(rig.events.last == .received(.text, [UInt8]("slow down")))
    rig.server.setReading(true, from: peer)
    for _ in 0..<sentCount {
      let frame = try rig.frame(from: peer)
      #expect(frame.first == 0x82 && frame.payload == payload)
    }
    #expect(rig.send(.text, [UInt8]("again")))
    #expect(try rig.frame(from: peer).payload == [UInt8]("again"))
  }

  /// Others on the loop get their turn however much comes.
  @Test func aFloodIsTakenInParts() throws {
    let peer = try rig.openAndAccept()
    let message = [UInt8](repeating: 1, count: 1000)
    rig.server.send(
      [UInt8]((0..<2000).flatMap { _ in WebSocketRig.frame(0x82, message) }), to: peer)
    var before = rig.events.count
    try rig.turn {
      let count = rig.events.count - before
      before = rig.events.count
      // Two of what one turn may take: by the socket, and by the deadline.
      #expect(count * 1004 <= 2 * (WebSocketConnection.turnByteCountMax + 16 * 1024))
      return rig.events.count == 2001
    }
  }

  // MARK: Ending

  @Test func aServerThatDropsOutInAFrameWasLost() throws {
    let peer = try rig.openAndAccept()
    rig.server.send([0x81, 10, 0x48, 0x65], to: peer)
    rig.server.close(peer)
    try rig.turn(untilEvents: 2)
    #expect(
      rig.events.last == .closed(.disconnected(InlineText("The server closed the connection"))))
    #expect(!rig.send(.text, [UInt8]("x")))
  }

  @Test func aMessageThatArrivesSlowlyIsToldOnceASecond() throws {
    let peer = try rig.openAndAccept()
    // Each message ends with the beginning of the next one, and none takes long.
    let frame = WebSocketRig.frame(0x81, "ab")
    rig.server.send([frame[0], frame[1], frame[2]], to: peer)
    for count in 2..<14 {
      rig.server.send([frame[3], frame[0], frame[1], frame[2]], to: peer)
      try rig.turn(untilEvents: count)
      try rig.loop.turn(rig.connection, for: .milliseconds(100))
    }
    #expect(rig.partCount == 0)
    rig.server.send([frame[3]] + WebSocketRig.frame(0x81, "abcdefgh").dropLast(8), to: peer)
    try rig.turn(untilEvents: 14)
    for byte in "abcdefg".utf8 {
      rig.server.send([byte], to: peer)
      try rig.loop.turn(rig.connection, for: .milliseconds(300))
    }
    let partCount = rig.partCount
    #expect((1...3).contains(partCount))
    try rig.loop.turn(rig.connection, for: .milliseconds(1100))
    #expect(rig.partCount == partCount, "silence is no sign of life")
  }

  @Test func theServersCloseIsAnsweredAndKept() throws {
    let peer = try rig.openAndAccept()
    rig.server.send(WebSocketRig.close(1001, "restart"), to: peer)
    let frame = try rig.frame(from: peer)
    #expect(frame.first == 0x88 && frame.payload == [0x03, 0xE9])
    #expect(rig.events == [.opened])
    rig.server.close(peer)
    try rig.turn(untilEvents: 2)
    #expect(
      rig.events.last == .closed(.closedByServer(code: 1001, reason: [UInt8]("restart"))))
  }

  @Test func ourCloseIsSaidAndTheServerEndsTheConnection() throws {
    let peer = try rig.openAndAccept()
    rig.connection.close(code: 1000)
    #expect(try rig.frame(from: peer).payload == [0x03, 0xE8])
    rig.server.send(WebSocketRig.close(1000), to: peer)
    rig.server.close(peer)
    try rig.turn(untilEvents: 2)
    #expect(rig.events.last == .closed(.closedByUs))
  }

  @Test(
    arguments: [
      ([0xF1, 0], 0xEA, .violated(.reservedBitSet)),
      ([0x82, 127, 0, 0, 0, 0, 0, 64, 0, 1], 0xF1, .violated(.messageTooLong)),
    ] as [([UInt8], UInt8, WebSocketEnd)])
  func aViolationIsToldToTheServer(frame: [UInt8], code: UInt8, end: WebSocketEnd) throws {
    let peer = try rig.openAndAccept()
    rig.server.send(frame, to: peer)
    #expect(try rig.frame(from: peer).payload == [0x03, code])
    rig.server.close(peer)
    try rig.turn(untilEvents: 2)
    #expect(rig.events.last == .closed(end))
  }

  /// Never from inside the call: who calls is not ready to be told.
  @Test func closingWhileItConnectsIsToldLater() throws {
    rig.open()
    rig.connection.close(code: 1000)
    #expect(rig.events.isEmpty)
    try rig.turn(untilEvents: 1)
    #expect(rig.events == [.closed(.closedByUs)])
    rig.open()
    _ = try rig.head(from: rig.peer())
    rig.connection.close(code: 1000)
    #expect(rig.events.count == 1)
    try rig.turn(untilEvents: 2)
    #expect(rig.events.last == .closed(.closedByUs))
  }

  @Test func whatTheServerSaidLastIsHeardAlsoWhenNothingCanBeSentAnyMore() throws {
    let peer = try rig.openAndAccept()
    rig.server.send(WebSocketRig.close(1012), to: peer)
    rig.server.close(peer)
    for _ in 0..<3 { _ = rig.send(.text, [UInt8]("x")) }
    try rig.turn(untilEvents: 2)
    #expect(rig.events.last == .closed(.closedByServer(code: 1012, reason: [])))
  }

  @Test func itMayBeOpenedAgainWhereItIsToldToBeOver() throws {
    rig.reacting = { [rig] event in
      guard case .closed = event else { return }
      rig.reacting = { _ in }
      rig.open()
    }
    let first = try rig.openAndAccept()
    rig.server.send([0x81, 100, 0x48], to: first)
    rig.server.close(first)
    try rig.turn(untilEvents: 2)
    let second = try rig.peer()
    rig.server.send(WebSocketRig.accepting(try rig.head(from: second)), to: second)
    rig.server.send(WebSocketRig.frame(0x81, "new"), to: second)
    try rig.turn(untilEvents: 4)
    #expect(rig.events.suffix(2) == [.opened, .received(.text, [UInt8]("new"))])
  }

  @Test func abandoningHangsUpAndTellsTheOwnerNothing() throws {
    _ = try rig.openAndAccept()
    rig.connection.abandon()
    #expect(rig.connection.deadline == nil && !rig.connection.send(.text, [UInt8]().span))
    try rig.turn { rig.server.hangUpCount == 1 }
    #expect(rig.events == [.opened])
    _ = try rig.openAndAccept()
  }

  @Test func abandoningMayHappenWhileAMessageIsTold() throws {
    let peer = try rig.openAndAccept()
    rig.reacting = { [rig] _ in rig.connection.abandon() }
    rig.server.send(WebSocketRig.frame(0x81, "1") + WebSocketRig.frame(0x81, "2"), to: peer)
    try rig.turn { rig.server.hangUpCount == 1 }
    #expect(rig.events == [.opened, .received(.text, [UInt8]("1"))])
  }

  @Test func aConnectionWithoutAHolderGoesAwayAndHangsUp() throws {
    weak var gone: WebSocketConnection?
    do {
      let connection = try #require(
        WebSocketConnection(loop: rig.loop, settings: .system, userAgent: []))
      gone = connection
      connection.open([UInt8](rig.url.utf8), telling: rig)
      try rig.loop.turn(connection) { rig.server.peers.values.first?.input.count ?? 0 > 100 }
      let peer = try rig.peer()
      rig.server.send(WebSocketRig.accepting(try rig.head(from: peer)), to: peer)
      try rig.loop.turn(connection) { !rig.events.isEmpty }
    }
    #expect(gone == nil)
    try rig.turn { rig.server.hangUpCount == 1 }
  }
}
