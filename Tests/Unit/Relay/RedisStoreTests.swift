import Bytes
import Foundation
import Synchronization
import TestRun
import Testing

@testable import Relay

/// What is expected of a store on a server beyond `StoreTests`: relays that share it, and a server
/// that goes away, refuses, or says something else.
@Suite struct RedisStoreTests {
  private let server: RedisServer
  private let token = BoardToken.random()
  private let board = KeyPair()
  private let now = WallTime(seconds: 1_795_867_200)

  init() throws { server = try RedisServer() }

  private func pairedStore(_ limits: Limits = Limits()) throws -> RedisStore {
    let store = try server.store(limits)
    #expect(try store.add("boat", token, at: now))
    _ = try fetch(from: store)
    return store
  }

  private func send(to store: RedisStore, at time: WallTime? = nil) throws -> Outcome? {
    try store.perform([token.push()], at: time ?? now).first
  }

  @discardableResult
  private func fetch(
    from store: RedisStore, after number: Int64 = 0, key: KeyPair? = nil
  ) throws -> [SealedNotification] {
    let question = try token.fetch(after: number, key: key ?? board)
    guard case .waiting(let read, _) = try store.perform([question], at: now)[0] else {
      throw StoreFailure(code: 0, message: "the board is not known", remedy: "")
    }
    return read
  }

  private func isAccepted(_ outcome: Outcome?) -> Bool {
    if case .accepted = outcome { return true }
    return false
  }

  /// Name of a key of the only board.
  private func key(_ suffix: String) throws -> String {
    guard case .list(let found) = try server.send("KEYS", "homeward:{*}:\(suffix)"),
      case .bytes(let name) = found.first
    else { throw StoreFailure(code: 0, message: "no key", remedy: "") }
    return String(decoding: name, as: UTF8.self)
  }

  // MARK: Many relays

  @Test func theDaysLimitIsThatOfAllRelays() throws {
    let first = try pairedStore()
    let relays = try [first, server.store(), server.store()]
    var accepted = 0
    for turn in 0..<60 {
      let outcomes = try relays[turn % 3].perform(Array(repeating: token.push(), count: 7), at: now)
      accepted += outcomes.count { isAccepted($0) }
    }
    #expect(accepted == 150)
    let read = try fetch(from: first)
    let rest = try fetch(from: first, after: read.last?.number ?? 0)
    let numbers = (read + rest).map(\.number)
    #expect(numbers.count == 150)
    #expect(numbers == Set(numbers).sorted())
  }

  @Test func relaysWhoseClocksAreOnTwoSidesOfMidnightGiveOneDay() throws {
    let store = try pairedStore()
    let other = try server.store()
    let midnight = Day(of: now).end
    var accepted = 0
    for turn in 0..<200 {
      let time = turn % 2 == 0 ? midnight - .seconds(100) : midnight + .seconds(100)
      if isAccepted(try send(to: turn % 2 == 0 ? store : other, at: time)) { accepted += 1 }
    }
    // The first one counts into the day that ends.
    #expect(accepted == 151)
  }

  @Test func aKeyThatAnotherRelayWasToldIsUsedAtOnce() throws {
    let store = try pairedStore()
    #expect(isAccepted(try send(to: store)))
    let renewed = KeyPair()
    let read = try fetch(from: server.store(), key: renewed)
    #expect(isAccepted(try send(to: store)))
    let sealed = try fetch(from: store, after: read.last?.number ?? 0, key: renewed).first?.sealed
    #expect(renewed.open(sealed ?? []) == Array(#"{"message":"m"}"#.utf8))
  }

  @Test func aKeyThatChangesInsideABatchIsUsedAtOnce() throws {
    let store = try pairedStore()
    #expect(isAccepted(try send(to: store)))
    let renewed = KeyPair()
    let question = try token.fetch(after: 0, key: renewed)
    let outcomes = try store.perform([token.push(), question, token.push(), question], at: now)
    #expect(isAccepted(outcomes[0]) && isAccepted(outcomes[2]))
    let read = try fetch(from: store, key: renewed)
    #expect(board.open(try #require(read.first).sealed) != nil)
    #expect(renewed.open(try #require(read.last).sealed) != nil)
  }

  @Test func aBoardThatWasRemovedAndAddedElsewhereIsFound() throws {
    let store = try pairedStore()
    let other = try server.store()
    #expect(try other.revoke("boat"))
    #expect(try send(to: store) == .unknown)
    #expect(try other.add("boat", token, at: now))
    try fetch(from: other)
    #expect(isAccepted(try send(to: store)))
    #expect(try other.revoke("boat"))
    #expect(try other.add("boat", token, at: now))
    #expect(try fetch(from: store).isEmpty)
  }

  @Test func aClockThatIsSetIsTakenIntoAccountOnceForAllRelays() throws {
    let store = try pairedStore()
    let other = try server.store()
    #expect(isAccepted(try send(to: store)))
    try other.clockStepped(by: 1000)
    try store.clockStepped(by: 1001)
    #expect(try fetch(from: store).map(\.arrived) == [now + .seconds(1000)])
  }

