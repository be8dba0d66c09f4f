import Bytes
import CSodium
import Foundation
import Testing

@testable import Relay

@Suite final class StoreTests {
  private let token = BoardToken.random()
  private let board = KeyPair()
  private let now = WallTime(seconds: 1_795_867_200)
  /// Number of the first notification, if it comes now.
  private let first: Int64 = 1_795_867_200_000

  /// Goes with the test.
  private var place: StorePlace?

  /// A store with a board that has said its key.
  private func pairedStore(
    _ kind: StoreKind, _ change: (inout Limits) -> Void = { _ in }
  ) throws -> any Store {
    let place = try StorePlace(kind)
    self.place = place
    return try pairedStore(place, change)
  }

  private func pairedStore(
    _ place: StorePlace, _ change: (inout Limits) -> Void = { _ in }
  ) throws -> any Store {
    let store = try place.store(change)
    #expect(try store.add("boat", token, at: now))
    #expect(try fetch(from: store) == .waiting([], remaining: 0))
    return store
  }

  private func send(
    _ words: String, to store: any Store, at time: WallTime? = nil
  ) throws -> Outcome? {
    try store.perform([token.push(words)], at: time ?? now).first
  }

  /// Asks for what comes after the `number`th notification.
  private func fetch(
    from store: any Store, after number: Int64 = 0, with other: BoardToken? = nil,
    key: KeyPair? = nil, at time: WallTime? = nil
  ) throws -> Outcome? {
    let acknowledged = number == 0 ? 0 : first + number - 1
    let question = try (other ?? token).fetch(after: acknowledged, key: key ?? board)
    return try store.perform([question], at: time ?? now).first
  }

  /// The messages of an outcome, as the board reads them.
  private func messages(_ outcome: Outcome?) -> [String] {
    guard case .waiting(let notifications, _) = outcome else { return ["\(outcome as Any)"] }
    return notifications.map { notification in
      let opened = board.open(notification.sealed) ?? []
      return "\(notification.number - first + 1) " + String(decoding: opened, as: UTF8.self)
    }
  }

  private func counts(_ successful: Int64, _ errors: Int64) -> RateLimits {
    RateLimits(successful: successful, errors: errors, maximum: 150, resetsAt: Day(of: now).end)
  }

