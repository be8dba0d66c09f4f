import Testing

@testable import PracticeHome

@Suite struct SessionTests {
  @Test func aBadTokenIsRefusedAndCounts() {
    let place = Caller.Place()
    let caller = Caller(place)
    _ = caller.all()
    caller.say(["type": "auth", "access_token": "nope"])
    #expect(
      caller.all() == [
        ["type": "auth_invalid", "message": "Invalid access token or password"]
      ])
    #expect(caller.end == .close(.normal))
    #expect(place.home.door.failureCount == 1)
    _ = place.call()
    #expect(place.home.door.failureCount == 0, "an accepted one begins anew")
  }

  @Test func aFirstMessageOfAnotherShapeDoesNotCount() {
    let place = Caller.Place()
    let caller = Caller(place)
    caller.say(["type": "auth", "access_token": 5])
    #expect(caller.end == .close(.normal))
    #expect(place.home.door.failureCount == 0)
  }

  @Test func whoSaysNothingForTenSecondsIsSentAway() {
    let place = Caller.Place()
    let silent = Caller(place)
    let guest = place.call()
    place.pass(.milliseconds(9_999))
    #expect(silent.end == nil)
    place.pass(.milliseconds(1))
    #expect(silent.end == .close(.normal))
    #expect(guest.end == nil)
  }

  @Test func aStrangerWhoSaysNoJSONIsSentAwayWithoutAWord() {
    for say in [{ $0.say(raw: "{") }, { $0.say(bytes: [5]) }] as [(Caller) -> Void] {
      let stranger = Caller(Caller.Place())
      _ = stranger.all()
      say(stranger)
      #expect(stranger.all().isEmpty)
      #expect(stranger.end == .close(.normal))
    }
  }

  @Test func anUnknownCommandDoesNotUseItsIdUpAndOneThatFailsDoes() {
    let caller = Caller.Place().call()
    caller.say(["id": 8, "type": "nope"])
    caller.say(["id": 8, "type": "ping"])
    #expect(caller.all().last == ["id": 8, "type": "pong"])
    caller.say(["id": 9, "type": "ping", "x": 1])
    caller.say(["id": 9, "type": "ping"])
    #expect(caller.all().last?["error"]?["code"] == "id_reuse")
  }

  @Test func whoTookListsOnceTakesThemForGood() {
    let caller = Caller.Place().call()
    caller.command("supported_features", ["features": ["coalesce_messages": 1]])
    caller.command("supported_features", ["features": [:]])
    _ = caller.all()
    caller.say([["id": 3, "type": "ping"], ["id": 4, "type": "ping"]])
    #expect(caller.all().count == 1)
  }

  @Test func aQuietClientIsPingedAndASilentOneIsGivenUp() {
    let place = Caller.Place()
    let (alive, dead) = (place.call(), place.call())
    place.pass(.seconds(55))
    #expect(alive.pingCount == 1)
    #expect(dead.pingCount == 1)
    alive.pong()
    place.pass(.milliseconds(27_499))
    #expect(dead.end == nil)
    place.pass(.milliseconds(1))
    #expect(dead.end == .drop)
    #expect(alive.end == nil)
    place.pass(.milliseconds(27_500))
    #expect(alive.pingCount == 2)
  }

  @Test func aTokenThatEndsDoesNotEndItsSocket() {
    let guest = Guest()
    let tokens = guest.logIn()
    let place = Caller.Place()
    place.home = guest.home
    let caller = Caller(place)
    caller.say(["type": "auth", "access_token": .string(tokens.access)])
    place.pass(.seconds(50))
    caller.pong()
    place.visitor.now = place.now + .seconds(3600)
    caller.say(["id": 1, "type": "ping"])
    #expect(caller.all().last == ["id": 1, "type": "pong"])
    let late = Caller(place)
    late.say(["type": "auth", "access_token": .string(tokens.access)])
    #expect(late.end == .close(.normal))
  }

  @Test func noLineOfTheJournalHoldsATokenOrAWebhookId() {
    let place = Caller.Place()
    let caller = place.call()
    let id = place.visitor.webhookID
    let token =
      caller.result(
        "auth/long_lived_access_token", ["client_name": "Boat", "lifespan": 1])?.string ?? "-"
    _ = caller.ask("mobile_app/push_notification_channel", ["webhook_id": .string(id), "x": 1])
    _ = caller.ask("mobile_app/push_notification_channel", ["webhook_id": .string(id)])
    _ = caller.ask("ping", ["webhook_id": .string(id)])
    _ = caller.ask("config/entity_registry/list")
    let stranger = Caller(place)
    stranger.say(["type": "auth", "access_token": [.string(token)]])
    let lines = place.home.journal.map { EventLine.entry($0).text }
    let texts = place.home.journal.flatMap { PlainLine.entry($0) }
    #expect(lines.contains { $0.contains("channel_opened") })
    for line in lines + texts {
      #expect(!line.contains(id.prefix(20)))
      #expect(!line.contains(token.prefix(60)))
    }
  }
}
