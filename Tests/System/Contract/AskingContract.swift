import Testing

extension Contract {
  /// What a device can ask with its webhook alone: this is how it finds out what became of the
  /// things it sent.
  @Suite struct Asking {}
}

extension Contract.Asking {
  @Test func theConfigurationNamesTheReleaseAndHasAPlaceForEverythingButTheCloud() async throws {
    let device = try await Device.registered()
    let config = try await device.send("get_config", "{}").content
    var keys: Set = [
      "components", "elevation", "entities", "latitude", "location_name", "longitude",
      "theme_color", "time_zone", "unit_system", "version",
    ]
    let version = try await device.server.version()
    #expect(config["version"].text.flatMap(Version.init) == version)
    if version >= .namesTheDevice { keys.insert("hass_device_id") }
    #expect(config.keys.subtracting(["instance_id"]) == keys)
    #expect(config["entities"].keys == [device.identity.registration["device_id"].text])
    #expect(config["unit_system"]["length"].text != nil)
    #expect(config["components"].elements.contains("mobile_app"))
  }

  @Test func theConfigurationTellsWhichEntitiesTheUserDisabled() async throws {
    let device = try await Device.withSoil(#""state":1"#)
    _ = try await device.tryRegister("mast", "sensor", #""state":1,"disabled":true"#)
    let entities = try await device.send("get_config", "{}").content["entities"]
    #expect(entities["soil"]["disabled"] == false)
    #expect(entities["mast"]["disabled"] == true)
    let tracker = try #require(device.identity.registration["device_id"].text)
    #expect(entities[tracker]["disabled"] == false)
  }

  @Test func theZonesAreWholeStates() async throws {
    let device = try await Device.registered()
    let home = try await device.homeZone()
    for key in ["latitude", "longitude", "radius", "passive"] {
      #expect(home["attributes"][key] != .absent, "\(key)")
    }
  }

  @Test func everyTemplateOfAMessageAnswersUnderItsOwnKey() async throws {
    let device = try await Device.withSoil(#""state":12.5,"attributes":{"depth":3}"#)
    let entity = device.entityID("soil")
    let data: JSON = [
      "state": ["template": "{{ states('\(entity)') }}"],
      "attribute": ["template": "{{ state_attr('\(entity)','depth') }}"],
      "missing": ["template": "{{ states('sensor.no_such_sensor') }}"],
      "none": ["template": "{{ state_attr('\(entity)','no_such_attribute') }}"],
      "text": ["template": "wet"],
    ]
    let answer = try await device.send("render_template", data.encoded())
    #expect(
      answer
        == .sealed(
          200, ["state": 12.5, "attribute": 3, "missing": "unknown", "none": nil, "text": "wet"]))
  }

  @Test func aTemplateThatFailsSaysSoUnderItsKeyAndTheOthersAnswer() async throws {
    let device = try await Device.registered()
    let data: JSON = ["bad": ["template": "{{ states("], "good": ["template": "1"]]
    let answer = try await device.send("render_template", data.encoded()).content
    #expect(answer["good"] == 1)
    #expect(answer["bad"].keys == ["error"])
    #expect(answer["bad"]["error"].text?.isEmpty == false)
  }

  @Test(arguments: [#"{"t":{"template":"1","foo":1}}"#, #"{"t":{}}"#, #"{"t":"1"}"#, "[]"])
  func aTemplateInTheWrongShapeIsDropped(data: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send("render_template", data) == .emptyObject)
  }
}

// MARK: - Reading a location back

extension Contract.Asking {
  /// Whether a device can be told its id, and by it where it is: not by a release before 2025.4.
  static func canReadBack() async throws -> Bool {
    try await Server.required().version() >= .namesTheDevice
  }

  /// Where the tracker of a device is and how old that is, with nothing but its webhook.
  static let whereabouts =
    "{% set e=device_entities(id)|select('match','device_tracker[.]')|list|first|default(none) %}"
    + "{% if e and states[e] %}"
    + "{{ {'e':e,'lat':state_attr(e,'latitude'),'lon':state_attr(e,'longitude'),"
    + "'acc':state_attr(e,'gps_accuracy'),"
    + "'age':(as_timestamp(now())-as_timestamp(states[e].last_updated))|round(3)} }}"
    + "{% else %}{{ {'e':e} }}{% endif %}"

  @Test(.enabled("the server cannot be asked where a device is", canReadBack))
  func aDeviceCanReadItsOwnFixBack() async throws {
    let device = try await Device.located()
    let place = try await Self.readBack(device)
    #expect(place["e"] == .string(device.tracker))
    #expect(place["lat"] == 48.25)
    #expect(place["lon"] == -4.5)
    #expect(place["acc"] == 12)
  }

  @Test(.enabled("the server cannot be asked where a device is", canReadBack))
  func onlyTheAgeTellsThatTheSameFixWasDropped() async throws {
    let device = try await Device.located()
    let first = try await age(device)
    let dropped = #"{"gps":[48.25,-4.5]}"#
    #expect(try await device.send("update_location", dropped) == .emptyObject)
    let second = try await age(device)
    #expect(second > first)
  }

  static func readBack(_ device: Device) async throws -> JSON {
    let id = try await device.send("get_config", "{}").content["hass_device_id"]
    let template = JSON.string(whereabouts)
    let data: JSON = ["p": ["template": template, "variables": ["id": id]]]
    return try await device.send("render_template", data.encoded()).content["p"]
  }

  private func age(_ device: Device) async throws -> Double {
    guard case .number(let age) = try await Self.readBack(device)["age"] else { return .nan }
    return age
  }
}
