import Testing

extension Contract {
  /// Registering sensors and updating them.
  @Suite struct Sensors {}
}

// MARK: - Registering

extension Contract.Sensors {
  static let success = Answer.sealed(201, ["success": true])

  @Test func aSensorIsReadableAfterIts201() async throws {
    let device = try await Device.registered()
    try await device.register(
      "soil", "sensor",
      #""state":12.5,"device_class":"temperature","unit_of_measurement":"°C","#
        + #""state_class":"measurement","icon":"mdi:sprout","attributes":{"depth":3}"#)
    let soil = try await device.reading("soil")
    #expect(soil.state == "12.5")
    #expect(soil.attributes["friendly_name"] == "Contract \(device.identity.suffix) soil")
    #expect(soil.attributes["device_class"] == "temperature")
    #expect(soil.attributes["unit_of_measurement"] == "°C")
    #expect(soil.attributes["state_class"] == "measurement")
    #expect(soil.attributes["icon"] == "mdi:sprout")
    #expect(soil.attributes["depth"] == 3)
  }

  @Test func aSensorTakesAnUpdateRightAfterIts201() async throws {
    let device = try await Device.registered()
    #expect(try await device.tryRegister("soil", "sensor", #""state":1"#) == Self.success)
    #expect(try await device.update("soil", #""state":2"#) == ["success": true])
    let id = device.entityID("soil")
    #expect(try await device.server.entity(id) { $0?.state == "2" }?.state == "2")
  }

  /// Further members of a registration that is taken, and the state that comes of it.
  static let taken = [
    ("", "unknown"), (#""state":null"#, "unknown"), (#""state":true"#, "True"),
    (#""state":7"#, "7"), (#""state":7.25"#, "7.25"), (#""state":"wet""#, "wet"),
    (#""device_class":null,"icon":null,"unit_of_measurement":null,"state_class":null"#, "unknown"),
    (#""state":20,"device_class":"TEMPERATURE","unit_of_measurement":"°C""#, "20"),
    (#""state":1,"entity_category":"diagnostic""#, "1"),
    (#""state":1,"disabled":false"#, "1"),
    (
      #""state":"2026-01-01T00:00:00+01:00","device_class":"timestamp""#,
      "2025-12-31T23:00:00+00:00"
    ),
  ]

  @Test(arguments: taken)
  func aRegistrationIsTaken(more: String, state: String) async throws {
    let device = try await Device.withSoil(more)
    #expect(try await device.reading("soil").state == state)
  }

  @Test func aUniqueIDMayBeANumber() async throws {
    let device = try await Device.registered()
    let data = #"{"name":"soil","type":"sensor","unique_id":5,"state":1}"#
    #expect(try await device.send("register_sensor", data) == Self.success)
    #expect(try await device.update("5", #""state":2"#) == ["success": true])
  }

  /// Whole registrations that are dropped without a word.
  static let dropped = [
    #""type":"sensor","unique_id":"soil""#, #""name":"soil","unique_id":"soil""#,
    #""name":"soil","type":"sensor""#, #""name":"soil","type":"switch","unique_id":"soil""#,
    #""name":null,"type":"sensor","unique_id":"soil""#,
  ]
  /// Members that make a valid registration one that is dropped without a word.
  static let poison = [
    #""foo":1"#, #""device_class":"no_such_class""#, #""disabled":"true""#, #""disabled":null"#,
    #""icon":"no-colon""#, #""attributes":[]"#, #""attributes":null"#, #""state":[]"#,
    #""state":{}"#, #""state_class":"no_such_class""#, #""entity_category":"no_such_category""#,
  ]

  @Test(
    arguments: dropped + poison.map { #""name":"soil","type":"sensor","unique_id":"soil",\#($0)"# })
  func aRegistrationIsDroppedWithoutAWord(members: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.send("register_sensor", "{\(members)}") == .emptyObject)
    let answer = try await device.update("soil", #""state":1"#)
    #expect(answer["error"]["code"] == "not_registered")
  }

  @Test(arguments: ["null", #""measurement""#])
  func aStateClassOnABinarySensorDropsIt(stateClass: String) async throws {
    let device = try await Device.registered()
    let more = #""state":true,"state_class":\#(stateClass)"#
    #expect(try await device.tryRegister("bilge", "binary_sensor", more) == .emptyObject)
  }

  @Test(arguments: [
    #""state":"wet","unit_of_measurement":"%""#,
    #""state":"wet","state_class":"measurement""#,
    #""state":"wet","device_class":"humidity""#,
    #""state":"2026-01-01T00:00:00","device_class":"timestamp""#,
    #""state":1,"entity_category":"config""#,
  ])
  func aSensorThatCannotStartIsRegisteredAndNeverExists(more: String) async throws {
    let device = try await Device.registered()
    #expect(try await device.tryRegister("soil", "sensor", more) == Self.success)
    // Entities are made in order: once the witness exists, the other one is not coming.
    try await device.register("witness")
    #expect(try await device.server.entity(device.entityID("soil")) == nil)
    #expect(try await device.update("soil", #""state":1"#) == ["success": true])
  }
}

// MARK: - Registering again

extension Contract.Sensors {
  @Test func registeringAgainChangesTheStateTheIconAndTheClassAtOnce() async throws {
    let device = try await Device.registered()
    try await device.register(
      "soil", "sensor",
      #""state":1,"icon":"mdi:sprout","device_class":"humidity","unit_of_measurement":"%""#)
    let answer = try await device.tryRegister(
      "soil", "sensor",
      #""state":2,"icon":"mdi:water","device_class":"moisture","unit_of_measurement":"%""#)
    #expect(answer == Self.success)
    let soil = try await device.server.entity(device.entityID("soil")) { $0?.state == "2" }
    #expect(soil?.state == "2")
    #expect(soil?.attributes["icon"] == "mdi:water")
    #expect(soil?.attributes["device_class"] == "moisture")
  }

  @Test func registeringAgainWithAnotherUnitConvertsToTheOldOne() async throws {
    let device = try await Device.registered()
    let celsius = #""state":20,"device_class":"temperature","unit_of_measurement":"°C""#
    try await device.register("soil", "sensor", celsius)
    let fahrenheit = #""state":100,"device_class":"temperature","unit_of_measurement":"°F""#
    #expect(try await device.tryRegister("soil", "sensor", fahrenheit) == Self.success)
    let soil = try await device.server.entity(device.entityID("soil")) { $0?.state != "20" }
    #expect(soil?.attributes["unit_of_measurement"] == "°C")
    #expect(soil.flatMap { Double($0.state) }.map { $0.rounded() } == 38)
  }

  @Test func aDisabledSensorTakesUpdatesThatAreNotShown() async throws {
    let device = try await Device.registered()
    let disabled = #""state":1,"disabled":true"#
    #expect(try await device.tryRegister("soil", "sensor", disabled) == Self.success)
    try await device.register("witness")
    #expect(
      try await device.update("soil", #""state":2"#) == ["success": true, "is_disabled": true])
    #expect(try await device.server.entity(device.entityID("soil")) == nil)
  }

  @Test func aSensorJustEnabledAgainTakesUpdatesThatAreLost() async throws {
    let device = try await Device.registered()
    _ = try await device.tryRegister("soil", "sensor", #""state":1,"disabled":true"#)
    try await device.register("witness")
    #expect(
      try await device.tryRegister("soil", "sensor", #""state":2,"disabled":false"#)
        == Self.success)
    #expect(try await device.update("soil", #""state":3"#) == ["success": true])
    // Home Assistant reloads the whole registration half a minute later, and not before.
    #expect(try await device.server.entity(device.entityID("soil")) == nil)
  }
}
