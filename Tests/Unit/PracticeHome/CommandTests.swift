import Testing

@testable import PracticeHome

@Suite struct OptionsTests {
  @Test func nothingIsAskedForByDefault() {
    #expect(Options.parse([]) == .run(Options()))
    #expect(Options().port == 8124)
    #expect(Options().household.token == "practice")
    #expect(Options().household.failuresUntilBan == nil)
  }

  @Test func everyOptionIsUnderstoodBothWays() {
    var options = Options()
    options.port = 0
    options.household.token = "t=1"
    options.isJSON = true
    options.duration = .seconds(1.5)
    options.delay = .milliseconds(20)
    options.obeys = true
    options.household.resident.isAdministrator = false
    let flags = ["--json", "--obey", "--no-admin"]
    let apart = ["--port", "0", "--token", "t=1", "--for", "1.5", "--delay", "20"]
    let together = ["--port=0", "--token=t=1", "--for=1.5", "--delay=20"]
    #expect(Options.parse(apart + flags) == .run(options))
    #expect(Options.parse(together + flags) == .run(options))
    #expect(Options.parse(["--help"]) == .help)
    #expect(Options.parse(["--version", "--json"]) == .version)
  }

  @Test(arguments: [
    ["--port"], ["--port", "65536"], ["--port", "x"], ["--token", ""], ["--for", "0"],
    ["--for", "soon"], ["--delay", "0"], ["--nope"], ["8124"], ["--json=1"],
  ])
  func whatIsNotUnderstoodIsNamed(arguments: [String]) {
    guard case .misunderstood(let message) = Options.parse(arguments) else {
      Issue.record("understood \(arguments)")
      return
    }
    #expect(message.contains(arguments[0].prefix { $0 != "=" }))
  }

  @Test func aTakenPortIsExplainedWithWhatToDo() {
    let text = PracticeHomeCommand.explain(.portInUse(8124))
    #expect(text.contains("8124"))
    #expect(text.contains("--port 8125"))
    #expect(text.contains("--port 0"))
  }
}

@Suite struct LineTests {
  @Test func theLineOfALocationHoldsWhatHomeAssistantKeeps() {
    var visitor = Visitor()
    visitor.send("update_location", ["gps": [52.5, 4], "gps_accuracy": 9.9])
    let line = visitor.home.journal.last.map { EventLine.entry($0) }
    #expect(line?["event"] == "location")
    #expect(line?["sealed"] == true)
    #expect(line?["device"] == "Boat")
    #expect(line?["location"] == ["gps": [52.5, 4.0], "gps_accuracy": 9])
  }

  @Test func theLineOfARefusalSaysWhyAndHowItLookedFromOutside() {
    var visitor = Visitor()
    visitor.send("update_location", ["gps": [1, 1], "gps_accuracy": 1, "timestamp": 1])
    let line = visitor.home.journal.last.map { EventLine.entry($0) }
    #expect(line?["event"] == "refused")
    #expect(line?["type"] == "update_location")
    #expect(line?["reason"] == "extra key \"timestamp\" in update_location")
    #expect(line?["status"] == 200)
    #expect(line?["content"]?["timestamp"] == 1)
    #expect(
      visitor.home.journal.last.flatMap { PlainLine.entry($0).last }?.hasSuffix(
        "dropped silently, as Home Assistant does: extra key \"timestamp\" in update_location")
        == true)
  }

  @Test func theLineOfReadingsHoldsEveryValueThatCounted() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["unit_of_measurement": "%"])
    visitor.update("cpu", 50, ["icon": "mdi:chip", "attributes": ["a": 1]])
    let line = visitor.home.journal.last.map { EventLine.entry($0) }
    #expect(line?["event"] == "readings")
    #expect(
      line?["readings"] == [
        [
          "unique_id": "cpu", "entity_id": "sensor.boat_cpu", "state": 50, "shown": "50",
          "unit": "%", "icon": "mdi:chip", "attributes": ["a": 1],
        ]
      ])
  }

  @Test func aChosenTokenIsNotRepeated() {
    var household = Household()
    #expect(EventLine.listening(url: "u", port: 1, household)["token"] == "practice")
    #expect(EventLine.listening(url: "u", port: 1, household)["password"] == "practice")
    household.token = "hush"
    household.resident.code = "hush"
    #expect(!EventLine.listening(url: "u", port: 1, household).text.contains("hush"))
  }
}

@Suite struct TerminalTableTests {
  private func lines(_ visitor: Visitor, columns: Int = 80) -> [String] {
    var table = TerminalTable()
    visitor.home.journal.forEach { table.note($0) }
    return table.lines(visitor.home.counters, columns: columns)
  }

  @Test func theTableShowsTheLastValueItsUnitAndHowOftenItCame() {
    var visitor = Visitor()
    visitor.sensor("cpu", ["unit_of_measurement": "%", "state": 1])
    visitor.update("cpu", 49)
    visitor.update("cpu", 50)
    visitor.send("update_location", ["gps": [52.5, 4], "gps_accuracy": 5, "battery": 9])
    let text = lines(visitor).joined(separator: "\n")
    #expect(text.contains("Boat  sensor.boat_cpu  50 %  2x"))
    #expect(!text.contains("49"))
    #expect(text.contains("Boat  location         52.5, 4.0  ±5 m  battery 9 %  1x"))
    #expect(text.contains("registrations 1, readings 2, locations 1, refused 0"))
  }

  @Test func onlyTheLastRefusalsStay() {
    var visitor = Visitor()
    for number in 1...9 { visitor.send("nope\(number)", [:]) }
    let text = lines(visitor).joined()
    #expect(!text.contains("nope3"))
    #expect(text.contains("nope4"))
    #expect(text.contains("dropped silently, as Home Assistant does: unknown type \"nope9\""))
  }

  @Test func aLongLineGoesOnInTheNextOneAndNothingEscapes() {
    var visitor = Visitor(changes: ["device_name": "Boat\u{1B}[31m"])
    visitor.sensor("cpu")
    visitor.update("cpu", .string(String(repeating: "x", count: 200)))
    visitor.send(raw: "{}")
    let lines = lines(visitor, columns: 44)
    #expect(lines.allSatisfy { $0.count <= 44 && !$0.contains("\u{1B}") })
    #expect(lines.joined().contains("registration that has a secret: seal it"))
  }
}