  @Test(arguments: StoreKind.allCases)
  func aBoardReadsInOrderWhatCameForIt(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    #expect(try send("one", to: store) == .accepted(counts(1, 0)))
    #expect(try send("two", to: store) == .accepted(counts(2, 0)))
    #expect(
      messages(try fetch(from: store)) == [#"1 {"message":"one"}"#, #"2 {"message":"two"}"#])
  }

  @Test(arguments: StoreKind.allCases)
  func whatIsNotAcknowledgedIsGivenAgain(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    for words in ["one", "two", "three"] { _ = try send(words, to: store) }
    #expect(messages(try fetch(from: store)).count == 3)
    #expect(messages(try fetch(from: store, after: 2)) == [#"3 {"message":"three"}"#])
    #expect(messages(try fetch(from: store, after: 3)) == [])
    _ = try send("four", to: store)
    #expect(messages(try fetch(from: store, after: 3)) == [#"4 {"message":"four"}"#])
  }

  @Test(arguments: StoreKind.allCases)
  func aRestoredBackupKeepsWhatComesAfterIt(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    do {
      let store = try pairedStore(place)
      _ = try send("before", to: store)
    }
    let backup = try place.backup()
    do {
      let store = try place.store()
      for _ in 0..<9 { _ = try send("lost with the disk", to: store) }
      _ = try fetch(from: store, after: 10)
    }
    let restored = try backup.store()
    _ = try send("after", to: restored, at: now + .seconds(60))
    #expect(messages(try fetch(from: restored, after: 10)) == [#"60001 {"message":"after"}"#])
  }

  @Test(arguments: StoreKind.allCases)
  func allOfItSurvivesARestart(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    do {
      let store = try pairedStore(place)
      for _ in 0..<150 { _ = try send("one", to: store) }
    }
    try place.endHard()
    try place.begin()
    let store = try place.store()
    #expect(try send("more", to: store) == .overLimit(counts(150, 1)))
    #expect(messages(try fetch(from: store)).count == 100)
    #expect(messages(try fetch(from: store, after: 100)).count == 50)
  }

  @Test(arguments: StoreKind.allCases)
  func aNotificationWithoutAKeyIsRefused(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    let store = try place.store()
    #expect(try store.add("boat", token, at: now))
    #expect(try send("one", to: store) == .hasNoKey(counts(0, 1)))
    _ = try fetch(from: store)
    #expect(try send("two", to: store) == .accepted(counts(1, 1)))
  }

  @Test(arguments: StoreKind.allCases)
  func anUnknownTokenAndThePushTokenFetchNothing(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    _ = try send("one", to: store)
    #expect(try fetch(from: store, with: .random()) == .unknown)
    #expect(try fetch(from: store, with: BoardToken(token.pushToken)) == .unknown)
  }

  @Test(arguments: StoreKind.allCases)
  func newSecretsKeepWhatWaits(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    _ = try send("one", to: store)
    let other = BoardToken.random()
    let thief = KeyPair()
    _ = try fetch(from: store, key: thief)
    #expect(try store.rotate("boat", other))
    #expect(try send("two", to: store) == .unknown)
    #expect(try fetch(from: store, key: thief) == .unknown)
    #expect(try store.perform([other.push()], at: now) == [.hasNoKey(counts(1, 1))])
    #expect(messages(try fetch(from: store, with: other)) == [#"1 {"message":"one"}"#])
    #expect(try !store.rotate("van", .random()))
  }

  @Test(arguments: StoreKind.allCases)
  func aBoardThatIsRemovedLeavesNothing(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    _ = try send("one", to: store)
    #expect(try store.revoke("boat"))
    #expect(try !store.revoke("boat"))
    #expect(try fetch(from: store) == .unknown)
    #expect(try store.add("boat", token, at: now))
    #expect(messages(try fetch(from: store)) == [])
  }

  @Test(arguments: StoreKind.allCases)
  func aNameIsTakenOnce(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    #expect(try !store.add("boat", .random(), at: now))
    #expect(try store.boards(at: now).map(\.name) == ["boat"])
  }

  @Test(arguments: StoreKind.allCases)
  func aBoardIsListedWithItsCountsAndSinceWhenItsOldestWaits(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    #expect(try store.add("van", .random(), at: now + .seconds(1)))
    for seconds in [2, 5] { _ = try send("m", to: store, at: now + .seconds(seconds)) }
    let boat = BoardSummary(
      name: "boat", created: now, fetched: now, hasKey: true, waiting: 2, today: 2,
      oldest: now + .seconds(2))
    let van = BoardSummary(
      name: "van", created: now + .seconds(1), fetched: nil, hasKey: false, waiting: 0, today: 0,
      oldest: nil)
    #expect(try store.boards(at: now) == [boat, van])
  }

  @Test(arguments: StoreKind.allCases)
  func whatWaitsTooLongIsDroppedAPartAtATime(kind: StoreKind) throws {
    let store = try pairedStore(kind) {
      $0.waitingFor = .seconds(60)
      $0.droppedCountMax = 2
    }
    for _ in 0..<3 { _ = try send("old", to: store) }
    let later = now + .seconds(61)
    _ = try send("new", to: store, at: later)
    #expect(try store.dropOld(at: now + .seconds(60)) == 0)
    #expect(try store.dropOld(at: later) == 2)
    #expect(try store.dropOld(at: later) == 1)
    #expect(try store.dropOld(at: later) == 0)
    #expect(messages(try fetch(from: store)) == [#"61001 {"message":"new"}"#])
    #expect(try store.boards(at: later).first?.waiting == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func aClockThatIsSetMakesNothingOld(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    _ = try send("one", to: store)
    let year: Int64 = 365 * 86_400
    try store.clockStepped(by: year)
    #expect(try store.dropOld(at: now + .seconds(year)) == 0)
    #expect(messages(try fetch(from: store)) == [#"1 {"message":"one"}"#])
  }

  /// The power goes, and the clock is behind until the network sets it.
  @Test(arguments: StoreKind.allCases)
  func aClockThatIsSetMovesOnlyWhatCameSinceTheStart(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    do { _ = try send("before", to: pairedStore(place)) }
    try place.endHard()
    try place.begin()
    let store = try place.store()
    for _ in 0..<2 { _ = try send("after", to: store, at: now - .seconds(3600)) }
    try store.clockStepped(by: 7200)
    guard case .waiting(let read, _) = try fetch(from: store, at: now + .seconds(3600)) else {
      Issue.record("nothing waits")
      return
    }
    #expect(read.map { $0.arrived - now } == [.zero, .seconds(3600), .seconds(3600)])
  }

  @Test(arguments: StoreKind.allCases)
  func aBoardThatIsFullSaysSo(kind: StoreKind) throws {
    let store = try pairedStore(kind) { $0.waitingCountMax = 2 }
    for words in ["one", "two"] { _ = try send(words, to: store) }
    #expect(try send("three", to: store) == .isFull(counts(2, 1)))
    _ = try fetch(from: store, after: 1)
    #expect(try send("four", to: store) == .accepted(counts(3, 1)))
  }

  @Test(arguments: StoreKind.allCases)
  func aProbeNeedsRoomAndLeavesNothing(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    let store = try pairedStore(place)
    try setRoom(of: place, store, "1", "1")
    #expect(try store.dropOld(at: now) == 0)
    #expect(throws: StoreFailure.self) { try store.probe() }
    try setRoom(of: place, store, "0", "1000000")
    for _ in 0..<2 { try store.probe() }
    #expect(try fetch(from: store) == .waiting([], remaining: 0))
    #expect(try store.boards(at: now).map(\.waiting) == [0])
  }

  private func setRoom(
    of place: StorePlace, _ store: any Store, _ bytes: String, _ pages: String
  ) throws {
    try place.server?.send("CONFIG", "SET", "maxmemory", bytes)
    try (store as? SQLiteStore)?.database.execute("PRAGMA max_page_count = \(pages)")
  }

  @Test(arguments: StoreKind.allCases)
  func anAnswerHasALimitAndOneNotificationAlwaysFits(kind: StoreKind) throws {
    let store = try pairedStore(kind) { $0.answerByteCountMax = 300 }
    for _ in 0..<3 { _ = try send(String(repeating: "x", count: 400), to: store) }
    guard case .waiting(let read, let remaining) = try fetch(from: store) else {
      Issue.record("nothing waits")
      return
    }
    #expect(read.count == 1)
    #expect(remaining == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func refusedNotificationsAreCountedUntilTheDayEnds(kind: StoreKind) throws {
    let store = try pairedStore(kind) { $0.notificationsADay = 1 }
    _ = try send("one", to: store)
    for errors in Int64(1)...3 {
      guard case .overLimit(let counts) = try send("more", to: store) else {
        Issue.record("a second notification is accepted")
        return
      }
      #expect(counts.errors == errors)
    }
    guard case .accepted(let counts) = try send("two", to: store, at: Day(of: now).end) else {
      Issue.record("the next day has no notification")
      return
    }
    #expect(counts.errors == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func requestsOfOneTransactionAreCountedOneByOne(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    let outcomes = try store.perform((0..<151).map { _ in try token.push("one") }, at: now)
    #expect(outcomes.count == 151)
    #expect(outcomes[149] == .accepted(counts(150, 0)))
    #expect(outcomes[150] == .overLimit(counts(150, 1)))
  }

  @Test(arguments: StoreKind.allCases)
  func eachTransactionBeginsWithANonceThatNoOneCanForetell(kind: StoreKind) throws {
    let store = try pairedStore(kind)
    _ = try store.perform([token.push("one"), token.push("two")], at: now)
    _ = try send("three", to: store)
    let outcome = try fetch(from: store)
    guard case .waiting(let all, _) = outcome else {
      Issue.record("\(outcome as Any)")
      return
    }
    let nonces = all.map { Array($0.sealed.dropFirst(80).prefix(24)) }
    #expect(Set(nonces).count == 3)
    var following = nonces[1]
    unsafe sodium_increment(&following, following.count)
    #expect(nonces[2] != following)
  }

  @Test(arguments: StoreKind.allCases)
  func nothingThatAPersonWroteIsInTheFile(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    do {
      let store = try pairedStore(place)
      _ = try send("sesame-opens", to: store)
    }
    let files = try place.content()
    for bytes in files {
      for secret in ["sesame-opens", token.text, token.pushToken] {
        #expect(bytes.firstRange(of: Data(secret.utf8)) == nil)
      }
    }
    #expect(files.contains { $0.firstRange(of: Data("boat".utf8)) != nil })
  }

  @Test func aFileThatIsNoStoreSaysWhatToDo() throws {
    let place = try StorePlace(.file)
    try Data("not a database, and longer than a header of SQLite".utf8)
      .write(to: URL(filePath: place.path))
    let failure = #expect(throws: StoreFailure.self) { try place.store() }
    #expect(failure?.description.contains("restore the store from its backup") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func aStoreOfANewerVersionIsLeftAlone(kind: StoreKind) throws {
    let place = try StorePlace(kind)
    if let server = place.server {
      try server.send("SET", "homeward:version", "99")
    } else {
      try Database(place.path).execute("PRAGMA user_version = 99")
    }
    let failure = #expect(throws: StoreFailure.self) { try place.store() }
    #expect(failure?.description.contains("newer version") == true)
  }
}