  @Test func moreBoardsThanOnePageAreListedAndCleaned() throws {
    var limits = Limits()
    limits.waitingFor = .seconds(60)
    let store = try pairedStore(limits)
    #expect(isAccepted(try send(to: store)))
    for number in 0..<600 { #expect(try store.add("board\(number)", .random(), at: now)) }
    let names = try store.boards(at: now).map(\.name)
    #expect(names.count == 601)
    #expect(names == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    var dropped: Int64 = 0
    for _ in 0..<20 { dropped += try store.dropOld(at: now + .seconds(61)) }
    #expect(dropped == 1)
  }

  // MARK: A server that goes away

  /// Time that only the test moves.
  private final class Hand: Sendable {
    private let seconds = Mutex<Int64>(0)
    func wait(_ count: Int64) { seconds.withLock { $0 += count } }
    var now: Instant { Instant(nanoseconds: seconds.withLock { $0 } * 1_000_000_000) }
  }

  @Test func aServerThatIsKilledIsAskedAgainAfterAPause() throws {
    let hand = Hand()
    _ = try pairedStore()
    let store = try server.store { $0.monotonic = { hand.now } }
    #expect(isAccepted(try send(to: store)))
    server.kill()
    let failure = #expect(throws: StoreFailure.self) { try send(to: store) }
    #expect(failure?.description.contains("has to run") == true)
    try server.begin()
    #expect(throws: StoreFailure.self, "it is asked before the pause is over") {
      try send(to: store)
    }
    hand.wait(3)
    #expect(isAccepted(try send(to: store)))
    #expect(try fetch(from: store).count == 2)
  }

  @Test func aServerThatWasStartedAgainMeanwhileFailsNothing() throws {
    let store = try pairedStore()
    #expect(isAccepted(try send(to: store)))
    server.kill()
    try server.begin()
    #expect(isAccepted(try send(to: store)))
  }

  @Test func scriptsThatTheServerHasLostAreLoadedAgain() throws {
    let store = try pairedStore()
    try server.send("SCRIPT", "FLUSH")
    #expect(try store.perform([token.push(), token.push()], at: now).count { isAccepted($0) } == 2)
    try server.send("SCRIPT", "FLUSH")
    #expect(try store.revoke("boat"))
  }

  @Test func aServerWithoutMemoryStillHandsOut() throws {
    let store = try pairedStore()
    #expect(isAccepted(try send(to: store)))
    try server.send("CONFIG", "SET", "maxmemory", "1")
    let failure = #expect(throws: StoreFailure.self) { try send(to: store) }
    #expect(failure?.description.contains("give the server more memory") == true)
    let number = try #require(try fetch(from: store).first?.number)
    #expect(try fetch(from: store, after: number).isEmpty)
    try server.send("CONFIG", "SET", "maxmemory", "0")
    #expect(isAccepted(try send(to: store)))
  }

  // MARK: A store that is damaged

  @Test(
    arguments: [
      ("SET board x", "WRONGTYPE"), ("HSET board day x", "attempt to"),
      ("HSET board key x", "a board's key is damaged"), ("SET waiting x", "WRONGTYPE"),
    ])
  func whatIsDamagedIsAFailure(damage: String, words: String) throws {
    let store = try pairedStore()
    #expect(isAccepted(try send(to: store)))
    var command = damage.split(separator: " ").map(String.init)
    command[1] = try key(command[1])
    if command[0] == "SET" { try server.send("DEL", command[1]) }
    let connection = try server.connect()
    connection.add(command.map { Array($0.utf8) })
    _ = try connection.replies()
    let failure = #expect(throws: StoreFailure.self) { try send(to: store) }
    #expect(failure?.description.contains(words) == true, "\(String(describing: failure))")
    _ = try? fetch(from: store)
    #expect(try store.perform([BoardToken.random().push()], at: now) == [.unknown])
  }

  @Test func aNotificationThatIsDamagedIsAFailure() throws {
    let store = try pairedStore()
    #expect(isAccepted(try send(to: store)))
    try server.send("ZADD", key("waiting"), "1", "x")
    #expect(throws: StoreFailure.self) { try fetch(from: store) }
    #expect(throws: StoreFailure.self) { try store.dropOld(at: now) }
  }

  @Test func repliesOfAnotherFormAreNoAnswer() {
    let forms: [(StaticString, [RedisReply])] = [
      ("accepted", []), ("accepted", [.integer(1)]), ("accepted", [.bytes([]), .bytes([])]),
      ("accepted", [.integer(1), .null]), ("key", []), ("key", [.integer(1)]), ("more", []),
      ("waiting", []), ("waiting", [.null]), ("waiting", [.integer(1), .bytes([0x31])]),
      ("waiting", [.integer(1), .bytes([0x78]), .bytes([0x31]), .bytes([])]),
      ("waiting", [.integer(1), .bytes([]), .bytes([0x31]), .bytes([])]),
      ("waiting", [.integer(1), .bytes([0x31]), .list([]), .bytes([])]),
      ("over", [.other, .other]),
    ]
    for (word, rest) in forms { #expect(ScriptAnswer(utf8(word), rest[...]).map { _ in 0 } == nil) }
  }
}
