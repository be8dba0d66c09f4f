import Bytes
import CHTTPServer
import Foundation
import Synchronization
import TestRun
import Testing

@testable import Relay

/// A relay that serves on this machine, with a board.
private final class RunningRelay: @unchecked Sendable {
  let token = BoardToken.random()
  let board = KeyPair()
  private let port: UInt16
  private let ending = Pipe()
  private let hasServed = DispatchGroup()

  init(_ store: any Store, limits: Limits = Limits(), clocks: Clocks = .kernel) throws {
    _ = try store.add("boat", token, at: WallTime(seconds: 0))
    let served = Served(Server(store, limits: limits, clocks: clocks))
    let descriptor = unsafe chttp_listen("127.0.0.1", 0)
    try #require(descriptor >= 0)
    port = chttp_port(descriptor)
    try served.server.listen(on: descriptor)
    hasServed.enter()
    let end = ending.fileHandleForReading.fileDescriptor
    Thread.detachNewThread { [hasServed] in
      served.server.serve(until: end)
      hasServed.leave()
    }
  }

  /// What its thread has.
  private final class Served: @unchecked Sendable {
    let server: Server
    init(_ server: Server) { self.server = server }
  }

  /// Ends the server, which answers what it has.
  func stop() {
    ending.fileHandleForWriting.closeFile()
    hasServed.wait()
  }

