import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct EntityIDTests {
  @Test(arguments: ["", "light", ".", "light.", ".kitchen"])
  func anIDWithoutADomainOrANameIsNone(text: String) {
    #expect(EntityID(Text(text)) == nil)
    #expect(throws: JSONDecodingError.invalidValue(key: "entity_id")) {
      try JSON.object(["entity_id": .text(Text(text))]).get("entity_id", as: EntityID.self)
    }
  }

  @Test func theDomainEndsAtTheFirstPoint() {
    let id: EntityID = "light.kitchen.left"
    #expect(id.domain == "light")
    #expect(id.name == "kitchen.left")
    #expect(id.isOf(domain: "light"))
    #expect(!id.isOf(domain: "lig"))
    #expect(!id.isOf(domain: "light."))
    #expect(!id.isOf(domain: "sound"))
  }
}

@Suite struct EntityTests {
  /// As Home Assistant 2025.4.4 says it.
  static let zone = """
    {"entity_id":"zone.home","state":"0","attributes":{"latitude":52.0,"longitude":4.0,"radius":100,
    "passive":false,"persons":[],"editable":true,"icon":"mdi:home","friendly_name":"Homeward lab"},
    "last_changed":"2026-11-21T14:51:39.682650+00:00",
    "last_reported":"2026-11-21T14:51:40.682650+00:00",
    "last_updated":"2026-11-21T14:51:39.682651+00:00",
    "context":{"id":"01M7Z9EVS2CMHS19AZBCB1EK76","parent_id":null,"user_id":"u1"},"new":[1]}
    """

  @Test func aStateIsDecoded() throws {
    let zone: Entity = try decode(Self.zone)
    #expect(zone.id == "zone.home")
    #expect(zone.domain == "zone")
    #expect(zone.state == "0")
    #expect(zone.attributes["persons"] == [])
    #expect(zone.friendlyName == "Homeward lab")
    #expect(zone.icon == "mdi:home")
    #expect(zone.lastChanged == time("2026-11-21T14:51:39.682650Z"))
    #expect(zone.lastUpdated == time("2026-11-21T14:51:39.682651Z"))
    #expect(zone.lastReported == time("2026-11-21T14:51:40.682650Z"))
    #expect(
      zone.context == Context(id: "01M7Z9EVS2CMHS19AZBCB1EK76", userID: "u1", parentID: nil))
  }

  @Test func aZoneHasAPlaceAndNothingElseHas() throws {
    let zone: Entity = try decode(Self.zone)
    #expect(zone.zone?.latitude == 52)
    #expect(zone.zone?.longitude == 4)
    #expect(zone.zone?.radiusMeters == 100)
    #expect(zone.zone?.isPassive == false)
    let tracker: Entity = try decode(
      Self.zone.replacing("zone.home", with: "device_tracker.boat"))
    #expect(tracker.zone == nil)
  }

  @Test func aZoneMovesWithItsAttributes() throws {
    var zone: Entity = try decode(Self.zone)
    zone.attributes["latitude"] = 53.5
    #expect(zone.zone?.latitude == 53.5)
    zone.attributes["radius"] = nil
    #expect(zone.zone == nil)
  }

  @Test(
    arguments: [
      ("\"state\"", "state"), ("\"attributes\"", "attributes"),
      ("\"last_changed\"", "last_changed"),
      ("\"last_updated\"", "last_updated"), ("\"context\"", "context"),
      ("\"entity_id\"", "entity_id"),
    ] as [(String, Text)])
  func aStateWithoutOneOfItsPartsIsNone(member: String, key: Text) {
    #expect(throws: JSONDecodingError.missingKey(key)) {
      try decode(Self.zone.replacing(member, with: "\"other\""), as: Entity.self)
    }
  }

  @Test func aStateWithAnIDThatIsNoneIsRefused() {
    #expect(throws: JSONDecodingError.invalidValue(key: "entity_id")) {
      try decode(Self.zone.replacing("zone.home", with: "zonehome"), as: Entity.self)
    }
  }

  @Test func anOlderHomeAssistantDoesNotSayWhenAStateWasReported() throws {
    let entity: Entity = try decode(Self.zone.replacing("last_reported", with: "lr"))
    #expect(entity.lastReported == nil)
  }

  @Test func oneBadStateDoesNotLoseTheOthers() throws {
    let bad = Self.zone.replacing("zone.home", with: "zonehome")
    let states = try decode("[\(Self.zone),\(bad),7,\(Self.zone)]", as: LossyArray<Entity>.self)
    #expect(states.elements.map(\.id) == ["zone.home", "zone.home"])
    #expect(states.skippedCount == 2)
  }

  @Test func whatIsNoListIsNotAnEmptyOne() {
    #expect(
      throws: JSONDecodingError.wrongKind(key: "root", expected: .array, found: .object)
    ) {
      try decode("{}", as: LossyArray<Entity>.self)
    }
  }
}
