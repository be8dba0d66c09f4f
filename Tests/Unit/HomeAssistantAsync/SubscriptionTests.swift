import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

@testable import HomeAssistantAsync

@Suite(.timeLimit(.minutes(10))) struct SubscriptionTests {
  private static let tags = RawSubscription("subscribe_events", ["event_type": "tag_scanned"])

  /// A subscription that Home Assistant accepted, under this number.
  private func subscribe(
    _ client: AsyncClient, _ home: ScriptedHome, to subscription: RawSubscription = tags
  ) async -> (EventSequence<JSON>, Int64) {
    let events = await client.events(of: subscription)
    await home.until { $0.messageTypes.contains("subscribe_events") }
    let id = await home.play { driver -> Int64 in
      let id = driver.lastMessageID
      driver.answer(id)
      driver.removeDeeds()
      return id
    }
    return (events, id)
  }

  private func tell(_ home: ScriptedHome, _ events: JSON..., of id: Int64) async {
    await home.play { driver in for event in events { driver.tell(event, of: id) } }
  }

  // MARK: The end

  @Test func eventsComeInOrderAndTheEndOfTheLoopUnsubscribes() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    let (events, id) = await subscribe(client, home)
    await tell(home, 1, 2, 3, 4, of: id)
    var read: [JSON] = []
    for try await event in events {
      read.append(event)
      if read.count == 3 { break }
    }
    #expect(read == [1, 2, 3])
    await home.until { $0.count(of: "unsubscribe_events") == 1 }
    // The sequence is still here, and its end does not unsubscribe once more.
    _ = consume events
    await client.disconnect()
    #expect(await home.play { $0.count(of: "unsubscribe_events") } == 1)
  }

  @Test func theEndOfTheTaskUnsubscribes() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    let (events, id) = await subscribe(client, home)
    let task = Task {
      var count = 0
      for try await _ in events { count += 1 }
      return count
    }
    await tell(home, 1, of: id)
    task.cancel()
    #expect(try await task.value <= 1)
    await home.until { $0.count(of: "unsubscribe_events") == 1 }
  }

  @Test func aSequenceWithoutAReaderUnsubscribesWithItsEnd() async {
    let (client, home) = await ScriptedHome.makeReady()
    do { _ = await subscribe(client, home) }
    await home.until { $0.count(of: "unsubscribe_events") == 1 }
  }

  // MARK: Too many

  @Test func asManyEventsAsPromisedWaitForASlowReader() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    let (events, id) = await subscribe(client, home)
    let count = EventSequence<JSON>.waitingMax
    await home.play { driver in for _ in 0..<count { driver.tell(true, of: id) } }
    var iterator = events.makeAsyncIterator()
    for _ in 0..<count { #expect(try await iterator.next() == true) }
    await tell(home, "one more", of: id)
    #expect(try await iterator.next() == "one more")
  }

  @Test func aReaderThatIsTooSlowIsTold() async {
    let (client, home) = await ScriptedHome.makeReady()
    let (events, id) = await subscribe(client, home)
    let count = EventSequence<JSON>.waitingMax + 100
    await home.play { driver in for _ in 0..<count { driver.tell(true, of: id) } }
    await home.until { $0.count(of: "unsubscribe_events") == 1 }
    var readCount = 0
    let end = await failure {
      for try await _ in events { readCount += 1 }
    }
    #expect(end == .overrun)
    #expect(readCount == EventSequence<JSON>.waitingMax + 1)
  }

  @Test func nothingComesAfterAnError() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    let events = await client.events(of: .events("tag_scanned"))
    await home.answer("subscribe_events")
    await home.play { driver in driver.tell(["no": "event"]) }
    var iterator = events.makeAsyncIterator()
    await #expect(throws: RequestError.decoding(.missingKey("event_type"))) {
      _ = try await iterator.next()
    }
    #expect(try await iterator.next() == nil)
  }

  // MARK: Refusals

  @Test func aRefusalEndsTheLoop() async {
    let (client, home) = await ScriptedHome.makeReady()
    let events = await client.events(of: Self.tags)
    await home.until { $0.messageTypes == ["subscribe_events"] }
    await home.play { $0.refuse(code: "unauthorized") }
    #expect(await end(of: events) == .server(code: "unauthorized", message: ""))
  }

  @Test func aRefusalAfterARestartDoesNot() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    let (events, _) = await subscribe(client, home)
    await home.play { driver in
      driver.endConnection()
      driver.advanceToDeadline()
      driver.acceptConnection()
      driver.refuse(driver.messageID(ofType: "subscribe_events"), code: "not_found")
      driver.removeDeeds()
      driver.advance(by: SessionPolicy().resubscribeDelay)
    }
    await home.answer("subscribe_events")
    await home.play { $0.tell("again") }
    var iterator = events.makeAsyncIterator()
    #expect(try await iterator.next() == "again")
  }

  @Test func aRunThatIsNotRepeatedEndsWithItsConnection() async {
    let (client, home) = await ScriptedHome.makeReady()
    let run = RawSubscription("subscribe_events", isResubscribed: false)
    let (events, _) = await subscribe(client, home, to: run)
    await home.play { $0.endConnection() }
    #expect(await end(of: events) == .disconnected)
  }

  @Test func aRefusedTokenEndsTheLoop() async {
    let (client, home) = ScriptedHome.make()
    let events = await client.events(of: Self.tags)
    await home.until { $0.socket == .opening }
    await home.play { $0.giveToken(.rejected("log in again")) }
    #expect(await end(of: events) == .rejected)
    #expect(await end(of: client.events(of: Self.tags)) == .rejected)
  }

  private func end(of events: EventSequence<JSON>) async -> RequestError? {
    await failure { for try await _ in events {} }
  }
}
