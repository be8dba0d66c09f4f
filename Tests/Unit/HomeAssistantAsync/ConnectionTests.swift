import Bytes
import HomeAssistant
import HomeAssistantAsync
import HomeAssistantTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  @Test func theStatesAreToldFromTheFirstOn() async {
    let (client, home) = ScriptedHome.make()
    let states = await client.states
    await client.connect()
    await home.play { $0.acceptConnection(version: "2025.4.4") }
    await client.disconnect()
    await client.close()
    let told = await states.reduce(into: []) { $0.append($1) }
    #expect(
      told == [
        .down(.idle), .connecting, .authenticating, .ready(ServerVersion("2025.4.4")), .down(.idle),
      ])
  }

  @Test func anotherNetworkEndsAWait() async {
    let (client, home) = ScriptedHome.make()
    await client.connect()
    await home.play { driver in
      driver.endConnection(.unreachable("no route"))
      driver.advanceToDeadline()
      driver.endConnection(.unreachable("no route"))
    }
    await client.networkChanged()
    #expect(await home.play { $0.socket } == .opening)
  }

  @Test func theLatencyIsThatOfTheLastPing() async {
    let (client, home) = await ScriptedHome.makeReady()
    #expect(await client.latency == nil)
    await home.play { driver in
      driver.advance(by: SessionPolicy().pingInterval)
      driver.sleep(for: .milliseconds(20))
      driver.pong()
    }
    #expect(await client.latency == .milliseconds(20))
  }

  // MARK: Closing

  @Test func closingEndsAllThatWaits() async {
    let (client, home) = await ScriptedHome.makeReady()
    async let command = failure { try await client.send(RawRequest("a", retry: .never)) }
    async let call = failure { try await client.send(REST.config) }
    let events = await client.events(of: .stateChanges)
    async let end = failure { for try await _ in events {} }
    await home.until { $0.messages.count == 2 && $0.call != nil }
    await client.close()
    #expect(await command == .cancelled)
    #expect(await call == .cancelled)
    #expect(await end == nil)
    #expect(await home.play { $0.socket } == .closed)
  }

  @Test func aClosedClientStaysClosed() async {
    let (client, home) = await ScriptedHome.makeReady()
    await client.close()
    await home.play { $0.removeDeeds() }
    #expect(await failure { try await client.send(.config) } == .cancelled)
    #expect(await failure { try await client.send(REST.config) } == .cancelled)
    for await state in await client.states { #expect(state == .down(.idle)) }
    let events = await client.events(of: .stateChanges)
    #expect(
      await failure { for try await _ in events {} } == nil)
    await client.connect()
    #expect(await home.play { $0.deeds.isEmpty })
  }

  @Test func theEndOfTheLastReferenceEndsTheThread() async throws {
    let home: ScriptedHome
    do {
      let client: AsyncClient
      (client, home) = await ScriptedHome.makeReady()
      async let config = client.send(RawRequest("get_config"))
      await home.answer("get_config")
      _ = try await config
      _ = await client.events(of: .stateChanges)
    }
    await home.untilStopped()
  }
}
