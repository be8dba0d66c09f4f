import Foundation
import Testing

extension Contract {
  /// Long-term statistics: how a device finds its own entities, and brings hours of them.
  @Suite struct LongTermStatistics {}
}

// MARK: - One's own entities

extension Contract.LongTermStatistics {
  @Test(.enabled("the server does not tell a device its id", Contract.Asking.canReadBack))
  func theEntitiesOfADeviceAreFoundByItsID() async throws {
    let soil = try await MeasuredEntity.soil()
    let config = try await soil.device.send("get_config", "{}").content
    _ = try await soil.device.tryRegister("dark", "sensor", #""state":1,"disabled":true"#)
    let request: JSON = ["item_type": "device", "item_id": config["hass_device_id"]]
    let items = try await soil.socket.result("search/related", request)
    #expect(items["entity"].elements.contains(.string(soil.id)))
    #expect(!items["entity"].elements.contains(.string(try soil.device.entityID("dark"))))
    #expect(items["integration"] == ["mobile_app"])
    #expect(items["config_entry"].elements.count == 1)
    #expect(items["device"] == .absent)
    let back: JSON = ["item_type": "entity", "item_id": .string(soil.id)]
    let others = try await soil.socket.result("search/related", back)
    #expect(others["device"] == [config["hass_device_id"]])
    #expect(others["entity"] == .absent)
  }

  @Test func ofADeviceThatIsNotThereNothingIsRelated() async throws {
    let socket = try await WebSocket.opened()
    let request: JSON = ["item_type": "device", "item_id": "nope"]
    #expect(try await socket.result("search/related", request) == [:])
    #expect(
      try await socket.refusal("search/related", request.replacing("item_type", "nope"))
        == "invalid_format")
  }

  @Test func theEntriesTellWhichSensorAnEntityIs() async throws {
    let soil = try await MeasuredEntity.soil()
    _ = try await soil.device.tryRegister("dark", "sensor", #""state":1,"disabled":true"#)
    let dark = try soil.device.entityID("dark")
    let ids: JSON = ["entity_ids": [.string(soil.id), .string(dark), "sensor.nope"]]
    let entries = try await soil.socket.result("config/entity_registry/get_entries", ids)
    #expect(entries.keys == [soil.id, dark, "sensor.nope"])
    let entry = entries[soil.id]
    #expect(entry["entity_id"] == .string(soil.id))
    #expect(entry["unique_id"] == .string("\(try soil.device.webhookID)_soil"))
    #expect(entry["platform"] == "mobile_app")
    #expect(entry["disabled_by"] == nil)
    #expect(entries[dark]["disabled_by"] == "integration")
    #expect(entries["sensor.nope"] == nil)
  }
}

// MARK: - What Home Assistant compiles itself

extension Contract.LongTermStatistics {
  /// Before it has, an imported hour is in its way. It compiles every five minutes.
  @Test(.timeLimit(.minutes(7)))
  func theFiguresOfFiveMinutesTellHowFarItHasCompiled() async throws {
    let soil = try await MeasuredEntity.soil()
    let begin = Int(Date().timeIntervalSince1970)
    let question: JSON = [
      "start_time": .string(Date(timeIntervalSince1970: Double(begin - 3600)).ISO8601Format()),
      "period": "5minute", "statistic_ids": [.string(soil.id)], "types": ["mean"],
    ]
    let rows = try await Server.settled(
      within: .seconds(330), pause: .seconds(1), until: { !$0.isEmpty }
    ) {
      try await soil.socket.result("recorder/statistics_during_period", question)[soil.id].elements
    }
    let row = try #require(rows.last)
    // It weighs each state with its time, in floating point.
    #expect(abs(try #require(row["mean"].number) - 20) < 1e-9)
    let start = try #require(row["start"].number)
    #expect(start.remainder(dividingBy: 300_000) == 0)
    #expect(row["end"].number == start + 300_000)
    #expect(start + 300_000 <= Date().timeIntervalSince1970 * 1000)
  }
}

// MARK: - What a statistic is

extension Contract.LongTermStatistics {
  @Test func aSensorIsDescribedBeforeAnythingIsRecordedOfIt() async throws {
    let description = try await MeasuredEntity.soil().description()
    #expect(description["source"] == "recorder")
    #expect(description["statistics_unit_of_measurement"] == "°C")
    #expect(description["display_unit_of_measurement"] == "°C")
    #expect(description["unit_class"] == "temperature")
    #expect(description["has_mean"] == true)
    #expect(description["has_sum"] == false)
    if try await Server.required().version() >= .namesTheDevice {
      #expect(description["mean_type"] == 1)
    }
    let meter = try await MeasuredEntity("rain", MeasuredEntity.rainGauge).description()
    #expect(meter["unit_class"] == "distance")
    #expect(meter["has_mean"] == false)
    #expect(meter["has_sum"] == true)
  }

