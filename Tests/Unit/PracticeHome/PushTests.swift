import Testing

@testable import PracticeHome

@Suite struct PushTests {
  private static let channel = "mobile_app/push_notification_channel"
  private static let confirm = "mobile_app/push_notification_confirm"
  private static let notConnected = "Device not connected to local push notifications"

  /// A device that takes notifications over its socket.
  private func device(_ release: String = "2025.4.4") throws -> Caller.Place {
    var household = Household()
    household.release = try #require(Release(release))
    return Caller.Place(
      Visitor(household, changes: ["app_data": ["push_websocket_channel": false]]))
  }

  private func webhook(_ place: Caller.Place) -> JSONObject {
    ["webhook_id": .string(place.visitor.webhookID)]
  }

  private func open(_ caller: Caller, _ place: Caller.Place, confirms: Bool = false) -> Int128 {
    caller.command(
      Self.channel, webhook(place).merging(["support_confirm": .bool(confirms)]))
  }

  @discardableResult
  private func notify(
    _ place: Caller.Place, _ data: JSONObject = ["message": "m"],
    service: String = "mobile_app_boat"
  ) -> Response {
    let request = Request(
      method: "POST", path: "/api/services/notify/\(service)",
      headers: [(name: "Authorization", value: "Bearer practice")], body: JSON.object(data).bytes)
    return place.home.answer(request, now: place.now)
  }

  @Test func aNotificationArrivesUnderTheIdOfItsChannel() throws {
    let place = try device()
    let caller = place.call()
    let id = open(caller, place)
    #expect(caller.all().last?["result"] == .null)
    #expect(notify(place, ["message": 5, "title": "T", "data": ["z": 1]]).status == 200)
    #expect(caller.events(id) == [["message": "5", "title": "T", "data": ["z": 1]]])
    notify(place, ["message": "m", "title": "Home Assistant"])
    notify(place, ["message": "{{ 1 }}", "title": ""])
    #expect(caller.events(id) == [["message": "m"], ["message": "{{ 1 }}"]])
    #expect(notify(place, [:]).status == 400)
    #expect(notify(place, ["message": "m", "data": []]).status == 400)
    #expect(notify(place, service: "mobile_app_ship").status == 400)
    place.pass(.seconds(54))
    notify(place)
    #expect(caller.events(id).count == 1, "without confirmations nothing is dropped")
  }

  @Test func anAbsentDeviceIsAnErrorForEachCaller() throws {
    let place = try device()
    #expect(notify(place).status == 500)
    let caller = place.call()
    let call: JSONObject = [
      "domain": "notify", "service": "mobile_app_boat", "service_data": ["message": "m"],
    ]
    #expect(caller.error("call_service", call) == ("home_assistant_error", Self.notConnected))
    #expect(place.visitor.send("call_service", .object(call)) == .noBody)
  }

  @Test func aConfirmedNotificationKeepsItsChannel() throws {
    let place = try device()
    let (caller, other) = (place.call(), place.call())
    let id = open(caller, place, confirms: true)
    _ = caller.all()
    notify(place)
    let confirmation = try #require(caller.events(id).first?["hass_confirm_id"])
    #expect(confirmation.string?.count == 32)
    place.pass(.milliseconds(9_999))
    let content = webhook(place).merging(["confirm_id": confirmation])
    #expect(other.ask(Self.confirm, content)?["success"] == true, "from whichever socket")
    #expect(
      other.error(Self.confirm, content) == ("not_found", "Push notification channel not found"))
    place.pass(.seconds(30))
    notify(place)
    #expect(caller.events(id).count == 1)
  }

  @Test func aNotificationUnconfirmedForTenSecondsDropsItsChannelSilently() throws {
    let place = try device()
    let caller = place.call()
    let id = open(caller, place, confirms: true)
    _ = caller.all()
    notify(place)
    let confirmation = try #require(caller.events(id).first?["hass_confirm_id"])
    place.pass(.seconds(10))
    #expect(caller.end == nil)
    #expect(caller.all().isEmpty)
    #expect(notify(place).status == 500)
    let content = webhook(place).merging(["confirm_id": confirmation])
    #expect(caller.error(Self.confirm, content).code == "not_found")
    let again = open(caller, place, confirms: true)
    _ = caller.all()
    notify(place)
    #expect(caller.events(again).count == 1, "subscribing anew mends it")
  }

  @Test func aClosedSocketTakesItsChannelAlong() throws {
    let place = try device()
    let caller = place.call()
    _ = open(caller, place)
    caller.hangUp()
    #expect(notify(place).status == 500)
    #expect(
      place.home.journal.contains { $0.event == .occurred(.channelClosed(.left)) })
  }

  @Test func whatIsWrongWithASubscriptionIsSaid() throws {
    let place = try device()
    let caller = place.call()
    #expect(caller.error(Self.channel).code == "invalid_format")
    #expect(
      caller.error(Self.channel, ["webhook_id": "x"]) == ("not_found", "Webhook ID not found"))
    #expect(
      caller.error(Self.channel, webhook(place).merging(["support_confirm": 1])).code
        == "invalid_format")
    #expect(
      caller.error(Self.confirm, webhook(place).merging(["confirm_id": "x"]))
        == ("not_found", "Push notification channel not found"))
  }

  @Test func theActionComesGoesAndMovesWithItsDevice() throws {
    let place = try device()
    let caller = place.call()
    let actions = { caller.result("get_services")?["notify"]?.object?.keys ?? [] }
    #expect(actions().contains("mobile_app_boat"))
    let update: JSONObject = [
      "app_version": "1", "device_name": "Größe 2", "manufacturer": "a", "model": "b",
    ]
    place.visitor.send("update_registration", .object(update))
    #expect(actions().contains("mobile_app_grosse_2"))
    #expect(!actions().contains("mobile_app_boat"))
    place.visitor.send("update_registration", .object(update.merging(["app_data": [:]])))
    #expect(actions() == ["notify", "persistent_notification"])
  }

  @Test(arguments: [("2025.12.0", 0), ("2026.3.0", 1)])
  func oneAbsentDeviceKeepsANotificationFromTheOthersBefore2026(
    release: String, count: Int
  ) throws {
    let place = try device(release)
    let present: JSONObject = [
      "device_id": "board-2", "device_name": "Ship",
      "app_data": ["push_websocket_channel": true],
    ]
    place.visitor.register(changes: present)
    let caller = place.call()
    let id = open(caller, place)
    _ = caller.all()
    #expect(notify(place, service: "notify").status == 500)
    #expect(caller.events(id).count == count)
  }

  @Test func anAddressToPostToHidesThatNothingArrives() {
    let place = Caller.Place(
      Visitor(changes: ["app_data": ["push_token": "t", "push_url": "http://a/"]]))
    #expect(notify(place).status == 200)
    #expect(place.home.journal.contains { $0.event == .occurred(.notificationPosted) })
  }
}

@Suite struct SocketWebhookTests {
  @Test func aSealedMessageThatComesAsACommandIsCounted() {
    let place = Caller.Place()
    let caller = place.call()
    let message: JSON = [
      "type": "update_sensor_states", "encrypted": true,
      "encrypted_data": .string(place.visitor.seal("[]")),
    ]
    let content: JSONObject = [
      "webhook_id": .string(place.visitor.webhookID), "body": .string(message.text),
    ]
    #expect(
      caller.error("webhook/handle", content.merging(["method": "PATCH"])).code == "invalid_format")
    #expect(caller.ask("webhook/handle", content.merging(["method": "POST"]))?["success"] == true)
    #expect(place.home.counters.sealed == 1)
  }
}
