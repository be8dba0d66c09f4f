import Testing

extension Contract {
  /// Being told of what happens: events, entities, templates.
  @Suite struct Subscriptions {}
}

// MARK: - Events

extension Contract.Subscriptions {
  @Test func anEventReachesItsSubscriberAndSaysWhoFiredIt() async throws {
    let device = try await Device.registered()
    let (socket, type, id) = try await WebSocket.listening()
    let data: JSON = ["event_type": type, "event_data": ["depth": 3.5, "a": [1, nil]]]
    #expect(try await device.send("fire_event", data.encoded()) == .emptyObject)
    let event = try await socket.event(id)
    #expect(event.keys == ["context", "data", "event_type", "origin", "time_fired"])
    #expect(event["event_type"] == type)
    #expect(event["data"] == ["depth": 3.5, "a": [1, nil]])
    #expect(event["origin"] == "REMOTE")
    let user = try await socket.result("auth/current_user")["id"]
    #expect(event["context"]["user_id"] == user)
    #expect(event["context"]["parent_id"] == nil)
  }

  @Test func onlyTheEventsOfTheTypeThatWasAskedForCome() async throws {
    let (socket, type, id) = try await WebSocket.listening()
    let other = JSON.string((type.text ?? "") + "_else")
    try await socket.result("fire_event", ["event_type": other])
    #expect(try await socket.events(id).isEmpty)
  }

  @Test func anEventFiredOverTheSocketIsAnsweredWithItsContext() async throws {
    let (socket, type, id) = try await WebSocket.listening()
    let result = try await socket.result(
      "fire_event", ["event_type": type, "event_data": ["a": 1]])
    let event = try await socket.event(id)
    #expect(event["data"] == ["a": 1])
    #expect(event["origin"] == "LOCAL")
    #expect(result["context"]["id"].text != nil)
    #expect(event["context"] == result["context"])
  }

  @Test func whoHasUnsubscribedIsToldNothing() async throws {
    let (socket, type, id) = try await WebSocket.listening()
    #expect(try await socket.result("unsubscribe_events", ["subscription": id]) == nil)
    _ = try await socket.result("fire_event", ["event_type": type])
    #expect(try await socket.events(id).isEmpty)
  }

  @Test func aSubscriptionThatIsNotThereIsNotFound() async throws {
    let socket = try await WebSocket.opened()
    #expect(try await socket.refusal("unsubscribe_events", ["subscription": 999]) == "not_found")
  }

  @Test func twoSubscriptionsToOneEventAreToldOneByOne() async throws {
    let (socket, type, first) = try await WebSocket.listening()
    let second = try await socket.subscribe("subscribe_events", ["event_type": type])
    _ = try await socket.result("fire_event", ["event_type": type])
    #expect(try await socket.event(first) == (try await socket.event(second)))
    #expect(try await socket.events(first).isEmpty)
  }
}

// MARK: - Entities

extension Contract.Subscriptions {
  /// A sensor with a state, an icon and an attribute, and a subscription that has told of it.
  private struct Watched {
    let device: Device
    let socket: WebSocket
    let id: JSON
    let entity: String
    let first: JSON

    init() async throws {
      device = try await Device.registered()
      try await device.register(
        "soil", "sensor", #""state":"damp","icon":"mdi:sprout","attributes":{"depth":3}"#)
      entity = device.entityID("soil")
      socket = try await WebSocket.opened()
      id = try await socket.subscribe("subscribe_entities", ["entity_ids": [.string(entity)]])
      first = try await socket.event(id)
    }

    func update(_ more: String) async throws -> JSON {
      try #require(try await device.update("soil", more) == ["success": true])
      let event = try await socket.event(id)
      #expect(event.keys == ["c"])
      return event["c"][entity]
    }
  }

  @Test func theFirstEventAddsTheEntitiesAsTheyAre() async throws {
    let watched = try await Watched()
    #expect(watched.first.keys == ["a"])
    #expect(watched.first["a"].keys == [watched.entity])
    let added = watched.first["a"][watched.entity]
    #expect(added["s"] == "damp")
    #expect(added["a"]["depth"] == 3)
    #expect(added["a"]["icon"] == "mdi:sprout")
    // The context of a state that no user caused is its id alone; seconds since 1970.
    #expect(added["c"].text != nil)
    #expect(added["lc"].number ?? 0 > 1_700_000_000)
    // When a state was last updated is only told when it was not last changed then.
    #expect(added["lu"] == .absent)
  }

