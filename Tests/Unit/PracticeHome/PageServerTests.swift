import Foundation
import Testing

@testable import PracticeHome

/// The page over real sockets: files, and events for those who listen.
@Suite(.timeLimit(.minutes(10))) struct PageServerTests {
  private static func get(
    _ path: String, host: String = "127.0.0.1:8124", method: String = "GET"
  ) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
  }

  private func ask(_ port: UInt16, _ request: String) -> String {
    let wire = Wire(port: port)
    wire.write(request)
    return wire.read()
  }

  // MARK: Files

  @Test func everyFileIsServedAndMayLoadNothingFromElsewhere() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    for (path, file) in PageFile.all {
      let answer = ask(server.port, Self.get(path))
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("\r\nContent-Type: \(file.contentType)\r\n"))
      #expect(answer.contains("\r\nContent-Security-Policy: default-src 'none'; "))
      #expect(answer.hasSuffix("\r\n\r\n" + String(decoding: file.content, as: UTF8.self)))
    }
  }

  @Test func theFilesNameNoAddressButTheirOwnAndWriteNoMarkup() {
    for (path, file) in PageFile.all {
      let text = String(decoding: file.content, as: UTF8.self)
        .replacing("http://www.w3.org/2000/svg", with: "")
      for word in ["://", "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("] {
        #expect(!text.contains(word), "\(word) in \(path)")
      }
    }
  }

  @Test func theHomeNoticesNothingOfItsPage() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    server.fault = .status(503)
    #expect(ask(server.port, Self.get("/")).hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(server.journal.isEmpty)
    #expect(server.requestCount == 0)
  }

  @Test func aForeignNameThatIsBentToThisMachineReadsNothing() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    for path in ["/", "/practice/events"] {
      for host in ["evil.example", "evil.example:8124", "127.0.0.1.evil.example", "127.0.0.1:x"] {
        // The beginning only: events have no end.
        let wire = Wire(port: server.port)
        wire.write(Self.get(path, host: host))
        let answer = String(decoding: wire.readSome(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
      }
    }
    for host in ["localhost", "localhost:9", "[::1]:9", "127.0.0.1"] {
      #expect(ask(server.port, Self.get("/", host: host)).hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  // MARK: Events

  @Test func anEventIsOneLineWhateverADeviceIsCalled() {
    let event = EventStream.event("state", ["name": "<script>\n\r\ndata: x\u{2028}"])
    let text = String(decoding: event, as: UTF8.self)
    #expect(
      text == "event: state\ndata: {\"name\":\"<script>\\n\\r\\ndata: x\u{2028}\"}\n\n")
  }

  @Test func aListenerIsToldEverythingAndThenWhatIsNew() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let wire = Wire(port: server.port)
    wire.write(Self.get("/practice/events"))
    let first = wire.readEvent()
    #expect(first.contains("\r\nContent-Type: text/event-stream; charset=utf-8\r\n"))
    #expect(first.contains("retry: 1000\n\n"))
    #expect(first.contains("event: state\ndata: {\"begin\":true,"))
    _ = Wire.ask(server.port, "POST", "/api/webhook/abc", "{}")
    let second = wire.readEvent()
    #expect(second.contains("event: state\ndata: {\"begin\":false,"))
    #expect(second.contains("no such webhook id"))
  }

  @Test func aPageThatComesLateIsToldWhatHappenedBefore() throws {
    let first = try PracticeServer()
    _ = Wire.ask(first.port, "POST", "/api/webhook/abc", "{}")
    first.stop()
    let server = try PracticeServer(continuing: first)
    defer { server.stop() }
    let wire = Wire(port: server.port)
    wire.write(Self.get("/practice/events"))
    #expect(wire.readEvent().contains("no such webhook id"))
  }

  @Test func tooManyListenersAreToldAndOneThatGoesMakesRoom() throws {
    let server = try PracticeServer()
    defer { server.stop() }
    let request = Self.get("/practice/events")
    let listeners = (0..<Page.listenersMax).map { _ in Listener(Wire(port: server.port)) }
    for listener in listeners { #expect(listener.ask(request).contains("event: state")) }
    let refused = Listener(Wire(port: server.port)).ask(request)
    #expect(refused.contains("event: full\ndata: {\"listeners\":12}\n\n"))
    listeners[0].leave()
    // The server sees the end of the connection in its own time; where it never does, that of this
    // test is over.
    var answer = ""
    repeat {
      answer = Listener(Wire(port: server.port)).ask(request)
    } while answer.contains("full") && !Task.isCancelled
    #expect(answer.contains("event: state"))
  }

  @Test func listenersDoNotKeepTheServerFromStopping() throws {
    let server = try PracticeServer()
    let wire = Wire(port: server.port)
    wire.write(Self.get("/practice/events"))
    _ = wire.readEvent()
    // One that is kept from it goes on to tell that it is there, until this connection ends.
    Thread.detachNewThread { server.stop() }
    #expect(!wire.readEvent().contains("event: "))
  }
}

/// A connection that is closed when the test says so.
private final class Listener {
  private var wire: Wire?

  init(_ wire: consuming Wire) { self.wire = consume wire }

  /// Sends a request, and reads the first event.
  func ask(_ request: String) -> String {
    wire?.write(request)
    return wire?.readEvent() ?? ""
  }

  func leave() { wire = nil }
}

extension Wire {
  /// Everything up to the end of the next event; less where the connection ends.
  borrowing func readEvent() -> String {
    var received: [UInt8] = []
    while !String(decoding: received, as: UTF8.self).contains("}\n\n") {
      let piece = readSome()
      if piece.isEmpty { break }
      received += piece
    }
    return String(decoding: received, as: UTF8.self)
  }
}
