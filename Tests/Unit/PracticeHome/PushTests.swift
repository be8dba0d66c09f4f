import Testing

@testable import PracticeHome

@Suite struct PushTests {
  private static let channel = "mobile_app/push_notification_channel"
  private static let confirm = "mobile_app/push_notification_confirm"

  /// A device that takes notifications over its socket.
  private func device() -> Caller.Place {
    Caller.Place(Visitor(changes: ["app_data": ["push_websocket_channel": false]]))
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

  @Test func whatIsNotifiedIsTextAndStaysAsItIs() {
    let place = device()
    let caller = place.call()
    let id = open(caller, place)
    _ = caller.all()
    notify(place, ["message": 5])
    notify(place, ["message": "{{ 1 }}", "title": ""])
    #expect(caller.events(id) == [["message": "5"], ["message": "{{ 1 }}"]])
    #expect(notify(place, [:]).status == 400)
    #expect(notify(place, ["message": "m", "data": []]).status == 400)
    #expect(notify(place, service: "mobile_app_ship").status == 400)
    place.pass(.seconds(54))
    notify(place)
    #expect(caller.events(id).count == 1, "without confirmations nothing is dropped")
  }

  @Test func aConfirmedNotificationKeepsItsChannel() throws {
    let place = device()
    let caller = place.call()
    let id = open(caller, place, confirms: true)
    _ = caller.all()
    notify(place)
    let confirmation = try #require(caller.events(id).first?["hass_confirm_id"])
    place.pass(.milliseconds(9_999))
    _ = caller.ask(Self.confirm, webhook(place).merging(["confirm_id": confirmation]))
    place.pass(.seconds(30))
    notify(place)
    #expect(caller.events(id).count == 1)
  }

  @Test func aSubscriptionOfAnotherShapeIsRefused() {
    let place = device()
    let caller = place.call()
    for content in [[:], webhook(place).merging(["support_confirm": 1])] {
      #expect(caller.error(Self.channel, content).code == "invalid_format")
    }
  }

  @Test func oneAbsentDeviceKeepsANotificationFromTheOthers() {
    let place = device()
    let present: JSONObject = [
      "device_id": "board-2", "device_name": "Ship",
      "app_data": ["push_websocket_channel": true],
    ]
    place.visitor.register(changes: present)
    let caller = place.call()
    let id = open(caller, place)
    _ = caller.all()
    #expect(notify(place, service: "notify").status == 500)
    #expect(caller.events(id).isEmpty)
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