  @Test func aSensorWithoutAStateClassHasNoStatistics() async throws {
    let device = try await Device.registered()
    try await device.register("plain", "sensor", #""state":1"#)
    let ids: JSON = ["statistic_ids": [.string(device.entityID("plain"))]]
    let socket = try await WebSocket.opened()
    #expect(try await socket.result("recorder/get_statistics_metadata", ids) == [])
  }

  @Test func theListHasTheSensorsOfAKind() async throws {
    let soil = try await MeasuredEntity.soil()
    let list = { (type: JSON) in
      try await soil.socket.result("recorder/list_statistic_ids", ["statistic_type": type])
        .elements.contains { $0["statistic_id"] == .string(soil.id) }
    }
    #expect(try await list("mean"))
    #expect(try await !list("sum"))
  }
}

// MARK: - Importing

extension Contract.LongTermStatistics {
  @Test func importedHoursAreReadBack() async throws {
    let soil = try await MeasuredEntity.soil()
    try await soil.bring(
      soil.metadata(), MeasuredEntity.hour(3, ["mean": 20.5, "min": 20, "max": 21]),
      MeasuredEntity.hour(4, ["mean": 11]))
    let hours = try await soil.hours(until: "mean", is: 11)
    #expect(hours.count == 2)
    #expect(
      hours.first == [
        "start": .number(Double(MeasuredEntity.second(ofHour: 3)) * 1000),
        "end": .number(Double(MeasuredEntity.second(ofHour: 4)) * 1000), "mean": 20.5, "min": 20,
        "max": 21, "last_reset": nil,
      ])
    #expect(hours.last?["min"] == .null)
    let means = try await soil.hours([
      "types": ["mean"], "start_time": MeasuredEntity.time(ofHour: 4),
      "end_time": MeasuredEntity.time(ofHour: 5),
    ])
    #expect(means.map(\.keys) == [["start", "end", "mean"]])
    #expect(means.first?["mean"] == 11)
    #expect(try await soil.hours(["end_time": MeasuredEntity.time(ofHour: 3)]).isEmpty)
  }

  @Test func anHourThatIsThereIsReplacedAsAWhole() async throws {
    let soil = try await MeasuredEntity.soil()
    let metadata = soil.metadata()
    try await soil.bring(metadata, MeasuredEntity.hour(3, ["mean": 20, "min": 19, "max": 21]))
    _ = try await soil.hours(until: "mean", is: 20)
    try await soil.bring(metadata, MeasuredEntity.hour(3, ["mean": 7]))
    let hours = try await soil.hours(until: "mean", is: 7)
    #expect(hours.count == 1)
    #expect(hours.first?["min"] == .null)
  }

