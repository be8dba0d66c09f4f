import Bytes
import HomeAssistant
import HomeAssistantAsync
import Testing

/// Over real sockets, on threads of the clients' own.
@Suite(.timeLimit(.minutes(10))) struct NetworkTests {
  private let house: PracticeHouse

  init() throws { house = try PracticeHouse() }

  private func makeClient(token: String? = nil) throws(StartError) -> AsyncClient {
    var policy = SessionPolicy()
    policy.reconnectWaits = [.zero, .milliseconds(10)]
    return try AsyncClient(
      address: house.url, credential: .accessToken([UInt8]((token ?? house.token).utf8)),
      policy: policy)
  }

  /// Every event of a type of these tests' own.
  private static let marks = RawSubscription("subscribe_events", ["event_type": "mark"])

  private func fire(_ number: Int64, with client: AsyncClient) async throws {
    try await client.send(.fireEvent("mark", data: ["number": .number(JSONNumber(number))]))
  }

  private func number(of event: JSON) -> Int64 {
    event["data"]?.get("number", orOnFailure: -1) ?? -1
  }

  // MARK: Requests

  @Test func commandsAndCallsAreAnswered() async throws {
    let client = try makeClient()
    let user = try await client.send(.currentUser)
    #expect(user.name == "Practice")
    let config = try await client.send(.config)
    #expect(try await client.send(REST.config).version == config.version)
    #expect(await client.state == .ready(ServerVersion(config.version)))
  }

  @Test func theAddressMayEndWithASlash() async throws {
    let client = try AsyncClient(
      address: house.url + "/", accessToken: house.token)
    _ = try await client.send(.config)
    _ = try await client.send(REST.config)
  }

  @Test(arguments: ["", "http://", "homeassistant.local:8123", "http://a b", "ftp://a"])
  func whatIsNoAddressIsSaid(address: String) {
    #expect(throws: StartError.invalidAddress) {
      try AsyncClient(address: address, accessToken: "a")
    }
  }

  @Test(arguments: ["", "a b", "a\n", "\u{e9}"])
  func whatIsNoTokenIsSaidBeforeItIsSent(token: String) {
    #expect(throws: StartError.invalidToken) {
      try AsyncClient(address: house.url, accessToken: token)
    }
  }

  @Test func aRefusedTokenIsSentOnce() async throws {
    let client = try makeClient(token: "another")
    #expect(await failure { try await client.send(.config) } == .rejected)
    #expect(await failure { try await client.send(.config) } == .rejected)
    #expect(house.refusedTokens == 1)
  }

  @Test func thousandsOfRequestsAtOnceEachGetTheirAnswer() async throws {
    let client = try makeClient()
    let events = await client.events(of: Self.marks)
    let count: Int64 = 1000
    async let numbers = events.prefix(Int(count)).reduce(into: Set<Int64>()) {
      $0.insert(number(of: $1))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask { try await fire(number, with: client) }
        group.addTask {
          let user = try await client.send(.currentUser)
          #expect(user.name == "Practice")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await numbers == Set(0..<count))
  }

  // MARK: Subscriptions

  @Test func aSubscriptionOutlivesARestart() async throws {
    let client = try makeClient()
    var states = await client.states.makeAsyncIterator()
    var events = await client.events(of: Self.marks).makeAsyncIterator()
    try await fire(1, with: client)
    #expect(number(of: try #require(try await events.next())) == 1)
    house.stop()
    while let state = await states.next() { if case .down(.retrying) = state { break } }
    let returned = try house.returned()
    defer { returned.stop() }
    while let state = await states.next() { if case .ready = state { break } }
    try await fire(2, with: client)
    #expect(number(of: try #require(try await events.next())) == 2)
  }

  // MARK: The end

  @Test func aCancelledCallMakesRoomForTheNext() async throws {
    let client = try makeClient()
    house.hang(true)
    let task = Task { await failure { try await client.send(REST.config) } }
    await house.untilCalled()
    task.cancel()
    #expect(await task.value == .cancelled)
    house.hang(false)
    _ = try await client.send(REST.config)
  }

  @Test func closingInTheMidstEndsEveryRequest() async throws {
    let client = try makeClient()
    let events = await client.events(of: Self.marks)
    let answers = await withTaskGroup(of: RequestError?.self) { group in
      for number in 0..<500 {
        group.addTask { await failure { try await fire(Int64(number), with: client) } }
      }
      group.addTask { await failure { try await client.send(REST.config) } }
      // One has its answer, most have not.
      var answers = [await group.next() ?? nil]
      await client.close()
      for await answer in group { answers.append(answer) }
      return answers
    }
    #expect(answers.allSatisfy { $0 == nil || $0 == .cancelled })
    #expect(await failure { for try await _ in events {} } == nil)
    await house.untilLeft()
  }

  /// The thread has the connection, which ends with it.
  @Test func theEndOfTheLastReferenceEndsTheConnection() async throws {
    do {
      let client = try makeClient()
      _ = try await client.send(.config)
    }
    await house.untilLeft()
  }
}
