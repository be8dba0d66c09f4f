import Testing

@testable import PracticeHome

@Suite struct SensorRegistrationTests {
  @Test(arguments: [
    #"{"name":"a","type":"sensor","unique_id":"a","state_class":"Measurement"}"#,
    #"{"name":"a","type":"sensor","unique_id":"a","unit_of_measurement":[]}"#,
  ])
  func aRegistrationWithOneWrongKeyIsDropped(data: String) {
    var visitor = Visitor()
    #expect(visitor.send("register_sensor", text: data) == .silence)
    let sensors = visitor.home.entityStates.filter { $0.entityID.contains("sensor.") }
    #expect(sensors.isEmpty)
  }

  @Test(
    arguments: [
      (["unit_of_measurement": "V", "state": "hello"], "3.3"),
      (["state_class": "measurement", "state": "n/a"], "3.3"),
      (["device_class": "voltage", "state": ""], "3.3"),
      (["device_class": "timestamp", "state": "2026-01-01T00:00:00"], "2026-01-01T00:00:00Z"),
    ] as [(JSONObject, JSON)])
  func anEntityThatCannotStartIsRegisteredAllTheSame(registration: JSONObject, cure: JSON) {
    var visitor = Visitor()
    visitor.sensor("bad", registration)
    #expect(visitor.shown("sensor.boat_bad") == nil)
    guard case .entityCannotStart = visitor.lastRefusal else {
      Issue.record("the journal does not tell")
      return
    }
    visitor.update("bad", cure)
    #expect(visitor.shown("sensor.boat_bad") != nil, "a good value brings it up")
  }

  @Test func aConfigurationSensorNeverShows() {
    var visitor = Visitor()
    visitor.sensor("cfg", ["entity_category": "config", "state": 1])
    #expect(visitor.update("cfg", 2).opened == ["cfg": ["success": true]])
    #expect(visitor.shown("sensor.boat_cfg") == nil)
    #expect(visitor.lastReason?.hasPrefix("cfg keeps its old value") == true)
  }

  @Test func registeringAgainChangesTheStateAtOnceAndTheNameLater() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 5, "icon": "mdi:chip", "device_class": "power"])
    visitor.send(
      "register_sensor", ["name": "Load", "type": "sensor", "unique_id": "cpu", "state": 6])
    #expect(visitor.shown("sensor.boat_cpu") == "6")
    #expect(visitor.attribute("icon", "sensor.boat_cpu") == "mdi:cellphone")
    #expect(visitor.attribute("device_class", "sensor.boat_cpu") == "power", "omitted is kept")
    #expect(visitor.attribute("friendly_name", "sensor.boat_cpu") == "Boat cpu")
    visitor.home.restart(now: visitor.now)
    #expect(visitor.attribute("friendly_name", "sensor.boat_cpu") == "Boat Load")
  }

  @Test func anEnabledSensorIsThereAgainAfterHalfAMinute() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 1])
    visitor.sensor("cpu", ["state": 2, "disabled": true])
    visitor.sensor("cpu", ["disabled": false])
    visitor.now = visitor.now + .seconds(31)
    visitor.send("get_zones", [:])
    #expect(visitor.shown("sensor.boat_cpu") == "1")
  }

  @Test func twoSensorsOfOneNameAreToldApartByANumber() {
    var visitor = Visitor()
    visitor.send(
      "register_sensor", ["name": "CPU", "type": "sensor", "unique_id": "a", "state": 1])
    visitor.send(
      "register_sensor", ["name": "CPU", "type": "sensor", "unique_id": "b", "state": 2])
    #expect(visitor.shown("sensor.boat_cpu") == "1")
    #expect(visitor.shown("sensor.boat_cpu_2") == "2")
  }
}

