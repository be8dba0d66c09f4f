import Bytes
import HomeAssistantClient
import Testing

@Suite struct RegistryTests {
  @Test func theListForDisplayHasShortKeysAndNamesCategoriesByIndex() throws {
    let list: DisplayedEntities = try decode(
      """
      {"entity_categories":{"0":"config","1":"diagnostic"},"entities":[
      {"ei":"sensor.sun_next_dawn","pl":"sun","lb":[],"di":"105c","tk":"next_dawn","ec":1,"hn":true,
      "en":"Next dawn","dp":2},{"ei":"person.homeward","pl":"person","lb":["l"],"hb":true,
      "ai":"a","ic":"mdi:x"},{"ei":"bad"}]}
      """)
    #expect(list.entities.skippedCount == 1)
    let entities = list.entities.elements
    #expect(entities.map(\.entityID) == ["sensor.sun_next_dawn", "person.homeward"])
    #expect(entities.map { list.category(of: $0) } == ["diagnostic", nil])
    #expect(entities.map(\.name) == ["Next dawn", nil])
    #expect(entities.map(\.deviceID) == ["105c", nil])
    #expect(entities.map(\.areaID) == [nil, "a"])
    #expect(entities.map(\.icon) == [nil, "mdi:x"])
    #expect(entities.map(\.isHidden) == [false, true])
    #expect(entities.map(\.hasEntityName) == [true, false])
    #expect(entities.map(\.decimals) == [2, nil])
    #expect(entities.map(\.translationKey) == ["next_dawn", nil])
    #expect(entities.map(\.labelIDs) == [[], ["l"]])
  }

