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

  @Test(arguments: [
    ("5", "expected a dictionary. Got 5"),
    (
      #"{"id":1,"type":"auth","access_token":"practice"}"#,
      "extra keys not allowed @ data['id']. Got 1"
    ),
    (#"{"type":"ping"}"#, "not a valid value for dictionary value @ data['type']. Got 'ping'"),
    (
      #"{"type":"auth","access_token":5}"#,
      "expected str for dictionary value @ data['access_token']. Got 5"
    ),
  ])
  func theFirstMessageHasOneShape(text: String, complaint: String) {
    let place = Caller.Place()
    let caller = Caller(place)
    _ = caller.all()
    caller.say(raw: text)
    #expect(
      caller.all() == [
        [
          "type": "auth_invalid",
          "message": .string("Auth message incorrectly formatted: \(complaint)"),
        ]
      ])
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

  @Test func whatIsNotJSONEndsItWithoutAWord() {
    for caller in [Caller(Caller.Place()), Caller.Place().call()] {
      _ = caller.all()
      caller.say(raw: "{")
      #expect(caller.all().isEmpty)
      #expect(caller.end == .close(.normal))
    }
  }

  @Test func bytesAreNoCommandAndNoBytesAreAMistake() {
    let place = Caller.Place()
    let caller = place.call()
    caller.say(bytes: [5, 6])
    #expect(caller.end == nil)
    #expect(caller.all().isEmpty)
    caller.say(bytes: [])
    #expect(caller.end == .close(.normal))
    let stranger = Caller(place)
    stranger.say(bytes: [5])
    #expect(stranger.end == .close(.normal))
  }

  @Test func idsMustRise() {
    let caller = Caller.Place().call()
    caller.say(["id": 7, "type": "ping"])
    #expect(caller.all() == [["id": 7, "type": "pong"]])
    for id: JSON in [7, 6] {
      caller.say(["id": id, "type": "ping"])
      #expect(caller.all().first?["error"]?["code"] == "id_reuse")
    }
    caller.say(["id": 8, "type": "nope"])
    #expect(caller.all().first?["error"]?["code"] == "unknown_command")
    caller.say(["id": 8, "type": "ping"])
    #expect(
      caller.all() == [["id": 8, "type": "pong"]], "an unknown command does not use its id up")
    caller.say(["id": 9, "type": "ping", "x": 1])
    #expect(caller.all().first?["error"]?["code"] == "invalid_format")
    caller.say(["id": 9, "type": "ping"])
    #expect(caller.all().first?["error"]?["code"] == "id_reuse", "a failed one does")
  }

  @Test(
    arguments: [
      ("5", 0), ("{}", nil), (#"{"id":1.0,"type":"ping"}"#, 1.0), (#"{"id":1}"#, 1),
    ] as [(String, JSON)])
  func whatIsNoCommandIsToldSoWithItsId(text: String, id: JSON) {
    let caller = Caller.Place().call()
    caller.say(raw: text)
    #expect(
      caller.all() == [
        [
          "id": id, "type": "result", "success": false,
          "error": ["code": "invalid_format", "message": "Message incorrectly formatted."],
        ]
      ])
    #expect(caller.end == nil)
  }

  @Test func aListOfCommandsIsAnsweredOneByOneUntilListsAreAskedFor() {
    let caller = Caller.Place().call()
    caller.say([["id": 1, "type": "ping"], ["id": 2, "type": "ping"]])
    #expect(caller.all() == [["id": 1, "type": "pong"], ["id": 2, "type": "pong"]])
    caller.say([
      "id": 3, "type": "supported_features", "features": ["coalesce_messages": 1],
    ])
    #expect(
      caller.all() == [["id": 3, "type": "result", "success": true, "result": nil]])
    caller.say([["id": 4, "type": "ping"], ["id": 5, "type": "ping"]])
    #expect(caller.all() == [[["id": 4, "type": "pong"], ["id": 5, "type": "pong"]]])
    caller.say(["id": 6, "type": "supported_features", "features": [:]])
    _ = caller.all()
    caller.say([["id": 7, "type": "ping"], ["id": 8, "type": "ping"]])
    #expect(caller.all().count == 1, "once on, it stays on")
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
