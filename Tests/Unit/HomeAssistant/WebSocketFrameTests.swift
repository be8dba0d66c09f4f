import Bytes
import Testing

@testable import HomeAssistant

/// What a server may send, and how messages come out of it.
@Suite struct WebSocketFrameTests {
  private typealias Server = ServerSide

  // MARK: The examples of RFC 6455, section 5.7

  @Test func anUnmaskedTextMessage() {
    #expect(events([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == [.message(.text, hello)])
  }

  @Test func aFragmentedUnmaskedTextMessage() {
    #expect(
      events([0x01, 0x03, 0x48, 0x65, 0x6C] + [0x80, 0x02, 0x6C, 0x6F])
        == [.message(.text, hello)])
  }

  @Test func aPingIsAnsweredWithItsOwnBytes() throws {
    let rig = ConversationRig.opened()
    rig.receive([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    let frames = try rig.frames()
    #expect(frames.map(\.first) == [0x8A] && frames.map(\.payload) == [hello])
    #expect(rig.events == [.opened])
  }

  @Test func aMaskedTextMessageAsTheSpecificationWritesIt() {
    let rig = ConversationRig.opened()
    let mask: InlineArray<4, UInt8> = [0x37, 0xFA, 0x21, 0x3D]
    let isSent = rig.conversation.send(.text, hello.span, mask: mask)
    rig.flush()
    #expect(isSent)
    #expect(
      rig.sent == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  /// Half a frame would turn what follows into another one.
  @Test func aFrameWithoutRoomIsNotBegun() {
    let mask: InlineArray<4, UInt8> = [1, 2, 3, 4]
    let room = ByteBuffer.webSocketHeaderByteCountMax + hello.count
    for capacity in 1...room {
      var buffer = ByteBuffer(capacity: capacity)
      buffer.append(.text, hello.span, mask: mask)
      let count = buffer.count
      #expect(count == (capacity < room ? 0 : 6 + hello.count), "room for \(capacity)")
    }
  }

  @Test func binaryMessagesWithLongerLengths() {
    let short = [UInt8](repeating: 7, count: 256)
    #expect(events([0x82, 0x7E, 0x01, 0x00] + short) == [.message(.binary, short)])
    let long = [UInt8](repeating: 9, count: 65536)
    #expect(
      events([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long) == [.message(.binary, long)])
  }

  // MARK: Messages

  @Test(arguments: [0, 1, 2, 124, 125, 126, 127, 65535, 65536, 65537, 1 << 20])
  func everyLengthArrivesAndLeaves(count: Int) throws {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let rig = ConversationRig(sentMessageByteCountMax: 1 << 20)
    rig.connect()
    rig.receive(Server.accepting)
    rig.receive(Server.frame(Server.binary, payload))
    #expect(rig.events == [.opened, .message(.binary, payload)])
    let before = rig.sent.count
    #expect(rig.send(.binary, payload))
    rig.flush()
    let frames = try #require(Server.clientFrames([UInt8](rig.sent[before...])))
    #expect(frames.map(\.first) == [0x82] && frames.map(\.payload) == [payload])
  }

  @Test func messagesStandAloneEvenWhereTheyAreEmpty() {
    let bytes =
      Server.frame(Server.text, "one") + Server.frame(Server.text) + Server.frame(Server.binary)
      + Server.frame(Server.text, [], fin: false) + Server.frame(Server.continuation)
      + Server.frame(Server.text, "two")
    #expect(
      events(bytes) == [
        .message(.text, [UInt8]("one")), .message(.text, []), .message(.binary, []),
        .message(.text, []), .message(.text, [UInt8]("two")),
      ])
  }

  @Test func controlFramesMayStandBetweenFragments() throws {
    let rig = ConversationRig.opened()
    rig.receive(
      Server.frame(Server.text, "a", fin: false) + Server.frame(Server.ping, "1")
        + Server.frame(Server.continuation, "b", fin: false) + Server.frame(Server.pong, "x")
        + Server.frame(Server.ping, "2") + Server.frame(Server.continuation, "c"))
    #expect(rig.events == [.opened, .message(.text, [UInt8]("abc"))])
    #expect(try rig.frames().map(\.payload) == [[UInt8]("1"), [UInt8]("2")])
  }

  /// Whatever their length leaves of the room, the close still fits.
  @Test(arguments: 116...125)
  func thousandsOfPingsGetOnlyAsManyAnswersAsThereIsRoomFor(byteCount: Int) throws {
    let rig = ConversationRig.opened()
    let payload = [UInt8](repeating: 1, count: byteCount)
    let ping = Server.frame(Server.ping, payload)
    for _ in 0..<16 { rig.receive([UInt8]((0..<100).flatMap { _ in ping })) }
    #expect(rig.pendingByteCount <= (1 << 17) + 8192)
    #expect(!rig.send(.text, hello))
    rig.close(1000)
    let frames = try rig.frames()
    #expect(frames.last?.first == 0x88)
    #expect(frames.dropLast().allSatisfy { $0.first == 0x8A && $0.payload == payload })
  }

  /// A real server's day, split at every byte, and sent in single bytes.
  @Test func everySplitGivesTheSame() throws {
    let bytes =
      Server.frame(Server.text, #"{"type":"auth_required"}"#)
      + Server.frame(Server.text, "Zoë 🚤", fin: false) + Server.frame(Server.ping, "still there?")
      + Server.frame(Server.continuation, "ü €")
      + Server.frame(Server.binary, [UInt8](repeating: 0xFF, count: 300))
      + Server.frame(Server.pong) + Server.close(1001, "restart ♥")
    func run(_ pieces: [[UInt8]]) throws -> ConversationRig {
      let rig = ConversationRig.opened()
      for piece in pieces { rig.receive(piece) }
      rig.disconnect()
      return rig
    }
    let whole = try run([bytes])
    let sent = try whole.frames().map(\.payload)
    #expect(
      whole.events.last
        == .end(.closedByServer(code: 1001, reason: [UInt8]("restart ♥".utf8))))
    #expect(whole.events.count == 5 && sent == [[UInt8]("still there?"), [0x03, 0xE9]])
    for split in 1..<bytes.count {
      let rig = try run([[UInt8](bytes[..<split]), [UInt8](bytes[split...])])
      #expect(rig.events == whole.events, "split at \(split)")
      #expect(try rig.frames().map(\.payload) == sent, "split at \(split)")
    }
    let single = try run(bytes.map { [$0] })
    #expect(single.events == whole.events)
    #expect(try single.frames().map(\.payload) == sent)
  }

  // MARK: Sending

  @Test func everyFrameIsMaskedWithTheMaskItWasGiven() throws {
    let rig = ConversationRig.opened()
    #expect(rig.send(.text, hello) && rig.send(.text, hello))
    rig.receive(Server.frame(Server.ping))
    rig.close(1000)
    #expect(
      try rig.frames().map(\.mask) == [
        [1, 0x5B, 0xFF, 1], [2, 0x58, 0xFF, 1], [3, 0x59, 0xFF, 1], [4, 0x5E, 0xFF, 1],
      ])
  }

  @Test func aMessageThatDoesNotFitIsNotSentAndNothingOfIt() throws {
    let rig = ConversationRig.opened()
    let half = [UInt8](repeating: 5, count: 1 << 16)
    #expect(rig.send(.binary, half))
    #expect(!rig.send(.binary, [UInt8](repeating: 5, count: 1 << 17)))
    #expect(rig.send(.text, hello))
    #expect(try rig.frames().map(\.payload) == [half, hello])
    #expect(rig.send(.binary, [UInt8](repeating: 5, count: 1 << 17)))
  }

  @Test(arguments: [1, 7, 1000, 65_537])
  func whatIsSentInPiecesStaysInOrder(pieceByteCount: Int) throws {
    let rig = ConversationRig.opened()
    var expected: [[UInt8]] = []
    for number in 0..<40 {
      let payload = [UInt8](repeating: UInt8(number), count: number * 97)
      #expect(rig.send(.binary, payload))
      expected.append(payload)
      if number % 3 == 0 { rig.flush(byteCountMax: pieceByteCount) }
    }
    rig.flush(byteCountMax: pieceByteCount)
    #expect(try rig.frames().map(\.payload) == expected)
  }

  private let hello = [UInt8]("Hello")

  private func events(_ bytes: [UInt8]) -> [ConversationRig.Event] {
    let rig = ConversationRig.opened()
    rig.receive(bytes)
    return [ConversationRig.Event](rig.events.dropFirst())
  }
}

/// The examples of FIPS 180-4's companion page of examples, and of RFC 3174.
@Suite struct SHA1Tests {
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    (
      String(
        repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10),
      "dea356a2cddd90c7a7ecedc5ebb563934f460452"
    ),
  ])
  func theDigestIsThatOfTheSpecification(message: String, digest: String) {
    #expect(hexadecimal(SHA1.digest(of: [UInt8](message.utf8).span)) == digest)
  }

  /// The lengths at which the padding begins another block; from Python's hashlib.
  @Test(arguments: [
    (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
    (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    (65, "11655326c708d70319be2610e8a57d9a5b959d3b"),
  ])
  func thePaddingFitsEveryLength(count: Int, digest: String) {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    #expect(hexadecimal(SHA1.digest(of: message.span)) == digest)
  }

  private func hexadecimal(_ digest: InlineArray<20, UInt8>) -> String {
    written { $0.append(hexadecimal: digest.span) }
  }
}