  func connect() throws -> FileHandle {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(status == 0)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Sends a request on a connection of its own; returns all that comes back.
  func send(_ head: String, _ body: String = "") throws -> String {
    let connection = try connect()
    let text = "\(head)\r\nHost: relay\r\nConnection: close\r\n"
    try connection.write(
      contentsOf: Data("\(text)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
    return String(decoding: try connection.readToEnd() ?? Data(), as: UTF8.self)
  }

  func push(_ words: String, token: String? = nil) throws -> String {
    try send(
      "POST /push HTTP/1.1",
      #"{"message":"\#(words)","push_token":"\#(token ?? self.token.pushToken)"}"#)
  }

  func fetch(after number: Int = 0, authorization: String? = nil) throws -> String {
    try send(
      "POST /fetch HTTP/1.1\r\nAuthorization: \(authorization ?? "Bearer \(token.text)")",
      #"{"acknowledged":\#(number),"public_key":"\#(board.base64)"}"#)
  }
}

/// Clocks of a test: the kernel's, and what the test adds.
private final class SetClock: Sendable {
  private let added = Mutex(Duration.zero)

  func advance(by duration: Duration) { added.withLock { $0 += duration } }

  var clocks: Clocks {
    Clocks(wall: { .now }) { [self] in
      Clocks.kernel.monotonic() + added.withLock { $0 }
    }
  }
}

/// A store on a disk that is full. It has no board: only a notification would be written.
private final class FullStore: Store {
  private let isFull = Atomic(true)

  func makeRoom() { isFull.store(false, ordering: .relaxed) }

  private func write() throws(StoreFailure) {
    guard isFull.load(ordering: .relaxed) else { return }
    throw StoreFailure(
      code: 13, message: "database or disk is full", remedy: "make room on the disk")
  }

  func perform(_ operations: [StoreOperation], at _: WallTime) throws(StoreFailure) -> [Outcome] {
    for case .push in operations { try write() }
    return operations.map { _ in .unknown }
  }
  func add(_: String, _: BoardToken, at _: WallTime) -> Bool { true }
  func rotate(_: String, _: BoardToken) -> Bool { true }
  func revoke(_: String) -> Bool { true }
  func boards(at _: WallTime) -> [BoardSummary] { [] }
  func clockStepped(by _: Int64) {}
  func dropOld(at _: WallTime) -> Int64 { 0 }
  func probe() throws(StoreFailure) { try write() }
}

@Suite(.timeLimit(.minutes(10))) struct ServerTests {
  private func store(_ limits: Limits = Limits()) throws -> SQLiteStore {
    try SQLiteStore(TestRun.newPlace().path, limits: limits)
  }

  private func body(_ answer: String) -> String {
    String(answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? "")
  }

  @Test func aNotificationIsQueuedAndFetched() throws {
    let relay = try RunningRelay(store())
    defer { relay.stop() }
    #expect(try body(relay.fetch()) == #"{"notifications":[],"remaining":0}"#)
    let queued = try relay.push("ahoy")
    #expect(queued.hasPrefix("HTTP/1.1 201 "))
    #expect(queued.contains("Content-Type: application/json"))
    #expect(body(queued).hasPrefix(#"{"rateLimits":{"successful":1,"errors":0,"total":1,"#))
    let fetched = try relay.fetch()
    #expect(body(fetched).hasPrefix(#"{"notifications":[{"number":1"#))
    let sealed = try #require(fetched.firstRange(of: #""sealed":""#))
    var bytes = Array(fetched[sealed.upperBound...].prefix { $0 != "\"" }.utf8)
    let whole = 0..<bytes.count
    var span = bytes.mutableSpan
    let count = try #require(Base64.decode(&span, in: whole))
    #expect(relay.board.open(Array(bytes[..<count])) == Array(#"{"message":"ahoy"}"#.utf8))
    let number =
      fetched.split(separator: #""number":"#).last.map { $0.prefix { $0.isNumber } } ?? ""
    #expect(
      try body(relay.fetch(after: #require(Int(number)))) == #"{"notifications":[],"remaining":0}"#)
  }

  @Test func whatIsRefusedIsJSONThatSaysWhatToDo() throws {
    let relay = try RunningRelay(store())
    defer { relay.stop() }
    let answers = try [
      ("409", relay.push("before the board has said its key"), "homeward pair --relay"),
      ("404", relay.push("m", token: "unknown"), "homeward-relay token add"),
      ("403", relay.fetch(authorization: "Bearer \(relay.token.pushToken)"), "token"),
      ("403", relay.fetch(authorization: "Basic x"), "token"),
      ("400", relay.send("POST /push HTTP/1.1", "{"), "JSON object"),
      ("400", relay.send("POST /push HTTP/1.1", #"{"message":"m"}"#), "push_token"),
      ("405", relay.send("GET /push HTTP/1.1"), "method"),
      ("404", relay.send("GET / HTTP/1.1"), "/healthz"),
    ]
    for (status, answer, words) in answers {
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      #expect(body(answer).hasPrefix(#"{"message":""#))
      #expect(body(answer).contains(words), "\(answer)")
    }
  }

  @Test func theDayOfABoardEndsWith429AndItsCounts() throws {
    var limits = Limits()
    limits.notificationsADay = 1
    let relay = try RunningRelay(store(limits), limits: limits)
    defer { relay.stop() }
    _ = try relay.fetch()
    #expect(try relay.push("one").hasPrefix("HTTP/1.1 201 "))
    let refused = try relay.push("two")
    #expect(refused.hasPrefix("HTTP/1.1 429 "))
    #expect(body(refused).contains(#""rateLimits":{"successful":1,"errors":1,"#))
  }

  @Test func aBodyThatIsTooLargeIsRefusedAndNotKept() throws {
    var limits = Limits()
    limits.bodyByteCountMax = 100
    let relay = try RunningRelay(store(limits), limits: limits)
    defer { relay.stop() }
    let answer = try relay.push(String(repeating: "x", count: 200_000))
    #expect(answer.hasPrefix("HTTP/1.1 413 "))
    #expect(try relay.push("small").hasPrefix("HTTP/1.1 409 "))
  }

  @Test func aFullDiskIsAnErrorToTryAgainAndNoLoss() throws {
    let relay = try RunningRelay(FullStore())
    defer { relay.stop() }
    let answer = try relay.push("one")
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    #expect(
      body(answer).hasPrefix(#"{"errorMessage":"the relay's store: database or disk is full"#))
  }

  @Test func theMetricsHaveNoNameAndNoToken() throws {
    let relay = try RunningRelay(store())
    defer { relay.stop() }
    _ = try relay.fetch()
    _ = try relay.push("one")
    let metrics = try relay.send("GET /metrics HTTP/1.1")
    #expect(metrics.contains("\nhomeward_relay_accepted_total 1\n"))
    #expect(metrics.contains("\nhomeward_relay_fetches_total 1\n"))
    #expect(!metrics.contains("boat"))
    #expect(!metrics.contains(relay.token.text))
    #expect(!metrics.contains(relay.token.pushToken))
    let health = try relay.send("GET /healthz HTTP/1.1")
    #expect(body(health) == #"{"status":"ok","notifications_a_day":150}"#)
  }

  @Test func aByteAtATimeKeepsNoPlace() throws {
    let clock = SetClock()
    let relay = try RunningRelay(store(), clocks: clock.clocks)
    defer { relay.stop() }
    TestRun.outlivesBrokenPipes
    let slow = try relay.connect()
    try slow.write(contentsOf: Data("POST /push HTTP/1.1\r\nHost: relay\r\nX: ".utf8))
    _ = try relay.fetch()
    clock.advance(by: .seconds(16))
    while (try? slow.write(contentsOf: Data("y".utf8))) != nil { usleep(10_000) }
    #expect(try relay.send("GET /metrics HTTP/1.1").contains("\nhomeward_relay_slow_total 1\n"))
  }

  @Test func aConnectionThatWaitsForItsNextRequestIsNotSlow() throws {
    let clock = SetClock()
    let relay = try RunningRelay(store(), clocks: clock.clocks)
    defer { relay.stop() }
    let connection = try relay.connect()
    for _ in 0..<3 {
      try connection.write(contentsOf: Data("GET /healthz HTTP/1.1\r\nHost: relay\r\n\r\n".utf8))
      var answer = ""
      while !answer.hasSuffix("}") {
        let bytes = connection.availableData
        try #require(!bytes.isEmpty)
        answer += String(decoding: bytes, as: UTF8.self)
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      _ = try relay.fetch()
      clock.advance(by: .seconds(60))
      _ = try relay.fetch()
    }
    _ = try relay.fetch()
    clock.advance(by: .seconds(76))
    #expect(connection.availableData.isEmpty)
  }

  @Test(
    arguments: [
      ("Content-Length: 99999999\r\nExpect: 100-continue", "413"),
      ("Content-Length: 99999999999999999999999", "4"),
      ("Content-Length: 4\r\nTransfer-Encoding: chunked", "400"),
      ("Content-Length: 0\r\nContent-Length: 4", "400"),
      ("Content-Length: 4\r\nContent-Length: 4", "400"),
      ("Content-Length : 4", "400"),
      ("Content-Length:\r\n 4", "400"),
      ("Transfer-Encoding : chunked", "400"),
      ("Transfer-Encoding: gzip, chunked", "400"),
      ("Transfer-Encoding: identity", "400"),
      ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "400"),
    ])
  func whatItsHeadSaysIsRefusedBeforeTheBody(head: String, status: String) throws {
    let relay = try RunningRelay(store())
    defer { relay.stop() }
    let connection = try relay.connect()
    let text = "POST /push HTTP/1.1\r\nHost: relay\r\n\(head)\r\n\r\n"
    try connection.write(contentsOf: Data(text.utf8))
    let answer = String(decoding: try connection.readToEnd() ?? Data(), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
  }

  @Test(arguments: ["/push%00x", "/%70ush", "/x/../push", "//push", "/push/", "/push%zz"])
  func noOtherPathIsThatOfANotification(path: String) throws {
    let relay = try RunningRelay(store())
    defer { relay.stop() }
    #expect(try relay.send("POST \(path) HTTP/1.1", "{}").hasPrefix("HTTP/1.1 404 "))
  }

  @Test func aStoreThatFailsIsNotWell() throws {
    let relay = try RunningRelay(FullStore())
    defer { relay.stop() }
    #expect(try relay.send("GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200 "))
    _ = try relay.push("one")
    #expect(try relay.send("GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 503 "))
  }

  /// An unknown token is refused, and nothing is old enough to be dropped.
  @Test func whatWritesNothingDoesNotMakeAStoreWell() throws {
    let (store, clock) = (FullStore(), SetClock())
    let relay = try RunningRelay(store, clocks: clock.clocks)
    defer { relay.stop() }
    _ = try relay.push("one")
    for _ in 0..<2 {
      _ = try relay.fetch()
      #expect(try relay.send("GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 503 "))
      clock.advance(by: .seconds(60))
    }
    _ = try relay.fetch()
    store.makeRoom()
    _ = try relay.fetch()
    #expect(try relay.send("GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 503 "))
    clock.advance(by: .seconds(60))
    _ = try relay.fetch()
    #expect(try relay.send("GET /healthz HTTP/1.1").hasPrefix("HTTP/1.1 200 "))
  }

  @Test func manyAtOnceAreAllAnswered() throws {
    let relay = try RunningRelay(store())
    defer { relay.stop() }
    _ = try relay.fetch()
    let accepted = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 32) { _ in
      if (try? relay.push("m"))?.hasPrefix("HTTP/1.1 201 ") == true {
        accepted.withLock { $0 += 1 }
      }
    }
    #expect(accepted.withLock { $0 } == 32)
    let metrics = try relay.send("GET /metrics HTTP/1.1")
    #expect(metrics.contains("\nhomeward_relay_accepted_total 32\n"))
    #expect(try body(relay.fetch()).components(separatedBy: #"{"number":"#).count == 33)
  }
}
