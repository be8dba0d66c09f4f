import CMicroHTTPD
import Testing

@testable import PracticeHome

/// WebSockets over real connections.
@Suite(.timeLimit(.minutes(10))) struct SocketServerTests {
  /// A client with nothing but bytes.
  private final class Line {
    private let wire: Wire
    private var received: [UInt8] = []

    init(_ port: UInt16, early: [UInt8] = []) {
      wire = Wire(port: port)
      wire.write(
        Array(
          ("GET /api/websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8) + early)
    }

    /// The head of the answer.
    func head() -> String {
      let end = Array("\r\n\r\n".utf8)
      while true {
        if let range = received.firstRange(of: end) {
          let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
          received.removeSubrange(..<range.upperBound)
          return head
        }
        guard more() else { return String(decoding: received, as: UTF8.self) }
      }
    }

    private func more() -> Bool {
      let piece = wire.readSome()
      received += piece
      return !piece.isEmpty
    }

    func write(_ bytes: [UInt8]) { wire.write(bytes) }
    func say(_ text: String) { write(ClientFrame.text(text)) }

    /// The next frame of the server: its opcode and payload; nil at the end.
    func frame() -> (opcode: UInt8, payload: [UInt8])? {
      while true {
        if let frame = takeFrame() { return frame }
        guard more() else { return nil }
      }
    }

    private func takeFrame() -> (opcode: UInt8, payload: [UInt8])? {
      guard received.count >= 2 else { return nil }
      let short = Int(received[1])
      let extra = short == 126 ? 2 : short == 127 ? 8 : 0
      guard received.count >= 2 + extra else { return nil }
      let length = extra == 0 ? short : received[2..<2 + extra].reduce(0) { $0 * 256 + Int($1) }
      guard received.count >= 2 + extra + length else { return nil }
      let frame = (received[0] & 0x0F, Array(received[(2 + extra)..<(2 + extra + length)]))
      received.removeFirst(2 + extra + length)
      return frame
    }

    func text() -> String? {
      guard let frame = frame(), frame.opcode == 1 else { return nil }
      return String(decoding: frame.payload, as: UTF8.self)
    }

    /// The code the server closes with, and that the connection is closed then.
    func closeCode() -> Int? {
      while let frame = frame() {
        guard frame.opcode == 8 else { continue }
        write(ClientFrame.make(8, frame.payload))
        return self.frame() == nil ? frame.payload.reduce(0) { $0 * 256 + Int($1) } : -1
      }
      return nil
    }

    func logIn() {
      _ = head()
      _ = text()
      say(#"{"type":"auth","access_token":"practice"}"#)
      _ = text()
    }
  }

  @Test func aConnectionBecomesASocketAndTalks() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let line = Line(server.port)
    let head = line.head()
    #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
    #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    #expect(line.text() == #"{"type":"auth_required","ha_version":"2025.4.4"}"#)
    line.say(#"{"type":"auth","access_token":"practice"}"#)
    #expect(line.text() == #"{"type":"auth_ok","ha_version":"2025.4.4"}"#)
    line.write(ClientFrame.make(9, [1, 2, 3]))
    #expect(line.frame()?.payload == [1, 2, 3])
    line.say(#"{"id":1,"type":"get_states"}"#)
    #expect(line.text()?.contains("zone.home") == true)
    line.write(ClientFrame.make(8, [3, 0xE8]))
    #expect(line.closeCode() == 1000)
  }

  @Test func whatComesWithTheHandshakeIsNotLost() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let line = Line(
      server.port,
      early: ClientFrame.text(#"{"type":"auth","access_token":"practice"}"#)
        + ClientFrame.text(#"{"id":1,"type":"ping"}"#))
    _ = line.head()
    _ = line.text()
    #expect(line.text()?.contains("auth_ok") == true)
    #expect(line.text() == #"{"id":1,"type":"pong"}"#)
  }

  @Test func timePassesForASocketThatIsQuiet() throws {
    var household = Household()
    household.pingInterval = .milliseconds(20)
    let server = try PracticeServer(household: household)
    defer { server.stop() }
    let line = Line(server.port)
    line.logIn()
    var opcodes: [UInt8] = []
    while let frame = line.frame() { opcodes.append(frame.opcode) }
    #expect(opcodes.contains(9))
    #expect(!opcodes.contains(8), "closed without a word")
  }

  @Test func aStrangerIsNotWaitedFor() throws {
    var household = Household()
    household.authenticationLimit = .milliseconds(20)
    let server = try PracticeServer(household: household)
    defer { server.stop() }
    let line = Line(server.port)
    _ = line.head()
    _ = line.text()
    #expect(line.closeCode() == 1000)
  }

  @Test func stoppingSaysGoodbyeOnEverySocket() throws {
    let server = try PracticeServer()
    let lines = (0..<5).map { _ in Line(server.port) }
    lines.forEach { $0.logIn() }
    server.stop()
    #expect(lines.map { $0.closeCode() } == [1000, 1000, 1000, 1000, 1000])
    #expect(server.withHome { $0.sessions.isEmpty })
    let again = try PracticeServer(continuing: server)
    defer { again.stop() }
    Line(again.port).logIn()
  }

  @Test func aClientThatVanishesIsForgotten() throws {
    let closed = StopSignal()
    let server = try PracticeServer { entries in
      if entries.contains(where: { $0.event == .occurred(.socketClosed(1, byHome: false)) }) {
        closed.give()
      }
    }
    defer { server.stop() }
    do {
      let line = Line(server.port)
      line.logIn()
    }
    #expect(closed.wait(atMost: .seconds(30)))
    #expect(server.withHome { $0.sessions.isEmpty })
  }

  @Test func accidentsReachTheSockets() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let line = Line(server.port)
    line.logIn()
    server.suffer(.closeSockets)
    #expect(line.closeCode() == 1000)
    let next = Line(server.port)
    next.logIn()
    server.restart()
    #expect(next.closeCode() == 1000)
    server.fault = .noWebSocket
    #expect(Line(server.port).head().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
  }

  @Test func manySocketsComeAndGoWhileTheServerStops() throws {
    for _ in 0..<5 {
      let server = try PracticeServer()
      let lines = (0..<20).map { _ in Line(server.port) }
      lines.prefix(10).forEach { $0.logIn() }
      server.stop()
    }
  }
}