  @Test func aMeterHasSumsAndStatesAndWhatItCountedInTheHour() async throws {
    let rain = try await MeasuredEntity("rain", MeasuredEntity.rainGauge)
    let metadata = rain.metadata(unit: "mm", kind: "distance", isMeter: true)
    try await rain.bring(
      metadata, MeasuredEntity.hour(3, ["sum": 1.5, "state": 7]),
      MeasuredEntity.hour(
        4, ["sum": 4, "state": 9.5, "last_reset": MeasuredEntity.time(ofHour: 3)]))
    let hours = try await rain.hours(until: "sum", is: 4)
    #expect(hours.map { $0["sum"] } == [1.5, 4])
    #expect(hours.map { $0["state"] } == [7, 9.5])
    #expect(hours.map { $0["change"] } == [1.5, 2.5])
    #expect(hours.first?["last_reset"] == .null)
    #expect(
      hours.last?["last_reset"] == .number(Double(MeasuredEntity.second(ofHour: 3)) * 1000))
    #expect(hours.first?["mean"] == .absent)
    let later = try await rain.hours([
      "start_time": MeasuredEntity.time(ofHour: 4), "types": ["change"],
    ])
    #expect(later.map { $0["change"] } == [2.5])
    #expect(try await rain.description()["has_sum"] == true)
  }

  @Test func aStatisticOfNoEntityHasANameOfItsOwn() async throws {
    let soil = try await MeasuredEntity.soil()
    let id = "contract:\(try soil.device.identity.suffix)"
    let metadata = soil.metadata().replacing("statistic_id", .string(id))
      .replacing("source", "contract").replacing("name", "Soil")
    try await soil.bring(metadata, MeasuredEntity.hour(3, ["mean": 20]))
    let ids: JSON = ["statistic_ids": [.string(id)]]
    let all = try await Server.settled(until: { !$0.isEmpty }) {
      try await soil.socket.result("recorder/get_statistics_metadata", ids).elements
    }
    #expect(all.map { $0["name"] } == ["Soil"])
    #expect(all.map { $0["source"] } == ["contract"])
  }
}

// MARK: - Units

extension Contract.LongTermStatistics {
  @Test func figuresComeInTheUnitThatIsAskedFor() async throws {
    let soil = try await MeasuredEntity.soil()
    try await soil.bring(soil.metadata(), MeasuredEntity.hour(3, ["mean": 20]))
    _ = try await soil.hours(until: "mean", is: 20)
    for (unit, mean) in [("°F", 68), ("K", 293.15), ("°C", 20)] {
      let units: JSON = ["units": ["temperature": .string(unit)]]
      _ = try await soil.hours(units, until: "mean", is: mean)
    }
    let bad: JSON = [
      "start_time": MeasuredEntity.time(ofHour: 0), "period": "hour",
      "statistic_ids": [.string(soil.id)], "units": ["temperature": "m"],
    ]
    #expect(
      try await soil.socket.refusal("recorder/statistics_during_period", bad) == "invalid_format")
  }

  @Test func figuresInAnotherUnitAreToldInTheOneThatIsShown() async throws {
    let soil = try await MeasuredEntity.soil()
    try await soil.bring(soil.metadata(unit: "°F"), MeasuredEntity.hour(3, ["mean": 50]))
    _ = try await soil.hours(until: "mean", is: 10)
    let description = try await soil.description()
    #expect(description["statistics_unit_of_measurement"] == "°F")
    #expect(description["display_unit_of_measurement"] == "°C")
  }

  /// What makes a wrong unit a disaster: hours that are there are not converted, but from now on
  /// taken for figures in the new unit.
  @Test func anImportInAnotherUnitFalsifiesWhatIsThere() async throws {
    let soil = try await MeasuredEntity.soil()
    try await soil.bring(soil.metadata(), MeasuredEntity.hour(3, ["mean": 20]))
    _ = try await soil.hours(until: "mean", is: 20)
    try await soil.bring(soil.metadata(unit: "°F"), MeasuredEntity.hour(4, ["mean": 50]))
    let hours = try await soil.hours(until: "mean", is: 10)
    #expect(abs((hours.first?["mean"].number ?? .nan) + 20 / 3.0) < 1e-6, "20 °F, and not °C")
  }
}

