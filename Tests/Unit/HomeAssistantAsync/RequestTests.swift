import Bytes
import FoundationEssentials
import HomeAssistant
import HomeAssistantAsync
import HomeAssistantTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct RequestTests {
  @Test func theFirstRequestConnectsAndGetsItsAnswer() async throws {
    let (client, home) = ScriptedHome.make()
    async let user = client.send(.currentUser)
    await home.until { $0.socket == .opening }
    await home.play { $0.acceptConnection() }
    await home.answer("auth/current_user", with: ["id": "abc", "name": "Ada"])
    #expect(try await user.name == "Ada")
  }

  @Test func aRefusalSaysWhatHomeAssistantSays() async {
    let (client, home) = await ScriptedHome.makeReady()
    async let answer = failure { try await client.send(.config) }
    await home.until { $0.messageTypes == ["get_config"] }
    await home.play { $0.refuse(code: "unauthorized", message: "Unauthorized") }
    #expect(await answer == .server(code: "unauthorized", message: "Unauthorized"))
  }

  @Test func anAnswerOfAnotherShapeIsNamed() async {
    let (client, home) = await ScriptedHome.makeReady()
    async let answer = failure { try await client.send(.currentUser) }
    await home.answer("auth/current_user", with: ["name": "Ada"])
    #expect(await answer == .decoding(.missingKey("id")))
  }

  @Test func whatIsTooLargeEndsBeforeItIsWaitedFor() async {
    let (client, home) = await ScriptedHome.makeReady()
    let text = Text([UInt8](repeating: UInt8(ascii: "a"), count: Session.messageByteCountMax))
    let answer = await failure { try await client.send(RawRequest("echo", ["text": .text(text)])) }
    #expect(answer == .tooLarge)
    #expect(await home.play { $0.deeds.isEmpty })
  }

  /// Their names are equal to Swift, and not to Home Assistant.
  @Test func entitiesThatOnlySwiftCannotTellApartAreNoTrap() async throws {
    let (client, home) = await ScriptedHome.makeReady()
    async let states = client.history(of: ["sensor.x"], from: Date(timeIntervalSince1970: 0))
    await home.answer(
      "history/history_during_period", with: ["sensor.caf\u{e9}": [], "sensor.cafe\u{301}": []])
    #expect(try await states == ["sensor.caf\u{e9}": []])
  }

  // MARK: REST

  @Test func aCallOfTheRESTAPINeedsNoWebSocket() async throws {
    let (client, home) = ScriptedHome.make()
    async let text = client.send(REST.template("{{ 1 + 1 }}"))
    await home.until { $0.call != nil }
    await home.play { driver in
      driver.call.map { driver.answerHTTP($0.id, mediaType: "text/plain", body: "2") }
    }
    #expect(try await text == "2")
    #expect(await home.play { $0.socket } == .closed)
  }

  // MARK: Binary messages

  @Test func soundIsSentOverAConnectionOnly() async {
    let (client, home) = ScriptedHome.make()
    #expect(await client.sendBinary([1, 2]) == false)
    await client.connect()
    await home.play {
      $0.acceptConnection()
      $0.removeDeeds()
    }
    #expect(await client.sendBinary([1, 2]))
    #expect(await home.play { $0.deeds } == [.sentBinary([1, 2])])
  }
}

/// How a request failed, or why a loop over events ended; nil where it did not, or ended in order.
func failure(_ body: () async throws -> some Any) async -> RequestError? {
  do {
    _ = try await body()
    return nil
  } catch let error as RequestError {
    return error
  } catch {
    Issue.record("an error of another type: \(error)")
    return nil
  }
}

extension ScriptedDriver {
  /// The last call of the REST API.
  var call: HTTPCall? {
    for case .sentHTTP(let call) in deeds.reversed() { return call }
    return nil
  }

  /// How often a message of this type was sent since the last look.
  func count(of type: String) -> Int { messageTypes.count { $0 == type } }
}
