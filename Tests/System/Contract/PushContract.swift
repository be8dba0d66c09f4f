import Testing

extension Contract {
  /// Notifications over the WebSocket: one channel for each registration, and what silences it.
  @Suite struct Push {}
}

// MARK: - What comes

extension Contract.Push {
  @Test func aNotificationComesWithItsTitleAndItsDataUnchanged() async throws {
    let (recipient, channel) = try await Recipient.listening()
    let data: JSON = [
      "tag": "a", "actions": [["action": "X", "title": "Yes"]], "n": 1.5, "z": nil,
    ]
    let sent = try await recipient.notify("Ahoy", ["title": "Bilge", "data": data])
    #expect(sent["success"] == true)
    let event = try await recipient.socket.event(channel)
    #expect(event == ["message": "Ahoy", "title": "Bilge", "data": data])
  }

  @Test(arguments: [[:], ["title": "Home Assistant"]] as [JSON])
  func aMessageWithoutATitleOfItsOwnComesAlone(more: JSON) async throws {
    let (recipient, channel) = try await Recipient.listening()
    try await recipient.notify("Ahoy", more)
    #expect(try await recipient.socket.event(channel) == ["message": "Ahoy"])
  }

  @Test func notificationsKeepTheirOrder() async throws {
    let (recipient, channel) = try await Recipient.listening()
    for number in 1...5 { try await recipient.notify("\(number)") }
    for number in 1...5 {
      let event = try await recipient.socket.event(channel)
      #expect(event["message"] == .string("\(number)"))
    }
  }
}

// MARK: - Confirming

extension Contract.Push {
  @Test func aNotificationIsConfirmedOnce() async throws {
    let (recipient, channel) = try await Recipient.listening(confirming: true)
    try await recipient.notify("Ahoy")
    let event = try await recipient.socket.event(channel)
    #expect(event.keys == ["hass_confirm_id", "message"])
    let id = event["hass_confirm_id"].text ?? ""
    #expect(id.count == 32 && id.allSatisfy(\.isHexDigit))
    let first = try await recipient.confirm(event)
    #expect(first["success"] == true)
    #expect(first["result"] == nil)
    #expect(try await recipient.confirm(event)["error"]["code"] == "not_found")
  }

  @Test func aNotificationMayBeConfirmedOverAnotherConnection() async throws {
    let (recipient, channel) = try await Recipient.listening(confirming: true)
    try await recipient.notify("Ahoy")
    let event = try await recipient.socket.event(channel)
    #expect(try await recipient.confirm(event, on: recipient.sender)["success"] == true)
  }

  @Test func whatWasNeverSentCannotBeConfirmed() async throws {
    let recipient = try await Recipient()
    let unknown: JSON = ["hass_confirm_id": "00000000000000000000000000000000"]
    #expect(try await recipient.confirm(unknown)["error"]["code"] == "not_found")
    _ = try await recipient.listen(confirming: true)
    #expect(try await recipient.confirm(unknown)["error"]["code"] == "not_found")
  }

  /// How long a notification may stay unconfirmed.
  static let confirmationTimeMax = Duration.seconds(10)

  @Test func anUnconfirmedNotificationEndsTheChannelWithoutAWord() async throws {
    let (recipient, channel) = try await Recipient.listening(confirming: true)
    let begin = ContinuousClock.now
    try await recipient.notify("first")
    let first = try await recipient.socket.event(channel)
    try await Task.sleep(for: Self.confirmationTimeMax / 2)
    #expect(try await recipient.notify("second")["success"] == true)
    let second = try await recipient.socket.event(channel)
    try await Task.sleep(until: begin + Self.confirmationTimeMax)

    // The socket lives, the subscription is silent, and only who notifies is told.
    let failed = try await Server.settled(
      within: WebSocket.timeout, pause: .milliseconds(100), until: { $0["success"] == false }
    ) { try await recipient.notify("still") }
    #expect(failed["error"]["code"] == "home_assistant_error")
    #expect(try await recipient.notify("lost")["error"]["code"] == "home_assistant_error")
    #expect(try await recipient.confirm(first)["error"]["code"] == "not_found")
    #expect(try await recipient.confirm(second)["error"]["code"] == "not_found")

    let again = try await recipient.listen(confirming: true)
    #expect(try await recipient.notify("back")["success"] == true)
    #expect(try await recipient.socket.event(again)["message"] == "back")
    #expect(try await recipient.socket.events(channel).allSatisfy { $0["message"] == "still" })
  }
}

// MARK: - Who listens

extension Contract.Push {
  @Test func withoutAListenerNotifyingFails() async throws {
    let recipient = try await Recipient()
    #expect(try await recipient.notify("lost")["error"]["code"] == "home_assistant_error")
  }

  @Test func listeningAgainOnTheSameSocketTakesTheChannelOver() async throws {
    let (recipient, first) = try await Recipient.listening()
    let second = try await recipient.listen()
    try await recipient.notify("Ahoy")
    #expect(try await recipient.socket.event(second)["message"] == "Ahoy")
    #expect(try await recipient.socket.events(first).isEmpty)
  }

