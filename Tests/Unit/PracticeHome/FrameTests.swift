import Testing

@testable import PracticeHome

/// Frames as a client writes them.
enum ClientFrame {
  static func make(
    _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true
  ) -> [UInt8] {
    let count = payload.count
    let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    var frame = [(isFinal ? 0x80 : 0) | opcode]
    switch count {
    case ..<126: frame.append(0x80 | UInt8(count))
    case ..<65536: frame += [0x80 | 126] + digits.suffix(2)
    default: frame += [0x80 | 127] + digits
    }
    let mask: [UInt8] = [1, 2, 3, 4]
    return frame + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  static func text(_ text: String) -> [UInt8] { make(1, Array(text.utf8)) }
}

@Suite struct FrameTests {
  @Test func aTextArrivesHoweverItIsCutUp() throws {
    for length in [0, 1, 125, 126, 127, 65535, 65536, 70000] {
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      let frame = ClientFrame.make(1, text)
      for size in [1, 3, 1000, frame.count] where frame.count / size < 5000 {
        var reader = FrameReader()
        var found: [FrameReader.Incoming] = []
        for start in stride(from: 0, to: frame.count, by: size) {
          reader.append(frame[start..<min(start + size, frame.count)])
          while let next = try reader.next() { found.append(next) }
        }
        #expect(found == [.text(text)], "\(length) in pieces of \(size)")
      }
    }
  }

  @Test func piecesMakeOneMessageWithAPingBetweenThem() throws {
    var reader = FrameReader()
    reader.append(ClientFrame.make(1, [0xC3], isFinal: false))
    reader.append(ClientFrame.make(9, [7]))
    reader.append(ClientFrame.make(0, [0xA9]))
    #expect(try reader.next() == .ping([7]))
    #expect(try reader.next() == .text([0xC3, 0xA9]))
    #expect(try reader.next() == nil)
  }

  @Test(arguments: [
    ([0x81, 0x01, 0x78], CloseCode.protocolError),  // not masked
    ([0xC1, 0x80, 0, 0, 0, 0], .protocolError),  // a reserved bit
    ([0x83, 0x80, 0, 0, 0, 0], .protocolError),  // an unknown opcode
    ([0x09, 0x80, 0, 0, 0, 0], .protocolError),  // a ping in pieces
    ([0x89, 0xFE, 0, 126, 0, 0, 0, 0], .protocolError),  // a long ping
    ([0x80, 0x80, 0, 0, 0, 0], .protocolError),  // the end of nothing
    ([0x81, 0x81, 0, 0, 0, 0, 0xFF], .notText),
    ([0x81, 0xFF, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0], .tooBig),
    ([0x81, 0xFF, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0], .tooBig),
  ])
  func whatIsNotAllowedEndsIt(bytes: [UInt8], code: CloseCode) {
    var reader = FrameReader()
    reader.append(bytes)
    let violation = #expect(throws: FrameReader.Violation.self) { try reader.next() }
    #expect(violation?.code == code)
  }

  @Test func piecesTogetherAreNotLongerThanOneMessage() throws {
    var reader = FrameReader()
    let half = [UInt8](repeating: 0x78, count: 2 << 20)
    reader.append(ClientFrame.make(1, half, isFinal: false))
    #expect(try reader.next() == nil)
    reader.append(ClientFrame.make(0, half))
    let violation = #expect(throws: FrameReader.Violation.self) { try reader.next() }
    #expect(violation?.code == .tooBig)
  }

  @Test func aServerWritesLengthsOfThreeSizesAndNoMask() {
    #expect(FrameWriter.frame(.text, [1, 2]) == [0x81, 2, 1, 2])
    let medium = FrameWriter.frame(.text, [UInt8](repeating: 0, count: 300))
    #expect(medium.prefix(4) == [0x81, 126, 1, 44])
    let long = FrameWriter.frame(.binary, [UInt8](repeating: 0, count: 65536))
    #expect(long.prefix(10) == [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0])
    #expect(FrameWriter.close(.tooBig) == [0x88, 2, 0x03, 0xF1])
  }

  /// The examples of RFC 3174 and RFC 6455.
  @Test func theHandshakeIsAnsweredAsTheStandardSays() throws {
    #expect(
      SHA1.hash(Array("abc".utf8)).hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    #expect(SHA1.hash(long).hexadecimal == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    #expect(SHA1.hash([]).hexadecimal == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    let accept = try Handshake.accept(Self.handshake([:]))
    #expect(accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  static func handshake(_ changes: [String: String]) -> Request {
    let usual = [
      "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]
    let headers = usual.merging(changes) { $1 }.map { (name: $0.key, value: $0.value) }
    return Request(method: "GET", path: "/api/websocket", headers: headers)
  }

  @Test(arguments: [
    (["Upgrade": "h2c"], "No WebSocket UPGRADE hdr: h2c\n Can \"Upgrade\" only to \"WebSocket\"."),
    (["Connection": "close"], "No CONNECTION upgrade hdr: close"),
    (["Sec-WebSocket-Version": "12"], "Unsupported version: 12"),
    (["Sec-WebSocket-Key": "x"], "Handshake error: 'x'"),
  ])
  func aHandshakeThatIsNoneIsABadRequest(change: [String: String], message: String) {
    var home = Home()
    let response = home.answer(Self.handshake(change), now: Moment(seconds: 0))
    #expect(response.status == 400)
    #expect(String(decoding: response.body, as: UTF8.self) == message)
  }
}
