import Bytes
import Foundation
import TestRun
import Testing

@testable import Relay

@Suite struct StoreTests {
  private let path = TestRun.newPlace().path
  private let token = BoardToken.random()
  private let board = KeyPair()
  private let now = WallTime(seconds: 1_795_867_200)

  private func store(_ change: (inout Limits) -> Void = { _ in }) throws -> any Store {
    var limits = Limits()
    change(&limits)
    return try SQLiteStore(path, limits: limits)
  }

  /// A store with a board that has said its key.
  private func pairedStore(_ change: (inout Limits) -> Void = { _ in }) throws -> any Store {
    let store = try store(change)
    #expect(try store.add("boat", token, at: now))
    #expect(try fetch(from: store, key: board.publicKey) == .waiting([], remaining: 0))
    return store
  }

  private func push(_ words: String) throws -> StoreOperation {
    .push(
      try PushRequest(Array(#"{"message":"\#(words)","push_token":"\#(token.pushToken)"}"#.utf8)))
  }

  private func send(
    _ words: String, to store: any Store, at time: WallTime? = nil
  ) throws -> Outcome? {
    try store.perform([push(words)], at: time ?? now).first
  }

  private func fetch(
    from store: any Store, after number: Int64 = 0, key: PublicKey? = nil,
    with other: BoardToken? = nil, at time: WallTime? = nil
  ) throws -> Outcome? {
    let key = key.map { _ in #","public_key":"\#(board.base64)""# } ?? ""
    let body = Array(#"{"acknowledged":\#(number)\#(key)}"#.utf8)
    let request = try #require(FetchRequest(body))
    return try store.perform(
      [.fetch((other ?? token).fetchDigest, request)], at: time ?? now
    ).first
  }

  /// The messages of an outcome, as the board reads them.
  private func messages(_ outcome: Outcome?) -> [String] {
    guard case .waiting(let notifications, _) = outcome else { return ["\(outcome as Any)"] }
    return notifications.map { notification in
      let opened = board.open(notification.sealed) ?? []
      return "\(notification.number) " + String(decoding: opened, as: UTF8.self)
    }
  }

  private func counts(_ successful: Int64, _ errors: Int64) -> RateLimits {
    RateLimits(successful: successful, errors: errors, maximum: 150, resetsAt: Day(of: now).end)
  }

  @Test func aBoardReadsInOrderWhatCameForIt() throws {
    let store = try pairedStore()
    #expect(try send("one", to: store) == .accepted(counts(1, 0)))
    #expect(try send("two", to: store) == .accepted(counts(2, 0)))
    #expect(
      messages(try fetch(from: store)) == [#"1 {"message":"one"}"#, #"2 {"message":"two"}"#])
  }

  @Test func whatIsNotAcknowledgedIsGivenAgain() throws {
    let store = try pairedStore()
    for words in ["one", "two", "three"] { _ = try send(words, to: store) }
    #expect(messages(try fetch(from: store, after: 0)).count == 3)
    #expect(messages(try fetch(from: store, after: 2)) == [#"3 {"message":"three"}"#])
    #expect(messages(try fetch(from: store, after: 3)) == [])
    _ = try send("four", to: store)
    #expect(messages(try fetch(from: store, after: 3)) == [#"4 {"message":"four"}"#])
  }

  @Test func aNumberThatWasNeverGivenForgetsNothing() throws {
    let store = try pairedStore()
    _ = try send("one", to: store)
    #expect(messages(try fetch(from: store, after: 7)) == [#"1 {"message":"one"}"#])
  }

  @Test func allOfItSurvivesARestart() throws {
    do {
      let store = try pairedStore()
      for _ in 0..<150 { _ = try send("one", to: store) }
    }
    let store = try store()
    #expect(try send("more", to: store) == .overLimit(counts(150, 1)))
    #expect(messages(try fetch(from: store)).count == 100)
    #expect(messages(try fetch(from: store, after: 100)).count == 50)
  }

  @Test func nothingIsSealedToNobody() throws {
    let store = try store()
    #expect(try store.add("boat", token, at: now))
    #expect(try send("one", to: store) == .hasNoKey(counts(0, 1)))
    _ = try fetch(from: store, key: board.publicKey)
    #expect(try send("two", to: store) == .accepted(counts(1, 1)))
  }

  @Test func aTokenOfNobodyAndThePushTokenFetchNothing() throws {
    let store = try pairedStore()
    _ = try send("one", to: store)
    #expect(try fetch(from: store, with: .random()) == .unknown)
    #expect(try fetch(from: store, with: BoardToken(token.pushToken)) == .unknown)
  }

  @Test func newSecretsKeepWhatWaits() throws {
    let store = try pairedStore()
    _ = try send("one", to: store)
    let other = BoardToken.random()
    #expect(try store.rotate("boat", other))
    #expect(try send("two", to: store) == .unknown)
    #expect(try fetch(from: store) == .unknown)
    #expect(messages(try fetch(from: store, with: other)) == [#"1 {"message":"one"}"#])
    #expect(try !store.rotate("van", .random()))
  }

  @Test func aBoardThatIsRemovedLeavesNothing() throws {
    let store = try pairedStore()
    _ = try send("one", to: store)
    #expect(try store.revoke("boat"))
    #expect(try !store.revoke("boat"))
    #expect(try fetch(from: store) == .unknown)
    #expect(try store.add("boat", token, at: now))
    #expect(messages(try fetch(from: store, key: board.publicKey)) == [])
  }

  @Test func aNameIsTakenOnce() throws {
    let store = try pairedStore()
    #expect(try !store.add("boat", .random(), at: now))
    #expect(try store.boards(at: now).map(\.name) == ["boat"])
  }

  @Test func whatWaitsTooLongIsDropped() throws {
    let store = try pairedStore { $0.waitingFor = .seconds(60) }
    _ = try send("old", to: store)
    _ = try send("new", to: store, at: now + .seconds(61))
    let later = now + .seconds(61)
    #expect(messages(try fetch(from: store, at: later)) == [#"2 {"message":"new"}"#])
    #expect(try store.dropOld(at: later) == 1)
    #expect(try store.dropOld(at: later) == 0)
    #expect(try store.boards(at: later).first?.waiting == 1)
  }

  @Test func aBoardThatIsFullSaysSo() throws {
    let store = try pairedStore { $0.waitingCountMax = 2 }
    for words in ["one", "two"] { _ = try send(words, to: store) }
    #expect(try send("three", to: store) == .isFull(counts(2, 1)))
    _ = try fetch(from: store, after: 1)
    #expect(try send("four", to: store) == .accepted(counts(3, 1)))
  }

  @Test func anAnswerHasALimitAndOneNotificationAlwaysFits() throws {
    let store = try pairedStore { $0.answerByteCountMax = 300 }
    for _ in 0..<3 { _ = try send(String(repeating: "x", count: 400), to: store) }
    guard case .waiting(let read, let remaining) = try fetch(from: store) else {
      Issue.record("nothing waits")
      return
    }
    #expect(read.count == 1)
    #expect(remaining == 2)
  }

  @Test func requestsOfOneTransactionAreCountedOneByOne() throws {
    let store = try pairedStore()
    let outcomes = try store.perform((0..<151).map { _ in try push("one") }, at: now)
    #expect(outcomes.count == 151)
    #expect(outcomes[149] == .accepted(counts(150, 0)))
    #expect(outcomes[150] == .overLimit(counts(150, 1)))
  }

  @Test func nothingThatAPersonWroteIsInTheFile() throws {
    do {
      let store = try pairedStore()
      _ = try send("sesame-opens", to: store)
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path
    ).filter { $0.hasPrefix(URL(filePath: path).lastPathComponent) }
    for file in files {
      let place = URL(filePath: path).deletingLastPathComponent().appending(path: file)
      let bytes = try Data(contentsOf: place)
      for secret in ["sesame-opens", token.text, token.pushToken] {
        #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(file)")
      }
    }
    #expect(!files.isEmpty)
  }

  @Test func aFileThatIsNoStoreSaysWhatToDo() throws {
    try Data("not a database, and longer than a header of SQLite".utf8)
      .write(to: URL(filePath: path))
    let failure = #expect(throws: StoreFailure.self) { try store() }
    #expect(failure?.description.contains("restore the store from its backup") == true)
  }

  @Test func aStoreOfANewerVersionIsLeftAlone() throws {
    let database = try Database(path)
    try database.execute("PRAGMA user_version = 99")
    let failure = #expect(throws: StoreFailure.self) { try store() }
    #expect(failure?.description.contains("newer version") == true)
  }
}
