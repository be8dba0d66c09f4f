import Bytes
import Foundation
import Synchronization
import TestRun
import Testing

@testable import Relay

/// What a server has to be, and what a relay says if it is not.
@Suite struct RedisSessionTests {
  private func open(
    _ server: RedisServer, _ clocks: Clocks = .kernel,
    _ change: (inout RedisAddress) -> Void = { _ in }
  ) throws {
    _ = try RedisStore(server.address(change), limits: Limits(), clocks: clocks)
  }

  private func failure(
    _ server: RedisServer, _ clocks: Clocks = .kernel,
    _ change: (inout RedisAddress) -> Void = { _ in }
  ) -> String {
    let failure = #expect(throws: StoreFailure.self) { try open(server, clocks, change) }
    return failure?.description ?? ""
  }

  @Test func aServerThatLosesNothingIsTaken() throws { try open(RedisServer()) }

  @Test(
    arguments: [
      ("appendonly", "no", "yes"), ("appendfsync", "everysec", "always"),
      ("appendfsync", "no", "always"), ("no-appendfsync-on-rewrite", "yes", "no"),
      ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ])
  func aServerThatMayLoseSomethingIsRefused(name: String, value: String, right: String) throws {
    let server = try RedisServer(settings: RedisServer.settings + ["--\(name)", value])
    #expect(
      failure(server).hasSuffix(
        "would lose notifications that it has accepted: set in its configuration: \(name) \(right)")
    )
  }

  @Test func settingsAreLookedAtAgainWithEachConnection() throws {
    let server = try RedisServer()
    let store = try RedisStore(server.address(), limits: Limits(), clocks: .kernel)
    try server.send("CONFIG", "SET", "appendfsync", "no")
    try server.send("CLIENT", "KILL", "TYPE", "normal")
    #expect(throws: StoreFailure.self) { try store.boards(at: .now) }
  }

  @Test func aServerWithAPasswordIsAskedWithIt() throws {
    let server = try RedisServer(settings: RedisServer.settings + ["--requirepass", "sesame"])
    #expect(failure(server).contains("--store-password-file"))
    let wrong = failure(server) { $0.credentials = .init(Array("open-sesame".utf8)) }
    #expect(wrong.contains("--store-password-file"))
    #expect(!wrong.contains("sesame"))
    try open(server) { $0.credentials = .init(Array("sesame".utf8)) }
    try open(server) { $0.credentials = .init(Array("default:sesame".utf8)) }
  }

  @Test func aUserWhoMayNotAskTheServerIsToldSo() throws {
    let server = try RedisServer()
    try server.send("ACL", "SETUSER", "relay", "on", ">sesame", "~*", "+@all", "-config", "-info")
    for right in ["CONFIG GET (ACL: +config|get)", "INFO (ACL: +info)"] {
      let words = failure(server) { $0.credentials = .init(Array("relay:sesame".utf8)) }
      #expect(words.hasSuffix("allow this user \(right)"))
      try server.send("ACL", "SETUSER", "relay", right.contains("info") ? "+info" : "+config|get")
    }
    try open(server) { $0.credentials = .init(Array("relay:sesame".utf8)) }
  }

  @Test(arguments: [-301, 302])
  func aClockThatDiffersIsRefused(seconds: Int64) throws {
    var clocks = Clocks.kernel
    clocks.wall = { .now + .seconds(seconds) }
    #expect(failure(try RedisServer(), clocks).contains("the clocks of this machine and of"))
  }

  @Test func aClockThatIsSetLaterKeepsNothing() throws {
    let server = try RedisServer()
    let store = try RedisStore(server.address(), limits: Limits(), clocks: .kernel)
    let token = BoardToken.random()
    #expect(try store.add("boat", token, at: .now))
    let push = try token.push()
    for time in [WallTime.now - .seconds(400), .now + .seconds(400)] {
      #expect(throws: StoreFailure.self) { try store.perform([push], at: time) }
    }
    // Its own clock was set, and not that of the server: nothing is moved.
    try store.clockStepped(by: 400)
    guard case .hasNoKey = try store.perform([push], at: .now).first else {
      Issue.record("a clock that is right is refused")
      return
    }
    #expect(try !exists("homeward:step", server))
  }

  /// It would refuse each notification.
  @Test func aRelayWhoseClockDiffersFailsItsProbe() throws {
    let (server, added) = (try RedisServer(), Step())
    var clocks = Clocks.kernel
    clocks.wall = { .now + .seconds(added.seconds.load(ordering: .relaxed)) }
    let store = try RedisStore(server.address(), limits: Limits(), clocks: clocks)
    try store.probe()
    added.seconds.store(400, ordering: .relaxed)
    #expect(throws: StoreFailure.self) { try store.probe() }
  }

  private final class Step: Sendable { let seconds = Atomic(0) }

  private func exists(_ key: String, _ server: RedisServer) throws -> Bool {
    guard case .integer(let count) = try server.send("EXISTS", key) else { return false }
    return count > 0
  }

  /// Whatever a peer says, it is a failure: no trap, and no wait without an end.
  @Test(
    arguments: [
      "", "HTTP/1.1 400 Bad Request\r\n\r\n", "+PONG\r\n", "$-1\r\n", "*-1\r\n", ":1\r\n", "*0\r\n",
      "-ERR \u{1B}[2J\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
      "*2\r\n:9223372036854775807\r\n:-9223372036854775808\r\n", "*99999999999\r\n", "$-5\r\n",
      ":99999999999999999999\r\n", "*2\r\n$10\r\nappendonly\r\n$3\r\nyes\r\n",
    ])
  func aPeerThatIsNoServerIsAFailure(words: String) throws {
    let peer = try Peer { $0 == 0 ? Data(String(repeating: words, count: 20).utf8) : nil }
    #expect(throws: StoreFailure.self) {
      _ = try RedisStore(peer.address(), limits: Limits(), clocks: .kernel)
    }
  }

  @Test func anAnswerThatIsTooLargeEnds() throws {
    let peer = try Peer { $0 == 0 ? Data("$99999999\r\n".utf8) + Data(count: 8_000_000) : nil }
    let failure = #expect(throws: StoreFailure.self) {
      _ = try RedisStore(peer.address(), limits: Limits(), clocks: .kernel)
    }
    #expect(failure?.description.contains("too large") == true)
  }

  @Test func noTimeIsWaitedForAnAnswerThatComesByTheByte() throws {
    let peer = try Peer {
      $0 == 0 ? Data("$100000\r\n".utf8) : $0 < 1000 ? Data("x".utf8) : nil
    }
    var clocks = Clocks.kernel
    clocks.monotonic = { Instant(nanoseconds: Int64(peer.answerCount) * 4_000_000_000) }
    let failure = #expect(throws: StoreFailure.self) {
      _ = try RedisStore(peer.address(), limits: Limits(), clocks: clocks)
    }
    #expect(failure?.description.contains("in time") == true)
  }
}

