import Testing

@testable import PracticeHome

@Suite struct RestartTests {
  @Test func aHomeThatStartsIsFirstWithoutPathsThenWithoutWebhooks() {
    var visitor = Visitor()
    visitor.home.restart(now: visitor.now, Startup(deaf: .seconds(2), silent: .seconds(5)))
    #expect(visitor.send("get_zones", [:]).status == 404)
    #expect(visitor.lastRefusal == .notLoaded)
    #expect(
      visitor.ask(Request(method: "POST", path: "/api/mobile_app/registrations")).status == 404)
    visitor.now = visitor.now + .seconds(2)
    #expect(visitor.send("get_zones", [:]) == .noBody)
    #expect(visitor.lastRefusal == .stillStarting)
    visitor.now = visitor.now + .seconds(5)
    #expect(visitor.send("get_zones", [:]).opened != nil)
  }

  @Test func socketsEndWithItAndChannelsAreForgotten() {
    let place = Caller.Place()
    let caller = place.call()
    let id: JSONObject = ["webhook_id": .string(place.visitor.webhookID)]
    _ = caller.ask("mobile_app/push_notification_channel", id)
    place.home.restart(now: place.now, Startup(deaf: .seconds(2), silent: .seconds(5)))
    place.deliver()
    #expect(caller.end == .close(.normal))
    #expect(place.home.channels.isEmpty)
    let early = place.call()
    #expect(
      early.error("mobile_app/push_notification_channel", id).code == "unknown_command")
    place.visitor.now = place.now + .seconds(3)
    #expect(
      early.error("mobile_app/push_notification_channel", id)
        == ("not_found", "Webhook ID not found"))
    place.visitor.now = place.now + .seconds(5)
    #expect(early.ask("mobile_app/push_notification_channel", id)?["success"] == true)
  }

  @Test func tokensOutliveItAndLoginsDoNot() {
    let guest = Guest()
    let tokens = guest.logIn()
    guest.begin()
    guest.home.restart(now: guest.now)
    #expect(guest.enter().status == 404)
    #expect(guest.opens(tokens.access))
    #expect(guest.refresh(tokens.refresh).status == 200)
  }
}

@Suite struct AccidentTests {
  @Test func aDroppedChannelIsNoticedByTheNotifierOnly() {
    let place = Caller.Place(Visitor(changes: ["app_data": ["push_websocket_channel": 1]]))
    let caller = place.call()
    _ = caller.ask(
      "mobile_app/push_notification_channel", ["webhook_id": .string(place.visitor.webhookID)])
    place.home.suffer(.dropChannels, now: place.now)
    place.deliver()
    #expect(caller.all().isEmpty)
    #expect(caller.end == nil)
    #expect(
      caller.error(
        "call_service",
        [
          "domain": "notify", "service": "mobile_app_boat", "service_data": ["message": "m"],
        ]
      ).code == "home_assistant_error")
  }

  @Test func everySocketIsClosed() {
    let place = Caller.Place()
    let callers = [place.call(), place.call(), Caller(place)]
    place.home.suffer(.closeSockets, now: place.now)
    place.deliver()
    #expect(callers.map(\.end) == [.close(.normal), .close(.normal), .close(.normal)])
    _ = place.call()
  }

  @Test func aChangedKeyOpensNothingAnyMore() {
    var visitor = Visitor()
    #expect(visitor.send("get_zones", [:]).opened != nil)
    visitor.home.suffer(.changeKeys, now: visitor.now)
    #expect(visitor.send("get_zones", [:]) == .silence)
    #expect(visitor.lastReason?.contains("does not open") == true)
  }

  @Test func aDeletedRegistrationIsSilentUntilARestartAndThenGone() {
    var visitor = Visitor()
    visitor.home.suffer(.deleteRegistrations, now: visitor.now)
    #expect(visitor.send("get_zones", [:]) == .noBody)
    visitor.home.suffer(.restart, now: visitor.now)
    visitor.now = visitor.now + .seconds(7)
    #expect(visitor.send("get_zones", [:]).status == 410)
  }

  @Test func aHomeWithoutWebSocketsAnswers404() {
    var home = Home()
    home.fault = .noWebSocket
    let now = Moment(seconds: 0)
    #expect(home.answer(FrameTests.handshake([:]), now: now).status == 404)
    home.fault = nil
    #expect(home.answer(FrameTests.handshake([:]), now: now).status == 101)
  }

  @Test func aHomeThatHangsDoesNotAnswerItsSocketsEither() {
    let place = Caller.Place()
    let caller = place.call()
    place.home.fault = .hang
    caller.say(["id": 1, "type": "ping"])
    #expect(caller.all().isEmpty)
    place.home.fault = .starting
    let result = caller.result("webhook/handle", ["webhook_id": "x", "method": "POST"])
    #expect(result?["body"] == .null)
  }
}
