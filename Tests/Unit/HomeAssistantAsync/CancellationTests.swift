import Bytes
import HomeAssistant
import HomeAssistantAsync
import HomeAssistantTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
  @Test func aRequestThatWaitsForAConnectionIsNeverSent() async {
    let (client, home) = ScriptedHome.make()
    let task = Task { await failure { try await client.send(.config) } }
    await home.until { $0.socket == .opening }
    task.cancel()
    #expect(await task.value == .cancelled)
    await home.play { $0.acceptConnection() }
    #expect(await home.play { !$0.messageTypes.contains("get_config") })
  }

  @Test func aLateAnswerToACancelledRequestGoesToNoOtherRequest() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    let task = Task { await failure { try await client.send(.config) } }
    await home.until { $0.messageTypes == ["get_config"] }
    let late = await home.play { $0.lastMessageID }
    task.cancel()
    #expect(await task.value == .cancelled)
    async let user = client.send(.currentUser)
    await home.until { $0.messageTypes.contains("auth/current_user") }
    await home.play { $0.answer(late, with: ["version": "1"]) }
    await home.answer("auth/current_user", with: ["id": "abc", "name": "Ada"])
    #expect(try await user.id == "abc")
  }

  @Test func aTaskThatIsCancelledAlreadyAsksNothing() async {
    let (client, home) = await ScriptedHome.makeReady()
    let answers = await withTaskGroup(of: RequestError?.self) { group in
      group.cancelAll()
      group.addTask { await failure { try await client.send(.config) } }
      group.addTask { await failure { try await client.send(REST.config) } }
      return await group.reduce(into: [RequestError?]()) { $0.append($1) }
    }
    #expect(answers == [.cancelled, .cancelled])
    #expect(await home.play { $0.deeds.isEmpty })
  }

  @Test func aCallIsCancelledOnce() async {
    let (client, home) = ScriptedHome.make()
    let task = Task { await failure { try await client.send(REST.config) } }
    await home.until { $0.call != nil }
    task.cancel()
    #expect(await task.value == .cancelled)
    task.cancel()
    let deeds = await home.play { driver -> [ScriptedDriver.Deed] in
      guard let call = driver.call else { return [] }
      driver.answerHTTP(call.id, body: "{}")
      return driver.deeds.filter { $0 == .cancelledHTTP(call.id) }
    }
    #expect(deeds.count == 1)
  }

  /// A continuation that is resumed twice ends the process; one that is never resumed, this test.
  @Test func anAnswerAndACancellationMayMeet() async {
    let (client, home) = await ScriptedHome.makeReady()
    let count = 1000
    let tasks = (0..<count).map { _ in
      Task { await failure { try await client.send(RawRequest("ping", retry: .never)) } }
    }
    await home.until { $0.messages.count == count }
    async let answering: Void = home.play { driver in
      for message in driver.messages { driver.answer(message.get("id", orOnFailure: 0)) }
    }
    for task in tasks.reversed() { task.cancel() }
    await answering
    for task in tasks {
      let failure = await task.value
      #expect(failure == nil || failure == .cancelled)
    }
  }
}