/// A peer on a socket that says what a test has it say, whatever it is asked.
private final class Peer: Sendable {
  private let socket = TestRun.newPlace().path
  private let listener: Int32
  private let answers = Atomic<Int>(0)

  /// Says the first answer once it is asked, then the next ones, and ends after the last.
  init(_ answer: @escaping @Sendable (Int) -> Data?) throws {
    TestRun.outlivesBrokenPipes
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = socket.utf8CString
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      unsafe path.withUnsafeBytes { unsafe place.copyMemory(from: $0) }
    }
    listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0 && listen(listener, 4) == 0)
    Thread.detachNewThread { [self] in serve(answer) }
  }

  private func serve(_ answer: (Int) -> Data?) {
    let descriptor = accept(listener, nil, nil)
    let connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    _ = connection.availableData
    while let data = answer(answers.load(ordering: .relaxed)) {
      guard (try? connection.write(contentsOf: data)) != nil else { break }
      answers.add(1, ordering: .relaxed)
    }
    shutdown(descriptor, Int32(SHUT_WR))
    // Until the other side has read it all.
    _ = try? connection.readToEnd()
    close(listener)
  }

  var answerCount: Int { answers.load(ordering: .relaxed) }

  func address() throws -> RedisAddress {
    try #require(RedisAddress(Array("redis+unix://\(socket)".utf8)))
  }
}