  @Test func aNewStateIsAChangeThatAddsWhatIsNewAndNothingElse() async throws {
    let watched = try await Watched()
    let change = try await watched.update(
      #""state":"wet","icon":"mdi:sprout","attributes":{"depth":3}"#)
    #expect(change.keys == ["+"])
    #expect(change["+"].keys == ["c", "lc", "s"])
    #expect(change["+"]["s"] == "wet")
    #expect(change["+"]["c"].text != nil)
  }

  @Test func anAttributeThatChangesIsAddedAndLeavesTheStateAlone() async throws {
    let watched = try await Watched()
    let change = try await watched.update(
      #""state":"damp","icon":"mdi:sprout","attributes":{"depth":4}"#)
    #expect(change.keys == ["+"])
    #expect(change["+"].keys == ["a", "c", "lu"])
    #expect(change["+"]["a"] == ["depth": 4])
  }

  @Test func anAttributeThatIsGoneIsTakenAway() async throws {
    let watched = try await Watched()
    let change = try await watched.update(#""state":"wet","icon":"mdi:sprout""#)
    #expect(change.keys == ["+", "-"])
    #expect(change["-"] == ["a": ["depth"]])
    #expect(change["+"]["s"] == "wet")
    #expect(change["+"]["a"] == .absent)
  }

  @Test func theSameFixAgainIsAChangeOfItsTimeAlone() async throws {
    let device = try await Device.located()
    let socket = try await WebSocket.opened()
    let id = try await socket.subscribe(
      "subscribe_entities", ["entity_ids": [.string(device.tracker)]])
    let first = try await socket.event(id)["a"][device.tracker]
    _ = try await device.send("update_location", Device.firstFix)
    let change = try await socket.event(id)["c"][device.tracker]
    #expect(change.keys == ["+"])
    #expect(change["+"].keys == ["c", "lc"])
    #expect(change["+"]["lc"].number ?? 0 > first["lc"].number ?? .infinity)
  }

  @Test func anEntityThatIsGoneIsRemoved() async throws {
    let watched = try await Watched()
    _ = try await Device.registered(watched.device.identity)
    // On its way out it may be unavailable, or restored without its integration.
    let event = try await watched.socket.message { $0["event"]["r"] != .absent }.json["event"]
    #expect(event == ["r": [.string(watched.entity)]])
  }

  @Test func anEntityThatComesLaterIsAdded() async throws {
    let device = try await Device.registered()
    let socket = try await WebSocket.opened()
    let entity = device.entityID("soil")
    let id = try await socket.subscribe(
      "subscribe_entities", ["entity_ids": [.string(entity)]])
    #expect(try await socket.event(id) == ["a": [:]])
    try await device.register("soil", "sensor", #""state":1"#)
    #expect(try await socket.event(id)["a"][entity]["s"] == "1")
  }

  @Test func onlyTheEntitiesThatWereAskedForAreTold() async throws {
    let watched = try await Watched()
    try await watched.device.register("mast", "sensor", #""state":1"#)
    #expect(try await watched.socket.events(watched.id).isEmpty)
  }

  @Test func anUnchangedStateIsNotTold() async throws {
    let watched = try await Watched()
    let same = #""state":"damp","icon":"mdi:sprout","attributes":{"depth":3}"#
    #expect(try await watched.device.update("soil", same) == ["success": true])
    #expect(try await watched.socket.events(watched.id).isEmpty)
  }
}

// MARK: - Templates

extension Contract.Subscriptions {
  @Test func aTemplateIsRenderedAgainWhenWhatItReadsChanges() async throws {
    let device = try await Device.withSoil(#""state":"damp""#)
    let entity = device.entityID("soil")
    let socket = try await WebSocket.opened()
    let id = try await socket.subscribe(
      "render_template", ["template": .string("{{ states('\(entity)') }}")])
    let first = try await socket.event(id)
    #expect(first["result"] == "damp")
    #expect(
      first["listeners"] == [
        "all": false, "entities": [.string(entity)], "domains": [], "time": false,
      ])
    _ = try await device.update("soil", #""state":"wet""#)
    #expect(try await socket.event(id)["result"] == "wet")
  }

  @Test func aTemplateGivesItsValueAndNotItsText() async throws {
    let device = try await Device.withSoil(#""state":12,"attributes":{"depth":3}"#)
    let entity = device.entityID("soil")
    let socket = try await WebSocket.opened()
    for (template, value) in [
      ("{{ states('\(entity)') }}", 12), ("{{ state_attr('\(entity)','depth') }}", 3),
      ("{{ state_attr('\(entity)','none') }}", nil),
    ] as [(String, JSON)] {
      let id = try await socket.subscribe("render_template", ["template": .string(template)])
      #expect(try await socket.event(id)["result"] == value, "\(template)")
    }
  }

  @Test func aTemplateIsRenderedNoMoreAfterUnsubscribing() async throws {
    let device = try await Device.withSoil(#""state":"damp""#)
    let socket = try await WebSocket.opened()
    let id = try await socket.subscribe(
      "render_template", ["template": .string("{{ states('\(device.entityID("soil"))') }}")])
    _ = try await socket.event(id)
    try await socket.result("unsubscribe_events", ["subscription": id])
    _ = try await device.update("soil", #""state":"wet""#)
    #expect(try await socket.events(id).isEmpty)
  }
}