@Suite struct ReadingTests {
  @Test(
    arguments: [
      (12.0, "12.0"), ("21.50", "21.50"), (" 12 ", " 12 "), ("1E5", "1E5"), (1e22, "1e+22"),
      (-0.0, "-0.0"), (123_456_789_012_345.0, "1.23456789012345e+14"),
    ] as [(JSON, String)])
  func aNumericSensorShowsWhatPythonPrints(state: JSON, shown: String) {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 50, "unit_of_measurement": "%"])
    visitor.update("cpu", state)
    #expect(visitor.shown("sensor.boat_cpu") == shown)
  }

  @Test(arguments: ["nan", "inf"] as [JSON])
  func whatIsNotFiniteIsCalledASuccessAndKeepsTheOldValue(state: JSON) {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 50, "unit_of_measurement": "%"])
    #expect(visitor.update("cpu", state).opened == ["cpu": ["success": true]])
    #expect(visitor.shown("sensor.boat_cpu") == "50")
    guard case .valueIgnored(uniqueID: "cpu", _) = visitor.lastRefusal else {
      Issue.record("the journal does not tell")
      return
    }
    #expect(visitor.home.counters.readings == 0)
  }

  @Test(arguments: [(0.0, "off"), ("unavailable", "unavailable")] as [(JSON, String)])
  func aBinarySensorIsAsTrueAsPythonFindsIt(state: JSON, shown: String) {
    var visitor = Visitor()
    visitor.sensor("bilge", ["type": "binary_sensor"])
    visitor.update("bilge", state, ["type": "binary_sensor"])
    #expect(visitor.shown("binary_sensor.boat_bilge") == shown)
  }

  @Test func aBinarySensorIsNeverUnknownAfterARestart() {
    var visitor = Visitor()
    visitor.sensor("bilge", ["type": "binary_sensor"])
    visitor.sensor("cpu", ["state": "unavailable"])
    #expect(visitor.shown("binary_sensor.boat_bilge") == "unknown")
    visitor.home.restart(now: visitor.now)
    #expect(visitor.shown("binary_sensor.boat_bilge") == "off")
    #expect(visitor.shown("sensor.boat_cpu") == "unavailable")
  }

  @Test func aStateOf256CharactersIsUnknownAndBare() {
    var visitor = Visitor()
    visitor.sensor("text")
    let longest = String(repeating: "é", count: 255)
    visitor.update("text", .string(longest))
    #expect(visitor.shown("sensor.boat_text") == longest)
    visitor.update("text", .string(longest + "x"))
    #expect(visitor.shown("sensor.boat_text") == "unknown")
    #expect(visitor.home.state(of: "sensor.boat_text")?.attributes == [:])
  }

  @Test func aStateThatStaysAsItIsIsReported() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["state": 5])
    visitor.now = visitor.now + .seconds(60)
    visitor.update("cpu", 5)
    #expect(visitor.home.state(of: "sensor.boat_cpu")?.lastReported == visitor.now)
  }

  @Test func aSensorAndABinarySensorOfOneIdOverwriteEachOther() {
    var visitor = Visitor()
    visitor.sensor("x", ["state": 1])
    visitor.sensor("x", ["type": "binary_sensor", "state": true])
    visitor.update("x", 0)
    #expect(visitor.shown("sensor.boat_x") == "0")
    #expect(visitor.shown("binary_sensor.boat_x") == "off")
  }

  @Test(arguments: [
    ("temperature", "°F", "100", "38", "°C"), ("wind_speed", "m/s", "10", "36", "km/h"),
    ("atmospheric_pressure", "Pa", "101325", "1013.25", "hPa"),
    ("temperature", "°F", "98.6", "37.0", "°C"), ("distance", "nmi", "2.0", "3.7", "km"),
    ("temperature", "°C", "21.5", "21.5", "°C"), ("humidity", "%", "40", "40", "%"),
  ])
  func someClassesAreShownInTheUnitsOfTheHousehold(
    deviceClass: String, unit: String, sent: String, shown: String, shownUnit: String
  ) {
    var visitor = Visitor()
    visitor.send(
      "register_sensor",
      text: """
        {"name":"x","type":"sensor","unique_id":"x","state":\(sent),
        "device_class":"\(deviceClass)","unit_of_measurement":"\(unit)"}
        """)
    #expect(visitor.shown("sensor.boat_x") == shown)
    #expect(visitor.attribute("unit_of_measurement", "sensor.boat_x") == .string(shownUnit))
  }

  @Test(arguments: [
    ("timestamp", "2026-01-01T00:00:00+02:00", "2025-12-31T22:00:00+00:00"),
    ("timestamp", "20260101T100000Z", "2026-01-01T10:00:00+00:00"),
    ("timestamp", "2024-02-29 23:59:59.9Z", "2024-02-29T23:59:59+00:00"),
    ("date", "2026-01-01T10:00:00Z", "2026-01-01"), ("date", "2100-02-28", "2100-02-28"),
  ])
  func timesAreShownInUTC(deviceClass: String, sent: String, shown: String) {
    var visitor = Visitor()
    visitor.sensor("t", ["device_class": .string(deviceClass), "state": .string(sent)])
    #expect(visitor.shown("sensor.boat_t") == shown)
  }
}

@Suite struct LocationTests {
  static let tracker = "device_tracker.boat"
  static let good: JSONObject = ["gps": [52.5, 4], "gps_accuracy": 10]

  @Test(arguments: [#"{"gps":["nan",4],"gps_accuracy":1}"#, #"{"location_name":[]}"#])
  func oneBadFieldDropsTheWholeFix(data: String) {
    var visitor = Visitor()
    visitor.send("update_location", .object(Self.good))
    #expect(visitor.send("update_location", text: data) == .silence)
    #expect(visitor.attribute("latitude", Self.tracker) == 52.5, "the last good fix stays")
    #expect(visitor.home.counters.refused == 1)
  }

  @Test func aSpeedIsCutToAWholeNumberBeforeItIsJudged() {
    var visitor = Visitor()
    visitor.send("update_location", ["speed": -0.5])
    #expect(visitor.attribute("speed", Self.tracker) == 0)
  }

  @Test func homeIsWhereTheCircleOfUncertaintyTouchesTheZone() {
    var visitor = Visitor()
    for (latitude, accuracy, state) in [
      (52.0, 0, "home"), (52.0008, 0, "home"), (52.0010, 0, "not_home"), (52.0010, 20, "home"),
      (53.0, 200_000, "home"),
    ] {
      visitor.send(
        "update_location",
        ["gps": [.float(latitude), 4], "gps_accuracy": .integer(Int128(accuracy))])
      #expect(visitor.shown(Self.tracker) == state, "\(latitude) ±\(accuracy)")
    }
  }

  @Test func oneHugeAccuracyBreaksTheListOfAllStates() {
    var visitor = Visitor()
    visitor.send("update_location", ["gps": [52.5, 4], "gps_accuracy": 1e30])
    let ask = Request(
      method: "GET", path: "/api/states",
      headers: [(name: "Authorization", value: "Bearer practice")])
    #expect(visitor.ask(ask).status == 500)
    visitor.send("update_location", .object(Self.good))
    #expect(visitor.ask(ask).status == 200)
  }

  @Test func aRestartLosesTheNameOfThePlaceAndNothingElse() {
    var visitor = Visitor()
    visitor.send(
      "update_location",
      .object(Self.good.merging(["location_name": "Pier", "battery": 4, "course": 9])))
    visitor.home.restart(now: visitor.now)
    #expect(visitor.shown(Self.tracker) == "not_home")
    #expect(visitor.attribute("battery_level", Self.tracker) == 4)
    #expect(visitor.attribute("course", Self.tracker) == 9)
  }
}
