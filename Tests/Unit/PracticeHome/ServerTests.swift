import Testing

@testable import PracticeHome

/// The same over real sockets: what only the shell can get wrong.
@Suite(.timeLimit(.minutes(10))) struct ServerTests {
  private static let registration = JSON.object(
    Visitor.registration.merging(["supports_encryption": false])
  ).text

  private func registered(_ server: borrowing PracticeServer) throws -> String {
    let answer = Wire.ask(
      server.port, "POST", "/api/mobile_app/registrations", Self.registration, token: "practice")
    #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"))
    let body = try #require(answer.split(separator: "\r\n\r\n").last)
    return try #require(JSONParser.parse(Array(body.utf8))["webhook_id"]?.string)
  }

  @Test func aChunkedBodyIsReadLikeAnyOther() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let id = try registered(server)
    let wire = Wire(port: server.port)
    wire.write(
      "POST /api/webhook/\(id) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n")
    for piece in [#"{"type":"#, #""render_template","da"#, #"ta":{"t":{"template":"1"}}}"#, ""] {
      wire.write(String(piece.utf8.count, radix: 16) + "\r\n" + piece + "\r\n")
    }
    #expect(wire.read().hasSuffix("{\"t\":1}"))
  }

  @Test func aHangingRequestDoesNotKeepTheServerFromStopping() throws {
    let arrived = StopSignal()
    let server = try PracticeServer { _ in arrived.give() }
    server.fault = .hang
    let wire = Wire(port: server.port)
    wire.write(Wire.request("POST", "/api/webhook/abc", "{}"))
    #expect(arrived.wait(atMost: .seconds(30)))
    let start = ContinuousClock.now
    server.stop()
    #expect(ContinuousClock.now - start < .seconds(1))
    #expect(wire.read().isEmpty, "no byte of an answer")
  }

  @Test func whatWaitsIsNotAnsweredOnceTheServerStops() {
    let host = Host(home: Home(), observer: nil)
    #expect(host.waitToAnswer(.complete))
    #expect(host.waitToAnswer(.after(.milliseconds(1))))
    host.stopSignal.give()
    #expect(!host.waitToAnswer(.never))
    #expect(!host.waitToAnswer(.after(.seconds(50))))
  }

  @Test func aSlowAnswerComesWhenItsTimeIsUp() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    server.fault = .slow(.milliseconds(50))
    let start = ContinuousClock.now
    let answer = Wire.ask(server.port, "POST", "/api/webhook/abc", "{}")
    #expect(ContinuousClock.now - start >= .milliseconds(50))
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test func stoppingCutsASlowAnswerShort() throws {
    let arrived = StopSignal()
    let server = try PracticeServer { _ in arrived.give() }
    server.fault = .slow(.seconds(50))
    let wire = Wire(port: server.port)
    wire.write(Wire.request("POST", "/api/webhook/abc", "{}"))
    #expect(arrived.wait(atMost: .seconds(30)))
    server.stop()
    #expect(wire.read().isEmpty)
  }

  @Test func aBrokenAnswerPromisesMoreThanItBrings() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let id = try registered(server)
    server.fault = .breakOff
    let answer = Wire.ask(server.port, "POST", "/api/webhook/\(id)", #"{"type":"get_zones"}"#)
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
    let line = try #require(
      parts.first?.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") })
    let promised = try #require(Int(line.dropFirst(16)))
    let brought = try #require(parts.last).utf8.count
    #expect(brought > 0)
    #expect(brought < promised)
  }

  @Test func anAnswerBeyondAMebibyteArrivesWhole() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    server.fault = .huge
    #expect(Wire.ask(server.port, "POST", "/api/webhook/abc", "{}").utf8.count > 1 << 20)
  }

  @Test func twoServersDoNotShareAPort() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    #expect(throws: PracticeServer.StartFailure.portInUse(server.port)) {
      try PracticeServer(port: server.port)
    }
  }

  @Test func aPortIsFreeAgainOnceItsServerStopped() throws {
    let first = try PracticeServer()
    _ = Wire.ask(first.port, "POST", "/api/webhook/abc", "{}")
    first.stop()
    first.stop()
    #expect(first.counters.refused == 1, "a stopped server still shows its home")
    let second = try PracticeServer(port: first.port)
    second.stop()
  }

  @Test func theObserverHearsOfEveryEntry() throws {
    let heard = Counting()
    let server = try PracticeServer { heard.add($0.count) }
    _ = Wire.ask(server.port, "POST", "/api/webhook/abc", "{}")
    _ = Wire.ask(server.port, "GET", "/nowhere")
    server.stop()
    #expect(heard.count == 2)
    #expect(server.journal.count == 2)
  }
}