// MARK: - Refusals

extension Contract.LongTermStatistics {
  @Test func anHourThatIsNotFullIsRefusedAndAllThatCameWithIt() async throws {
    let soil = try await MeasuredEntity.soil()
    let metadata = soil.metadata()
    let good = MeasuredEntity.hour(3, ["mean": 20])
    let start = try #require(MeasuredEntity.time(ofHour: 5).text)
    for late in ["T05:30:00Z", "T05:00:01Z", "T05:00:00.5Z", "T05:00:00"] {
      let time = start.replacing("T05:00:00Z", with: late)
      #expect(
        try await soil.refusal(metadata, good, ["start": .string(time), "mean": 1])
          == "home_assistant_error", "\(time)")
    }
    try await soil.bring(metadata, MeasuredEntity.hour(6, ["mean": 7]))
    #expect(try await soil.hours(until: "mean", is: 7).count == 1)
  }

  @Test func theSourceMustBelongToTheID() async throws {
    let soil = try await MeasuredEntity.soil()
    let metadata = soil.metadata()
    for (id, source) in [
      (soil.id, "contract"), ("contract:soil", "recorder"), ("soil", "recorder"),
      ("contract:so__il", "contract"),
    ] {
      let bad = metadata.replacing("statistic_id", .string(id))
        .replacing("source", .string(source))
      #expect(try await soil.refusal(bad) == "home_assistant_error", "\(id) of \(source)")
    }
  }

  @Test func whatHomeAssistantDoesNotKnowIsRefused() async throws {
    let soil = try await MeasuredEntity.soil()
    let metadata = soil.metadata()
    let refusals = [
      try await soil.refusal(metadata.replacing("foo", 1)),
      try await soil.refusal(metadata.removing("name")),
      try await soil.refusal(metadata, MeasuredEntity.hour(3, ["median": 1])),
      try await soil.refusal(metadata, MeasuredEntity.hour(3, ["mean": nil])),
      try await soil.refusal(metadata, ["start": "soon", "mean": 1]),
    ]
    #expect(refusals.allSatisfy { $0 == "invalid_format" }, "\(refusals)")
    if try await soil.device.server.version() < .knowsKindsOfMeans {
      #expect(try await soil.refusal(metadata.replacing("mean_type", 1)) == "invalid_format")
    }
  }

  @Test(.enabled("the server knows nobody but its owner", User.canBeOthers))
  func whoIsNoAdministratorReadsAndDoesNotImport() async throws {
    let soil = try await MeasuredEntity.soil()
    let tokens = try await User.sailor().signedIn()
    let socket = try await WebSocket.opened(token: tokens.access)
    #expect(
      try await soil.refusal(soil.metadata(), MeasuredEntity.hour(3, ["mean": 20]), on: socket)
        == "unauthorized")
    let question: JSON = [
      "start_time": MeasuredEntity.time(ofHour: 0), "period": "hour",
      "statistic_ids": [.string(soil.id)],
    ]
    #expect(try await socket.result("recorder/statistics_during_period", question) == [:])
  }

  @Test func aTimeThatIsNoneIsRefused() async throws {
    let socket = try await WebSocket.opened()
    let question: JSON = [
      "start_time": "soon", "period": "hour", "statistic_ids": ["sensor.nope"],
    ]
    #expect(
      try await socket.refusal("recorder/statistics_during_period", question)
        == "invalid_start_time")
    let other = question.replacing("start_time", MeasuredEntity.time(ofHour: 0))
    #expect(
      try await socket.refusal(
        "recorder/statistics_during_period", other.replacing("end_time", "later"))
        == "invalid_end_time")
    #expect(try await socket.result("recorder/statistics_during_period", other) == [:])
  }
}
