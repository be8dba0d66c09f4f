import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct EventTests {
  static let pump = """
    {"entity_id":"input_boolean.pump","state":"on","attributes":{"friendly_name":"Pump"},
    "last_changed":"2026-11-21T14:53:03.427383+00:00",
    "last_updated":"2026-11-21T14:53:03.427383+00:00",
    "context":{"id":"c2","parent_id":null,"user_id":"u"}}
    """

  static func event(old: String, new: String) -> String {
    """
    {"event_type":"state_changed","data":{"entity_id":"input_boolean.pump"\(old)\(new)},
    "origin":"LOCAL","time_fired":"2026-11-21T14:53:03.427383+00:00",
    "context":{"id":"c1","parent_id":"p","user_id":"u"}}
    """
  }

  @Test func aSubscriptionToEventsNamesTheirTypeIfItHasOne() {
    func payload(_ subscription: some SubscriptionRequest) -> JSONObject {
      #expect(subscription.command == "subscribe_events")
      #expect(subscription.isResubscribed)
      return subscription.payload
    }
    #expect(payload(.events) == [:])
    #expect(payload(.events("homeward_note")) == ["event_type": "homeward_note"])
    #expect(payload(.stateChanges) == ["event_type": "state_changed"])
  }

  /// The names that Home Assistant has for those that no cache subscribes to.
  @Test func aTypeOfEventHasItsName() {
    #expect(EventType.homeAssistantStart.text == "homeassistant_start")
    #expect(EventType.homeAssistantStarted.text == "homeassistant_started")
    #expect(EventType.homeAssistantStop.text == "homeassistant_stop")
  }

  @Test func anEventIsDecoded() throws {
    let event: Event = try decode(
      """
      {"event_type":"call_service","data":{"domain":"light"},"origin":"REMOTE",
      "time_fired":"2021-02-20T05:14:52.647932+00:00",
      "context":{"id":"c1","parent_id":"p","user_id":"u"}}
      """)
    #expect(event.type == .callService)
    #expect(event.data == ["domain": "light"])
    #expect(event.origin == .remote)
    #expect(event.timeFired == time("2021-02-20T05:14:52.647932Z"))
    #expect(event.context == Context(id: "c1", userID: "u", parentID: "p"))
  }

  @Test func anEventMayHaveNoDataAndNoUser() throws {
    let event: Event = try decode(
      """
      {"event_type":"x","origin":"LOCAL","time_fired":"2021-02-20T05:14:52+00:00",
      "context":{"id":"c1"}}
      """)
    #expect(event.data == [:])
    #expect(event.context == Context(id: "c1"))
  }

  @Test func anOriginThatIsNoneIsRefused() {
    #expect(throws: JSONDecodingError.invalidValue(key: "origin")) {
      try decode(
        """
        {"event_type":"x","origin":"MARS","time_fired":"2021-02-20T05:14:52+00:00",
        "context":{"id":"c1"}}
        """, as: Event.self)
    }
  }

  @Test func aChangeHasWhatWasAndWhatIs() throws {
    let change: StateChange = try decode(
      Self.event(old: ",\"old_state\":\(Self.pump)", new: ",\"new_state\":\(Self.pump)"))
    #expect(change.entityID == "input_boolean.pump")
    #expect(change.event.type == .stateChanged)
    #expect(change.oldState?.state == "on")
    #expect(change.newState?.id == "input_boolean.pump")
  }

  @Test func anEntityThatComesHasNoOldStateAndOneThatGoesNoNew() throws {
    let comes: StateChange = try decode(
      Self.event(old: ",\"old_state\":null", new: ",\"new_state\":\(Self.pump)"))
    #expect(comes.oldState == nil)
    #expect(comes.newState != nil)
    let goes: StateChange = try decode(Self.event(old: "", new: ",\"new_state\":{\"state\":1}"))
    #expect(goes.oldState == nil)
    #expect(goes.newState == nil)
  }

  @Test func aTriggerThatFiredTellsItsVariables() throws {
    let plain: TypedSubscription<TriggerEvent> = .trigger(["platform": "state"])
    #expect(plain.payload == ["trigger": ["platform": "state"]])
    let several: TypedSubscription<TriggerEvent> = .trigger(
      [["platform": "sun"]], variables: ["a": 1])
    #expect(several.payload == ["trigger": [["platform": "sun"]], "variables": ["a": 1]])
    let event: TriggerEvent = try decode(
      #"{"variables":{"trigger":{"id":"0","platform":"state"}},"context":{"id":"c"}}"#)
    #expect(event.variables["trigger"]?["platform"] == "state")
    #expect(event.context?.id == "c")
  }

  @Test func anEventIsFiredWithItsData() throws {
    let request: TypedRequest<FiredEvent> = .fireEvent("homeward_note", data: ["n": 1])
    #expect(request.command == "fire_event")
    #expect(request.payload == ["event_type": "homeward_note", "event_data": ["n": 1]])
    let answer: FiredEvent = try decode(#"{"context":{"id":"c","user_id":"u"}}"#)
    #expect(answer.context.userID == "u")
  }

  @Test func entitiesAreWatchedAllOrFiltered() {
    #expect(SubscribeEntities().command == "subscribe_entities")
    #expect(SubscribeEntities().payload == [:])
    #expect(SubscribeEntities(["sun.sun"]).payload == ["entity_ids": ["sun.sun"]])
    let filtered = SubscribeEntities(
      include: EntityFilter(domains: ["light"], globs: ["sensor.b*"]),
      exclude: EntityFilter(entities: ["light.x"]))
    #expect(
      filtered.payload == [
        "include": ["domains": ["light"], "entity_globs": ["sensor.b*"]],
        "exclude": ["entities": ["light.x"]],
      ])
  }
}
