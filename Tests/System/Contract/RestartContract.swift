import Testing

extension Contract {
  /// What a restart of the server looks like from outside, and what comes through it.
  ///
  /// Not in the run of the others: it would come in the middle of all of them.
  @Suite(.enabled(if: Control.isNamed, "nothing controls the server, or others are at it"))
  struct Restarting {}
}

// MARK: - Meanwhile

extension Contract.Restarting {
  @Test func theServerIsGoneThenDoesNotKnowTheAddressThenTheDeviceThenItIsBack() async throws {
    let sights = try await Restart.story().sights
    // All in the middle are short, and each of them may be too short to be seen.
    let order: [Restart.Sight] = [.alive, .unreachable, .notFound, .nobody, .alive]
    var rest = order[...]
    for sight in sights {
      guard let place = rest.firstIndex(of: sight) else {
        Issue.record("\(sights) is not in the order of \(order)")
        return
      }
      rest = rest[(place + 1)...]
    }
    #expect(sights.first == .alive)
    #expect(sights.count > 2)
    #expect(sights.last == .alive)
  }

  @Test func theSocketIsClosed() async throws {
    let story = try await Restart.story()
    #expect(story.ending == .closed(1000) || story.ending == .dropped, "\(story.ending)")
  }
}

// MARK: - The agent

extension Contract.Restarting {
  @Test func theAgentHasItsNotificationsAndItsProofsAgain() async throws {
    #expect(try await Restart.story().agentEvents.count == 3)
  }
}

// MARK: - What comes through it

extension Contract.Restarting {
  @Test func theRegistrationAndItsKeyComeThrough() async throws {
    let story = try await Restart.story()
    #expect(try await story.device.prove() == Device.proof)
  }

  @Test func theFixComesThrough() async throws {
    let story = try await Restart.story()
    let now = try await story.device.position()
    #expect(now.state == story.position.state)
    for attribute in ["latitude", "longitude", "gps_accuracy", "battery_level"] {
      #expect(now.attributes[attribute] == story.position.attributes[attribute], "\(attribute)")
    }
  }

  @Test func sensorsComeThroughWithTheirAttributes() async throws {
    let story = try await Restart.story()
    let soil = try await story.device.reading("soil")
    #expect(soil.state == "12.5")
    #expect(soil.attributes == story.soil.attributes)
    #expect(try await story.device.reading("text").state == "damp")
    #expect(try await story.device.reading("silent").state == "unavailable")
    #expect(try await story.device.update("soil", #""state":13"#) == ["success": true])
  }

  @Test func aBinarySensorThatWasUnknownComesBackAsOff() async throws {
    let story = try await Restart.story()
    #expect(try await story.device.reading("bilge", "binary_sensor").state == "on")
    #expect(try await story.device.reading("hatch", "binary_sensor").state == "off")
  }

  @Test func whatIsDisabledStaysDisabled() async throws {
    let story = try await Restart.story()
    let entities = try await story.device.send("get_config", "{}").content["entities"]
    #expect(entities["mast"]["disabled"] == true)
    #expect(entities["soil"]["disabled"] == false)
  }

  @Test func tokensComeThrough() async throws {
    let story = try await Restart.story()
    let server = story.device.server
    #expect(
      try await server.request("GET", "/api/config", token: story.tokens.access).status == 200)
    #expect(try await story.tokens.refreshed().status == 200)
  }

  @Test func whoWasNotifiedMustListenAgain() async throws {
    let story = try await Restart.story()
    let recipient = try await Recipient(again: story.recipient)
    #expect(try await recipient.isListed(true))
    #expect(try await recipient.notify("lost")["error"]["code"] == "home_assistant_error")
    let channel = try await recipient.listen()
    #expect(try await recipient.notify("Ahoy")["success"] == true)
    #expect(try await recipient.socket.event(channel)["message"] == "Ahoy")
  }
}

// MARK: - What does not

extension Contract.Restarting {
  @Test func onlyNowADeletedOrSupersededRegistrationSaysThatItIsGone() async throws {
    let story = try await Restart.story()
    for device in [story.deleted, story.superseded] {
      #expect(try await device.prove() == .nothing(410))
      #expect(try await device.post("not JSON") == .nothing(410))
    }
  }

  @Test func theSocketSaysSoInsideASuccess() async throws {
    let story = try await Restart.story()
    let result = try await WebSocket.opened().result(
      "webhook/handle",
      ["webhook_id": .string(story.deleted.webhookID), "method": "POST", "body": "{}"])
    #expect(result["status"] == 410)
    #expect(result["body"] == nil)
  }

  @Test func anUnknownWebhookIsStillAnsweredWithNothing() async throws {
    let server = try Server.required()
    _ = try await Restart.story()
    let unknown = "/api/webhook/" + String(repeating: "0", count: 64)
    #expect(Answer(try await server.post(unknown, "{}"), openedWith: nil) == .nobody)
  }
}
