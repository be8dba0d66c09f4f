import Bytes
import HomeAssistant
import Testing

/// What a server may not send: it is told so with the right code, and not listened to any more.
@Suite struct WebSocketViolationTests {
  private typealias Server = ServerSide

  @Test(arguments: [0x40, 0x20, 0x10, 0x70] as [UInt8])
  func aReservedBit(bits: UInt8) throws {
    for opcode in [Server.text, Server.continuation, Server.ping, Server.close] {
      try expect(.reservedBitSet, 1002, [0x80 | bits | opcode])
    }
  }

  @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
  func aReservedOpcode(opcode: UInt8) throws {
    try expect(.reservedOpcode(opcode), 1002, [0x80 | opcode])
  }

  @Test func aMaskedFrame() throws {
    try expect(
      .maskedFrame, 1002,
      [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  @Test(
    arguments: [
      [0x82, 126, 0, 125], [0x82, 126, 0, 0], [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
      [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 5], [0x82, 127, 0x80, 0, 0, 0, 0, 1, 0, 0],
    ] as [[UInt8]])
  func aLengthInMoreBytesThanItNeeds(header: [UInt8]) throws {
    try expect(.badLengthEncoding, 1002, header)
  }

  @Test(arguments: [Server.ping, Server.pong, Server.close])
  func aControlFrameInFragmentsOrTooLong(opcode: UInt8) throws {
    try expect(.fragmentedControlFrame, 1002, [opcode])
    try expect(.longControlFrame, 1002, [0x80 | opcode, 126])
    try expect(.longControlFrame, 1002, [0x80 | opcode, 127])
  }

  @Test func aContinuationOfNothing() throws {
    try expect(.continuationWithoutStart, 1002, Server.frame(Server.continuation, "x"))
    let rig = ConversationRig.opened()
    rig.receive(
      Server.frame(Server.text, "a", fin: false) + Server.frame(Server.continuation, "b")
        + Server.frame(Server.continuation, "c"))
    rig.disconnect()
    #expect(
      rig.events == [
        .opened, .message(.text, [UInt8]("ab")), .end(.violated(.continuationWithoutStart)),
      ])
  }

  @Test func aMessageInsideAMessage() throws {
    for opcode in [Server.text, Server.binary] {
      try expect(
        .interruptedMessage, 1002,
        Server.frame(Server.text, "a", fin: false) + Server.frame(opcode, "b"))
    }
  }

  // MARK: UTF-8

  @Test(arguments: [[0x80], [0xC3, 0x28], [0x61, 0xED, 0xA0, 0x80], [0xF1, 0x80, 0x80, 0x41]])
  func aTextThatIsNotUTF8IsRefused(bytes: [UInt8]) throws {
    try expect(.invalidUTF8, 1007, Server.frame(Server.text, bytes))
    // In fragments of one byte.
    let fragments = bytes.enumerated().flatMap { index, byte in
      Server.frame(
        index == 0 ? Server.text : Server.continuation, [byte], fin: index == bytes.count - 1)
    }
    try expect(.invalidUTF8, 1007, fragments)
    // A binary message may hold any bytes.
    let rig = ConversationRig.opened()
    rig.receive(Server.frame(Server.binary, bytes))
    #expect(rig.events == [.opened, .message(.binary, bytes)])
  }

  @Test(arguments: ["é", "€", "🚤", "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"])
  func aScalarMayBeSplitBetweenFragmentsButNotLeftUnfinished(text: String) throws {
    let bytes = [UInt8](text.utf8)
    for split in 0...bytes.count {
      let rig = ConversationRig.opened()
      rig.receive(
        Server.frame(Server.text, [UInt8](bytes[..<split]), fin: false)
          + Server.frame(Server.continuation, [UInt8](bytes[split...])))
      #expect(rig.events == [.opened, .message(.text, bytes)])
    }
    try expect(.invalidUTF8, 1007, Server.frame(Server.text, bytes.dropLast()))
    try expect(
      .invalidUTF8, 1007,
      Server.frame(Server.text, bytes.dropLast(), fin: false) + Server.frame(Server.continuation))
  }

  // MARK: Closing

  @Test func aCloseThatIsNone() throws {
    try expect(.truncatedCloseCode, 1002, Server.frame(Server.close, [3]))
    try expect(.invalidUTF8, 1007, Server.frame(Server.close, [0x03, 0xE8, 0xC3]))
    try expect(.invalidUTF8, 1007, Server.frame(Server.close, [0x03, 0xE8, 0xFF, 0x41]))
  }

  @Test(
    arguments: [
      0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
    ] as [UInt16])
  func aCloseCodeThatMayNotBeSent(code: UInt16) throws {
    try expect(.invalidCloseCode(code), 1002, Server.close(Int(code)))
  }

  // MARK: Limits

  @Test func theLongestMessageArrivesAndALongerOneIsRefusedByItsHeader() throws {
    let rig = ConversationRig.opened(messageByteCountMax: 1000)
    let longest = [UInt8](repeating: 1, count: 1000)
    rig.receive(Server.frame(Server.binary, longest))
    #expect(rig.events.last == .message(.binary, longest))
    rig.receive([0x82, 126, 0x03, 0xE9])
    #expect(try rig.frames().map(\.payload) == [[0x03, 0xF1]])
    rig.disconnect()
    #expect(rig.events.last == .end(.violated(.messageTooLong)))
  }

  @Test func fragmentsCountTogether() throws {
    let rig = ConversationRig.opened(messageByteCountMax: 1000)
    let part = [UInt8](repeating: 1, count: 500)
    rig.receive(Server.frame(Server.binary, part, fin: false))
    rig.receive(Server.frame(Server.continuation, part, fin: false))
    #expect(rig.isOpen)
    rig.receive(Server.frame(Server.continuation, [1]))
    rig.disconnect()
    #expect(rig.events == [.opened, .end(.violated(.messageTooLong))])
  }

  @Test func theLongestLengthThatCanBeWrittenIsRefused() throws {
    try expect(
      .messageTooLong, 1009, [0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255])
  }

  /// Feeds `bytes` at once and singly, followed by what must not be heard any more.
  private func expect(
    _ violation: WebSocketViolation, _ code: Int, _ bytes: some Sequence<UInt8>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for pieces in [[[UInt8](bytes)], bytes.map { [$0] }] {
      let rig = ConversationRig.opened()
      for piece in pieces { rig.receive(piece) }
      #expect(!rig.isOpen, sourceLocation: sourceLocation)
      rig.receive(Server.frame(Server.text, "not heard") + Server.frame(Server.ping))
      #expect(
        try rig.frames().map(\.payload) == [[UInt8(code >> 8), UInt8(code & 255)]],
        sourceLocation: sourceLocation)
      rig.disconnect()
      #expect(
        rig.events == [.opened, .end(.violated(violation))], sourceLocation: sourceLocation)
      #expect(Int(violation.closeCode) == code, sourceLocation: sourceLocation)
    }
  }
}