  @Test func theNewestListenerWinsAndTheOlderOnesEndDoesNotHurtIt() async throws {
    let (recipient, old) = try await Recipient.listening()
    let other = try await WebSocket.opened()
    let new = try await recipient.listen(on: other)
    try await recipient.notify("one")
    #expect(try await other.event(new)["message"] == "one")
    #expect(try await recipient.socket.events(old).isEmpty)
    try await recipient.socket.result("unsubscribe_events", ["subscription": old])
    await recipient.socket.drop()
    try await recipient.notify("two")
    #expect(try await other.event(new)["message"] == "two")
  }

  @Test func whoUnsubscribesIsNotNotified() async throws {
    let (recipient, channel) = try await Recipient.listening()
    try await recipient.socket.result("unsubscribe_events", ["subscription": channel])
    #expect(try await recipient.notify("lost")["error"]["code"] == "home_assistant_error")
    #expect(try await recipient.socket.events(channel).isEmpty)
  }

  @Test func aChannelEndsWithItsSocket() async throws {
    let (recipient, _) = try await Recipient.listening()
    try await recipient.socket.send(Frame(kind: .close, payload: [0x03, 0xE8]))
    _ = try await recipient.socket.end()
    #expect(try await recipient.notify("lost")["error"]["code"] == "home_assistant_error")
  }

  @Test func anUnknownWebhookHasNoChannel() async throws {
    let socket = try await WebSocket.opened()
    #expect(try await socket.refusedChannel(of: "unknown") == "not_found")
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func onlyTheUserWhoRegisteredMayListen() async throws {
    let recipient = try await Recipient()
    let tokens = try await User.sailor().signedIn()
    let stranger = try await WebSocket.opened(token: tokens.access)
    #expect(try await stranger.refusedChannel(of: recipient.device.webhookID) == "unauthorized")
    // An administrator is no exception.
    let theirs = try await Device.registered(token: tokens.access)
    #expect(try await recipient.socket.refusedChannel(of: theirs.webhookID) == "unauthorized")
  }
}

// MARK: - The action that notifies

extension Contract.Push {
  @Test func withoutAPushTargetOneMayListenButNothingNotifies() async throws {
    let recipient = try await Recipient(appContent: [:])
    _ = try await recipient.listen()
    #expect(try await recipient.isListed(false) == false)
    #expect(try await recipient.notify("lost")["error"]["code"] == "not_found")
  }

  @Test(arguments: [true, false, "no", 5] as [JSON])
  func anyTruthOrUntruthMakesADeviceOneToNotify(value: JSON) async throws {
    let recipient = try await Recipient(appContent: ["push_websocket_channel": value])
    let channel = try await recipient.listen()
    #expect(try await recipient.notify("Ahoy")["success"] == true)
    #expect(try await recipient.socket.event(channel)["message"] == "Ahoy")
  }

  @Test(arguments: [nil, "perhaps", [:]] as [JSON])
  func whatIsNoTruthIsRefused(value: JSON) async throws {
    let body = Device.Identity().registration
      .replacing("app_data", ["push_websocket_channel": value])
    #expect(try await Device.register(body).status == 400)
  }

  @Test func aDeviceThatIsRenamedIsNotifiedUnderItsNewName() async throws {
    let recipient = try await Recipient()
    let name = "Renamed \(recipient.device.identity.suffix)"
    let update = Contract.Registration.update.replacing("device_name", .string(name))
    _ = try await recipient.device.send("update_registration", update.encoded())
    let renamed = "mobile_app_renamed_\(recipient.device.identity.suffix)"
    #expect(try await recipient.isListed(true, as: renamed))
    #expect(try await recipient.isListed(false) == false)
  }

  @Test func newAppDataReplaceTheOldAndWithThemThePushTarget() async throws {
    let recipient = try await Recipient()
    #expect(try await recipient.isListed(true))
    let update = Contract.Registration.update.replacing(
      "device_name", recipient.device.identity.registration["device_name"])
    let kept = try await recipient.device.send("update_registration", update.encoded()).content
    #expect(kept["app_data"] == ["push_websocket_channel": true])
    #expect(try await recipient.isListed(true))
    let without = update.replacing("app_data", [:])
    let bare = try await recipient.device.send("update_registration", without.encoded()).content
    #expect(bare["app_data"] == [:])
    #expect(try await recipient.isListed(false) == false)
  }

  @Test func anotherDeviceCanNotifyByItsWebhookAlone() async throws {
    let (recipient, channel) = try await Recipient.listening()
    let call: JSON = [
      "domain": "notify", "service": .string(recipient.service),
      "service_data": ["message": "Ahoy"],
    ]
    let other = try await Device.registered()
    #expect(try await other.send("call_service", call.encoded()) == .emptyObject)
    #expect(try await recipient.socket.event(channel)["message"] == "Ahoy")
  }
}
