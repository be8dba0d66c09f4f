import Bytes
import HomeAssistantTesting
import Testing

@testable import HomeAssistant
@testable import HomeAssistantClient

private let wordsKey = CacheKey { client, wish in
  Cache(client, populatedBy: CachePopulation(RawRequest("words", wish)))
}
private let otherKey = CacheKey { client, wish in
  Cache(client, populatedBy: CachePopulation(RawRequest("words", wish)))
}

/// The caches that a client has.
@Suite struct CachesTests {
  private let rig = ClientRig(isReady: true)
  private let caches: Caches

  init() { caches = Caches(rig.client) }

  @Test func aCacheIsMadeOnceAndStaysTheSame() {
    #expect(caches[wordsKey] === caches[wordsKey])
    #expect(caches.areas === caches.areas)
    #expect(caches.states() === caches.states())
  }

  @Test func anotherKeyIsAnotherCacheEvenOfTheSameType() {
    #expect(caches[wordsKey] !== caches[otherKey])
  }

  @Test func anotherWishIsAnotherCacheAndTheSameWishTheSame() {
    let one = caches[wordsKey, ["language": "en", "limit": 2]]
    #expect(one === caches[wordsKey, ["limit": 2, "language": "en"]])
    #expect(one !== caches[wordsKey, ["language": "nl"]])
    #expect(one !== caches[wordsKey])
    let lights = caches.states(SubscribeEntities(include: EntityFilter(domains: ["light"])))
    #expect(lights !== caches.states())
    #expect(
      lights === caches.states(SubscribeEntities(include: EntityFilter(domains: ["light"]))))
  }

  @Test func nothingIsSentForACacheWithoutObservers() {
    #expect(caches.user.value == nil)
    #expect(caches.states().count == 0)
    #expect(rig.driver.messages.isEmpty)
  }

  @Test func aWishGoesWithTheSubscription() {
    let lights = caches.states(SubscribeEntities(include: EntityFilter(domains: ["light"])))
    lights.observe { _, _ in }.detach()
    #expect(
      rig.driver.messages == [
        ["id": 1, "type": "subscribe_entities", "include": ["domains": ["light"]]]
      ])
  }

  @Test func theUserIsAskedForAndNotFollowed() throws {
    var name: Text?
    caches.user.observe { name = $0.name }.detach()
    #expect(rig.driver.messages == [["id": 1, "type": "auth/current_user"]])
    rig.driver.answer(with: try json(#"{"id":"u","name":"Ada"}"#))
    #expect(name == "Ada")
  }

  @Test func theConfigKnowsWhatIsLoadedWithoutAskingAgain() throws {
    var components: [[Text]] = []
    caches.config.observe { components.append($0.components) }.detach()
    #expect(
      rig.driver.messages == [
        ["id": 1, "type": "subscribe_events", "event_type": "core_config_updated"],
        ["id": 2, "type": "subscribe_events", "event_type": "component_loaded"],
        ["id": 3, "type": "get_config"],
      ])
    rig.driver.answer(with: try json(Self.config))
    rig.forget()
    for _ in 0..<2 { rig.driver.tell(try json(Self.loaded), of: 2) }
    #expect(components == [["sun"], ["sun", "tag"]])
    #expect(rig.driver.messages.isEmpty)
    rig.driver.tell(try json(#"{"event_type":"core_config_updated"}"#), of: 1)
    rig.driver.advance(by: .milliseconds(500))
    #expect(rig.driver.messageTypes == ["get_config"])
  }

  /// The commands and events of each cache, as Home Assistant calls them.
  @Test(arguments: [
    ("get_services", ["service_registered", "service_removed"]),
    ("get_panels", ["panels_updated"]),
    ("config/area_registry/list", ["area_registry_updated"]),
    ("config/floor_registry/list", ["floor_registry_updated"]),
    ("config/label_registry/list", ["label_registry_updated"]),
    ("config/device_registry/list", ["device_registry_updated"]),
    ("config/entity_registry/list", ["entity_registry_updated"]),
  ])
  func aRegistryIsAskedForAgainAfterItsEvents(command: String, events: [String]) {
    observe(command)
    #expect(rig.driver.messageTypes == events.map { _ in "subscribe_events" } + [command])
    #expect(
      rig.driver.messages.compactMap { $0["event_type"] } == events.map { .text(Text($0)) })
    let isList = command.hasPrefix("config/")
    rig.driver.answer(with: isList ? [] : [:])
    rig.forget()
    for (index, event) in events.enumerated() {
      rig.driver.tell(["event_type": .text(Text(event))], of: Int64(index + 1))
    }
    rig.driver.advance(by: .seconds(5))
    #expect(rig.driver.messageTypes == [command])
  }

  private func observe(_ command: String) {
    switch command {
    case "get_services": caches.services.observe { _ in }.detach()
    case "get_panels": caches.panels.observe { _ in }.detach()
    case "config/area_registry/list": caches.areas.observe { _ in }.detach()
    case "config/floor_registry/list": caches.floors.observe { _ in }.detach()
    case "config/label_registry/list": caches.labels.observe { _ in }.detach()
    case "config/device_registry/list": caches.devices.observe { _ in }.detach()
    default: caches.entityRegistry.observe { _ in }.detach()
    }
  }

  private static let config = """
    {"location_name":"B","latitude":1,"longitude":2,"elevation":3,"time_zone":"UTC",
    "unit_system":{},"version":"2026.11.0","components":["sun"]}
    """
  private static let loaded = """
    {"event_type":"component_loaded","data":{"component":"tag"},"origin":"LOCAL",
    "time_fired":"2026-11-21T14:53:03.427383+00:00","context":{"id":"c"}}
    """
}