  @Test func areasFloorsAndLabelsAreDecoded() throws {
    let areas: [Area] = try decode(
      """
      [{"aliases":["Port"],"area_id":"harbour","floor_id":"deck","humidity_entity_id":null,
      "icon":"mdi:anchor","labels":["urgent"],"name":"Harbour","picture":null,
      "temperature_entity_id":null,"created_at":1795272732.136203,"modified_at":1795272732.136208},
      {"area_id":"a","name":"A"}]
      """)
    #expect(areas.map(\.id) == ["harbour", "a"])
    #expect(areas.map(\.aliases) == [["Port"], []])
    #expect(areas.map(\.floorID) == ["deck", nil])
    #expect(areas.map(\.icon) == ["mdi:anchor", nil])
    #expect(areas.map(\.labelIDs) == [["urgent"], []])
    let floors: [Floor] = try decode(
      #"[{"aliases":[],"created_at":1.5,"floor_id":"deck","icon":null,"level":-1,"name":"Deck"}]"#)
    #expect(floors.map(\.id) == ["deck"])
    #expect(floors.map(\.level) == [-1])
    let labels: [Label] = try decode(
      #"[{"color":"red","description":null,"icon":null,"label_id":"urgent","name":"Urgent"}]"#)
    #expect(labels.map(\.id) == ["urgent"])
    #expect(labels.map(\.color) == ["red"])
  }

  private static let device = """
    {"area_id":null,"configuration_url":"homeassistant://config/backup","config_entries":["e"],
    "connections":[["mac","aa:bb"]],"disabled_by":null,"entry_type":"service","hw_version":null,
    "id":"7409","identifiers":[["backup","manager"]],"labels":["l"],"manufacturer":"M","model":"N",
    "model_id":null,"name_by_user":null,"name":"Backup","serial_number":"S","sw_version":"2025.4.4",
    "via_device_id":"v"}
    """

  @Test func aDeviceIsDecoded() throws {
    let device: Device = try decode(Self.device)
    #expect(device.id == "7409")
    #expect(device.name == "Backup")
    #expect(device.nameByUser == nil)
    #expect(device.manufacturer == "M")
    #expect(device.model == "N")
    #expect(device.serialNumber == "S")
    #expect(device.softwareVersion == "2025.4.4")
    #expect(device.hardwareVersion == nil)
    #expect(device.identifiers == [["backup", "manager"]])
    #expect(device.connections == [["mac", "aa:bb"]])
    #expect(device.entryType == "service")
    #expect(device.configEntryIDs == ["e"])
    #expect(device.viaDeviceID == "v")
    #expect(device.labelIDs == ["l"])
  }

  @Test func anIdentifierThatIsNoTextOrNoPairIsKept() throws {
    let text = Self.device.replacing(
      #"[["backup","manager"]]"#, with: #"[["hue",17],["zha","a","b"],["x",null]]"#)
    let device: Device = try decode(text)
    #expect(device.identifiers == [["hue", "17"], ["zha", "a", "b"], ["x", "null"]])
  }

  @Test func oneBadDeviceDoesNotLoseTheOthers() throws {
    let devices: LossyArray<Device> = try decode("[\(Self.device),{\"id\":7}]")
    #expect(devices.elements.count == 1)
    #expect(devices.skippedCount == 1)
  }

  private static let entry = """
    {"area_id":"a","categories":{"helpers":"c"},"config_entry_id":null,"created_at":1795272700.112,
    "device_id":"d","disabled_by":"user","entity_category":"diagnostic",
    "entity_id":"sensor.bilge","has_entity_name":true,"hidden_by":null,"icon":null,"id":"97195",
    "labels":["l"],"name":"Bilge","options":{"conversation":{"should_expose":false}},
    "original_name":"Level","platform":"homeward","translation_key":null,"unique_id":"u1"
    """

  @Test func anEntryIsDecoded() throws {
    let entry: EntityRegistryEntry = try decode(Self.entry + "}")
    #expect(entry.entityID == "sensor.bilge")
    #expect(entry.uniqueID == "u1")
    #expect(entry.platform == "homeward")
    #expect(entry.name == "Bilge")
    #expect(entry.originalName == "Level")
    #expect(entry.categoryIDs == ["helpers": "c"])
    #expect(entry.entityCategory == "diagnostic")
    #expect(entry.disabledBy == "user")
    #expect(entry.hiddenBy == nil)
    #expect(entry.hasEntityName)
    #expect(entry.options["conversation"]?["should_expose"] == false)
    #expect(entry.aliases == nil)
  }

  @Test func anEntryAskedForSaysMore() throws {
    let entry: EntityRegistryEntry = try decode(
      Self.entry.replacing("\"u1\"", with: "17")
        + #","aliases":["Sump",null],"device_class":null,"original_device_class":"water"}"#)
    #expect(entry.aliases == ["Sump"])
    #expect(entry.originalDeviceClass == "water")
    #expect(entry.uniqueID == "17")
  }

  @Test func entriesAreAskedForByTheirEntities() {
    let request: TypedRequest<JSONObject> = .entityRegistryEntries(["sensor.bilge", "sensor.nope"])
    #expect(request.command == "config/entity_registry/get_entries")
    #expect(request.payload == ["entity_ids": ["sensor.bilge", "sensor.nope"]])
  }

  @Test func whatIsRelatedIsAskedForByKindAndID() {
    let request: TypedRequest<RelatedItems> = .related("device", "7409")
    #expect(request.command == "search/related")
    #expect(request.payload == ["item_type": "device", "item_id": "7409"])
  }

  @Test func aKindOfWhichNothingIsRelatedIsEmpty() throws {
    let items: RelatedItems = try decode(
      """
      {"config_entry":["01M8"],"integration":["mobile_app"],"label":["l"],
      "entity":["device_tracker.boat","sensor.boat_soil"],"person":["person.ann"]}
      """)
    #expect(items.entityIDs == ["device_tracker.boat", "sensor.boat_soil"])
    #expect(items.deviceIDs.isEmpty)
    #expect(items.configEntryIDs == ["01M8"])
    #expect(items.integrations == ["mobile_app"])
    #expect(items.personIDs == ["person.ann"])
    #expect(items.areaIDs.isEmpty && items.automationIDs.isEmpty)
    let others: RelatedItems = try decode(
      #"{"device":["7409"],"area":["deck"],"automation":["automation.a"],"entity":null}"#)
    #expect(others.deviceIDs == ["7409"])
    #expect(others.areaIDs == ["deck"])
    #expect(others.automationIDs == ["automation.a"])
    #expect(others.entityIDs.isEmpty)
    #expect(try decode("{}", as: RelatedItems.self).entityIDs.isEmpty)
  }

  @Test(arguments: ["[]", #"{"entity":["nope"]}"#, #"{"device":[7]}"#, #"{"device":"7409"}"#])
  func whatIsNotRelatedItemsIsRefused(text: String) {
    #expect(throws: JSONDecodingError.self) { try decode(text, as: RelatedItems.self) }
  }

  @Test func changesNameWhatTheyChange() {
    func expect(_ request: some Request, _ command: Text, _ payload: JSONObject) {
      #expect(request.command == command)
      #expect(request.payload == payload)
    }
    let changes: JSONObject = ["name": nil, "icon": "mdi:x"]
    expect(
      .updateEntityRegistryEntry("sensor.bilge", changes: changes),
      "config/entity_registry/update",
      ["name": nil, "icon": "mdi:x", "entity_id": "sensor.bilge"])
    expect(
      .updateDevice("d", changes: changes), "config/device_registry/update",
      ["name": nil, "icon": "mdi:x", "device_id": "d"])
    expect(
      .updateArea("a", changes: changes), "config/area_registry/update",
      ["name": nil, "icon": "mdi:x", "area_id": "a"])
    expect(
      .updatePerson("p", changes: changes), "person/update",
      ["name": nil, "icon": "mdi:x", "person_id": "p"])
    expect(
      .entityRegistryEntry("sensor.bilge"), "config/entity_registry/get",
      ["entity_id": "sensor.bilge"])
  }

  @Test func aChangedEntryMayNeedSomethingMore() throws {
    let now: UpdatedEntityRegistryEntry = try decode("{\"entity_entry\":\(Self.entry)}}")
    #expect(now.entry.entityID == "sensor.bilge")
    #expect(now.reloadDelay == nil)
    #expect(!now.requiresRestart)
    let later: UpdatedEntityRegistryEntry = try decode(
      "{\"entity_entry\":\(Self.entry)},\"reload_delay\":30,\"require_restart\":true}")
    #expect(later.reloadDelay == .seconds(30))
    #expect(later.requiresRestart)
  }

  @Test func peopleAreStoredOrConfigured() throws {
    let people: People = try decode(
      """
      {"storage":[{"id":"ann","name":"Ann","device_trackers":["device_tracker.phone"]}],
      "config":[{"id":"bob","name":"Bob","user_id":"u","picture":"/p.jpg"}]}
      """)
    #expect(people.stored.map(\.id) == ["ann"])
    #expect(people.stored.map(\.deviceTrackers) == [["device_tracker.phone"]])
    #expect(people.stored.map(\.userID) == [nil])
    #expect(people.configured.map(\.userID) == ["u"])
    #expect(people.configured.map(\.picture) == ["/p.jpg"])
  }
}
