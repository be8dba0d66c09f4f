import Testing

@testable import PracticeHome

@Suite struct LocationTests {
  static let tracker = "device_tracker.boat"
  static let good: JSONObject = ["gps": [52.5, 4], "gps_accuracy": 10]

  @Test func aLocationIsStoredAndItsAnswerSaysNothing() {
    var visitor = Visitor()
    let location = Self.good.merging([
      "battery": 45, "speed": 3, "altitude": -2.5, "course": 270, "vertical_accuracy": 4,
    ])
    #expect(visitor.send("update_location", .object(location)) == .silence)
    #expect(visitor.shown(Self.tracker) == "not_home")
    #expect(
      visitor.home.state(of: Self.tracker)?.attributes == [
        "source_type": "gps", "battery_level": 45, "latitude": 52.5, "longitude": 4.0,
        "gps_accuracy": 10, "altitude": -2.5, "course": 270, "speed": 3, "vertical_accuracy": 4,
        "friendly_name": "Boat",
      ])
  }

  @Test func aLocationWithOneExtraKeyVanishesWithoutAWord() {
    var visitor = Visitor()
    let late = Self.good.merging(["timestamp": 1_795_000_000])
    #expect(visitor.send("update_location", .object(late)) == .silence)
    #expect(visitor.shown(Self.tracker) == "unknown")
    #expect(visitor.lastReason == "extra key \"timestamp\" in update_location")
    #expect(visitor.lastRefusal?.manner(status: 200) == "dropped silently, as Home Assistant does")
  }

  @Test(arguments: [
    #"{"gps":["nan",4],"gps_accuracy":1}"#, #"{"gps":[52.5,4],"gps_accuracy":"3.5"}"#,
    #"{"location_name":[]}"#, #"{"foo":1}"#, "[]",
  ])
  func oneBadFieldDropsTheWholeFix(data: String) {
    var visitor = Visitor()
    visitor.send("update_location", .object(Self.good))
    #expect(visitor.send("update_location", text: data) == .silence)
    #expect(visitor.attribute("latitude", Self.tracker) == 52.5, "the last good fix stays")
    #expect(visitor.home.counters.refused == 1)
  }

  @Test(arguments: [
    (#"{"gps":[52.5,4],"gps_accuracy":true}"#, "gps_accuracy", JSON.integer(1)),
    (#"{"gps":[52.5,4],"gps_accuracy":" 7 "}"#, "gps_accuracy", 7),
    (#"{"speed":-0.5}"#, "speed", 0), (#"{"altitude":"-3"}"#, "altitude", -3.0),
    (#"{"altitude":0}"#, "altitude", 0.0),
  ])
  func valuesAreCutToWholeNumbersAndTextIsRead(data: String, attribute: String, value: JSON) {
    var visitor = Visitor()
    visitor.send("update_location", text: data)
    #expect(visitor.attribute(attribute, Self.tracker) == value)
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
