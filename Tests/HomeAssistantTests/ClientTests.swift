import Bytes
import HomeAssistant
import HomeAssistantTesting
import Testing

private struct Named: JSONDecodable, Equatable, Sendable {
  let name: Text
  init(json: JSON) throws(JSONDecodingError) { name = try json.get("name") }
}

private struct WhoAmI: Request {
  typealias Response = Named
  let command: Text = "auth/current_user"
  let payload: JSONObject = [:]
  let retry = Retry.within(.seconds(10))
}

private struct Ticks: SubscriptionRequest {
  typealias Event = Named
  let command: Text = "subscribe_ticks"
  let payload: JSONObject = ["every": 5]
  var isResubscribed = true
}

@Suite struct ClientTests {
  @Test func aRequestMadeWhileThereIsNoConnectionOpensOneAndIsAnswered() {
    let driver = ScriptedDriver()
    let client = driver.makeClient()
    var results: [Result<Named, RequestError>] = []
    client.send(WhoAmI()) { results.append($0) }
    #expect(driver.deeds == [.fetchedToken(.connect), .openedSocket])
    driver.acceptConnection()
    #expect(
      driver.messages == [
        ["type": "auth", "access_token": "token"],
        ["id": 1, "type": "supported_features", "features": ["coalesce_messages": 1]],
        ["id": 2, "type": "auth/current_user"],
      ])
    driver.answer(with: ["name": "Ada"])
    driver.answer(2, with: ["name": "twice"])
    #expect(results.map { try? $0.get().name } == ["Ada"])
    #expect(client.state == .ready(ServerVersion("2025.4.4")))
  }

  @Test func aSubscriptionIsMadeAgainOnTheNextConnection() {
    let driver = ScriptedDriver()
    let client = driver.makeClient()
    var names: [Text] = []
    var starts = 0
    let ticks = client.subscribe(Ticks(), onStart: { _ in starts += 1 }) { event in
      if case .success(let event) = event { names.append(event.name) }
    }
    driver.acceptConnection()
    driver.answer()
    driver.tell(["name": "one"])
    driver.endConnection()
    driver.removeDeeds()
    driver.advance(by: .seconds(1))
    #expect(driver.deeds == [.fetchedToken(.connect), .openedSocket])
    driver.acceptConnection()
    driver.answer()
    driver.tell(["name": "two"])
    #expect(names == ["one", "two"])
    #expect(starts == 2)
    driver.removeDeeds()
    ticks.cancel()
    #expect(driver.messages == [["id": 5, "type": "unsubscribe_events", "subscription": 4]])
  }
}
