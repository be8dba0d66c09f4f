import Testing

@testable import PracticeHome

/// Long-term statistics, over the WebSocket.
@Suite struct StatisticsTests {
  private static let soil = "sensor.boat_soil"

  /// A home with a thermometer that is shown in °C.
  private let place: Caller.Place
  private let caller: Caller

  init() {
    let place = Caller.Place()
    place.visitor.sensor(
      "soil",
      [
        "state": 68, "unit_of_measurement": "°F", "device_class": "temperature",
        "state_class": "measurement",
      ])
    (self.place, caller) = (place, place.call())
  }

  private static func hour(_ hour: Int) -> String { "2026-11-17T\(hour.padded(to: 2)):00:00+00:00" }

  private static func metadata(
    _ id: String = soil, source: String = "recorder", unit: JSON = "°C", mean: Bool = true
  ) -> JSONObject {
    [
      "statistic_id": .string(id), "source": .string(source), "name": nil,
      "unit_of_measurement": unit, "has_mean": .bool(mean), "has_sum": .bool(!mean),
    ]
  }

  private static func request(_ metadata: JSONObject, _ hours: JSON...) -> JSONObject {
    ["metadata": .object(metadata), "stats": .array(hours)]
  }

  private func bring(_ metadata: JSONObject, _ hours: JSON...) -> JSON? {
    caller.result(
      "recorder/import_statistics", ["metadata": .object(metadata), "stats": .array(hours)])
  }

  private func refusal(_ metadata: JSONObject, _ hours: JSON...) -> (code: String, message: String)
  {
    caller.error(
      "recorder/import_statistics", ["metadata": .object(metadata), "stats": .array(hours)])
  }

  private static func question(_ ids: [String], _ more: JSONObject = [:]) -> JSONObject {
    let question: JSONObject = [
      "start_time": .string(hour(0)), "statistic_ids": .array(ids.map(JSON.string)),
      "period": "hour",
    ]
    return question.merging(more)
  }

  private func read(_ ids: String..., with more: JSONObject = [:]) -> JSON? {
    caller.result("recorder/statistics_during_period", Self.question(ids, more))
  }

  private func description(_ id: String = soil) -> JSON? {
    caller.result("recorder/get_statistics_metadata", ["statistic_ids": [.string(id)]])?[0]
  }

  // MARK: Means

  @Test func importedHoursAreReadBackWithNullForWhatWasNotSaid() {
    #expect(
      bring(
        Self.metadata(), ["start": .string(Self.hour(2)), "mean": 11],
        ["start": .string(Self.hour(1)), "mean": 20.5, "min": 20, "max": 21]) == .null)
    #expect(
      read(Self.soil)?[Self.soil] == [
        [
          "start": 1_794_877_200_000, "end": 1_794_880_800_000, "mean": 20.5, "min": 20.0,
          "max": 21.0, "last_reset": nil,
        ],
        [
          "start": 1_794_880_800_000, "end": 1_794_884_400_000, "mean": 11.0, "min": nil,
          "max": nil, "last_reset": nil,
        ],
      ])
  }

  // MARK: Units

  @Test func aSensorIsDescribedBeforeAnythingWasImported() {
    #expect(
      description() == [
        "statistic_id": .string(Self.soil), "display_unit_of_measurement": "°C",
        "has_mean": true, "mean_type": 1, "has_sum": false, "name": nil, "source": "recorder",
        "statistics_unit_of_measurement": "°C", "unit_class": "temperature",
      ])
    place.visitor.sensor(
      "rain",
      ["state": 1, "unit_of_measurement": "mm", "state_class": "total_increasing"])
    place.visitor.sensor("plain", ["state": 1])
    #expect(description("sensor.boat_plain") == nil)
    #expect(description("sensor.boat_rain")?["has_sum"] == true)
    #expect(description("sensor.boat_rain")?["has_mean"] == false)
    let list = { (type: JSONObject) in
      caller.result("recorder/list_statistic_ids", type)?.array?.map { $0["statistic_id"] }
    }
    #expect(list([:]) == [.string(Self.soil), "sensor.boat_rain"])
    #expect(list(["statistic_type": "sum"]) == ["sensor.boat_rain"])
    #expect(list(["statistic_type": "mean"]) == [.string(Self.soil)])
    _ = bring(Self.metadata("boat:depth", source: "boat", unit: "m"))
    #expect(list([:]) == ["boat:depth", .string(Self.soil), "sensor.boat_rain"])
    #expect(description("boat:depth")?["unit_class"] == "distance")
  }

  @Test func anImportInAnotherUnitRelabelsWhatIsThere() {
    _ = bring(Self.metadata(), ["start": .string(Self.hour(1)), "mean": 20])
    _ = bring(Self.metadata(unit: "°F"), ["start": .string(Self.hour(2)), "mean": 50])
    #expect(description()?["statistics_unit_of_measurement"] == "°F")
    #expect(description()?["display_unit_of_measurement"] == "°C")
    let rows = read(Self.soil)?[Self.soil]
    #expect(abs((rows?[0]?["mean"]?.number ?? 0) + 20.0 / 3) < 1e-9, "20 °F, which were °C")
    #expect(abs((rows?[1]?["mean"]?.number ?? 0) - 10) < 1e-9)
    let asIs = read(Self.soil, with: ["units": ["temperature": "°F"]])?[Self.soil]
    #expect(asIs?[0]?["mean"] == 20.0)
    #expect(asIs?[1]?["mean"] == 50.0)
  }

  @Test func whatCannotBeConvertedIsToldAsItIs() {
    _ = bring(Self.metadata(unit: "m"), ["start": .string(Self.hour(1)), "mean": 20])
    #expect(read(Self.soil)?[Self.soil]?[0]?["mean"] == 20.0)
    #expect(description()?["display_unit_of_measurement"] == "m")
    _ = bring(Self.metadata(unit: "sheep"), ["start": .string(Self.hour(1)), "mean": 20])
    #expect(read(Self.soil)?[Self.soil]?[0]?["mean"] == 20.0)
    #expect(description()?["unit_class"] == .null)
  }

  @Test(arguments: [
    ("km/h", "m/s", 36.0, 10.0), ("mbar", "hPa", 7, 7), ("in", "mm", 2, 50.8), ("%", "", 50, 0.5),
    ("kWh", "MJ", 2, 7.2), ("gal", "L", 1, 3.785411784), ("h", "s", 1, 3600),
  ])
  func unitsAreConverted(from source: String, to target: String, value: Double, result: Double)
    throws
  {
    let conversion = try #require(StatisticUnits.conversion(from: source, to: target))
    #expect(abs(conversion(value) - result) < 1e-9)
    #expect(StatisticUnits.kind(of: source) == StatisticUnits.kind(of: target))
  }

  // MARK: Meters

  @Test func thermometerAndMeterTogetherHaveNullForEachOthersFigures() {
    _ = bring(Self.metadata(), ["start": .string(Self.hour(1)), "mean": 20])
    _ = bring(
      Self.metadata("boat:rain", source: "boat", unit: "mm", mean: false),
      ["start": .string(Self.hour(1)), "sum": 4])
    let rows = read(Self.soil, "boat:rain", with: ["types": ["mean", "sum", "change"]])
    #expect(rows?[Self.soil]?[0]?["sum"] == .null)
    #expect(rows?[Self.soil]?[0]?["change"] == .null)
    #expect(rows?["boat:rain"]?[0]?["mean"] == .null)
    #expect(rows?["boat:rain"]?[0]?["change"] == 4.0)
  }

  // MARK: Refusals

  @Test(arguments: [
    ("2026-11-17T10:30:00+00:00", "Invalid timestamp: timestamps must be from the top of the hour"),
    ("2026-11-17T10:00:01+00:00", "Invalid timestamp: timestamps must be from the top of the hour"),
    ("2026-11-17T10:00:00.5Z", "Invalid timestamp: timestamps must be from the top of the hour"),
    ("2026-11-17T10:00:00", "Naive timestamp: no or invalid timezone info provided"),
  ])
  func anHourMustBeFullAndItsZoneKnown(start: String, message: String) {
    let good: JSON = ["start": .string(Self.hour(1)), "mean": 1]
    let refusal = refusal(Self.metadata(), good, ["start": .string(start), "mean": 1])
    #expect(refusal.code == "home_assistant_error")
    #expect(refusal.message.hasPrefix(message))
    #expect(read(Self.soil) == [:], "nor is the good hour taken")
  }

  @Test func anHourIsFullOfItsOwnOffset() {
    let start = "2026-11-17T10:00:00+05:30"
    #expect(bring(Self.metadata(), ["start": .string(start), "mean": 1]) == .null)
    #expect(read(Self.soil)?[Self.soil]?[0]?["start"] == 1_794_889_800_000, "half past four")
  }

  @Test(arguments: [
    (soil, "boat", "Invalid source"), (soil, "", "Invalid source"),
    ("boat:soil", "recorder", "Invalid source"), ("soil", "recorder", "Invalid statistic_id"),
    ("sensor.Soil", "recorder", "Invalid statistic_id"),
    ("boat:so__il", "boat", "Invalid statistic_id"), ("", "", "Invalid statistic_id"),
    ("a:b:c", "a", "Invalid statistic_id"),
  ])
  func theSourceIsTheRecorderOrStandsInTheID(id: String, source: String, message: String) {
    #expect(
      refusal(Self.metadata(id, source: source)) == ("home_assistant_error", message))
  }

  @Test func whatAnImportMayNotSay() {
    let start = JSON.string(Self.hour(1))
    let bad: [(JSON, String)] = [
      (["start": start, "mean": nil], "expected float"),
      (["start": start, "mean": "1"], "expected"),
      (["start": start, "foo": 1], "extra keys"), (["mean": 1], "required key"),
      (["start": 5], "Invalid datetime specified: 5"),
      (["start": start, "last_reset": "x"], "Invalid datetime specified: x"),
    ]
    for (hour, message) in bad {
      let refusal = refusal(Self.metadata(), hour)
      #expect(refusal.code == "invalid_format")
      #expect(refusal.message.hasPrefix(message), "\(hour)")
    }
    #expect(
      refusal(Self.metadata().merging(["mean_type": 1]))
        == ("invalid_format", "extra keys not allowed @ data['metadata']['mean_type']. Got 1"))
    #expect(
      refusal(Self.metadata(unit: 5)).message
        == "expected str for dictionary value @ data['metadata']['unit_of_measurement']. Got 5")
    let naive: JSON = ["start": start, "last_reset": "2026-11-17T10:00:00"]
    #expect(refusal(Self.metadata(), naive) == ("home_assistant_error", "Naive timestamp"))
  }

  @Test func aNewerReleaseIsToldTheKindOfMean() throws {
    var household = Household()
    household.release = try #require(Release("2025.11.0"))
    let caller = Caller.Place(Visitor(household)).call()
    let metadata = Self.metadata().merging(["mean_type": 2, "unit_class": "temperature"])
    let request = Self.request(metadata, ["start": .string(Self.hour(1)), "mean": 20])
    #expect(caller.result("recorder/import_statistics", request) == .null)
    let all = caller.result("recorder/get_statistics_metadata")
    #expect(all?[0]?["mean_type"] == 2)
  }

  @Test func onlyAdministratorsImport() {
    var household = Household()
    household.resident.isAdministrator = false
    let caller = Caller.Place(Visitor(household)).call()
    let request = Self.request(
      Self.metadata(), ["start": .string(Self.hour(1)), "mean": 20])
    #expect(
      caller.error("recorder/import_statistics", request) == ("unauthorized", "Unauthorized"))
    #expect(caller.error("recorder/import_statistics").code == "invalid_format")
    #expect(caller.error("fire_event", ["event_type": "x"]).code == "unauthorized")
    #expect(caller.result("auth/current_user")?["is_admin"] == false)
    #expect(caller.result("recorder/statistics_during_period", Self.question([Self.soil])) == [:])
  }

  @Test func whatIsNotPlayedIsRefusedAndNotAnsweredWrongly() {
    let ask = { (more: JSONObject) in
      caller.error("recorder/statistics_during_period", Self.question([Self.soil], more)).code
    }
    for period in ["day", "week", "month"] {
      #expect(ask(["period": .string(period)]) == "not_supported")
    }
    #expect(ask(["period": "year"]) == "invalid_format")
    #expect(ask(["statistic_ids": []]) == "invalid_format")
    #expect(ask(["types": ["median"]]) == "invalid_format")
    #expect(ask(["units": ["temperature": "m"]]) == "invalid_format")
    #expect(ask(["units": ["sheep": "m"]]) == "invalid_format")
    #expect(ask(["start_time": "x"]) == "invalid_start_time")
    #expect(ask(["end_time": "x"]) == "invalid_end_time")
    _ = bring(Self.metadata(unit: "m/s"), ["start": .string(Self.hour(1)), "mean": 20])
    #expect(ask(["units": ["speed": "Beaufort"]]) == "not_supported")
  }

  @Test func ofFiveMinutesTheLastFullOnesAreTold() {
    let now = place.now
    let start = now.microseconds / 300_000_000 * 300_000_000 - 300_000_000
    let row = read(Self.soil, "sensor.nope", with: ["period": "5minute", "types": ["mean"]])
    #expect(
      row == [
        Self.soil: [
          [
            "start": .integer(Int128(start / 1000)),
            "end": .integer(Int128(start / 1000 + 300_000)),
            "mean": .float(20),
          ]
        ]
      ])
    let next: JSONObject = [
      "period": "5minute",
      "start_time": .string(Moment(microseconds: start + 1_000_000).isoformatToSecond),
    ]
    #expect(read(Self.soil, with: next) == [:])
  }

  @Test func noMoreHoursAreTakenThanThereIsRoomFor() {
    var statistics = Statistics()
    let metadata = StatisticMetadata(
      id: "a:b", source: "a", name: nil, unit: nil, mean: .arithmetic, hasSum: false)
    let hours = (0..<Int64(Statistics.hourCountMax)).map {
      StatisticHour(start: Moment(seconds: $0 * 3600), mean: 1)
    }
    #expect(statistics.take(metadata, hours) == 0)
    #expect(statistics.take(metadata, [StatisticHour(start: Moment(seconds: -3600))]) == nil)
    #expect(statistics["a:b"]?.hour(before: Moment(seconds: 0)) == nil)
    #expect(statistics.take(metadata, [StatisticHour(start: Moment(seconds: 0))]) == 1)
  }

  // MARK: Telling

  @Test func anImportIsTold() throws {
    _ = bring(Self.metadata(), ["start": .string(Self.hour(1)), "mean": 20])
    _ = bring(
      Self.metadata(), ["start": .string(Self.hour(2)), "mean": 21, "max": 22],
      ["start": .string(Self.hour(1)), "mean": 20])
    let entry = try #require(place.home.journal.last)
    let line = EventLine.entry(entry)
    #expect(line["event"] == "statistics_imported")
    #expect(line["statistic_id"] == .string(Self.soil))
    #expect(
      line["hours"] == [
        ["start": .string(Self.hour(2)), "mean": 21.0, "max": 22.0],
        ["start": .string(Self.hour(1)), "mean": 20.0],
      ])
    #expect(line["replaced"] == 1)
    let text = try #require(PlainLine.entry(entry).first)
    #expect(
      text.hasSuffix(
        "statistics of sensor.boat_soil imported: 2 hours from 2026-11-17T01:00:00+00:00 on, "
          + "1 of them replaced"))
  }

  @Test func statisticsOutliveARestart() {
    _ = bring(Self.metadata(), ["start": .string(Self.hour(1)), "mean": 20])
    place.home.suffer(.restart, now: place.now)
    let rows = place.call().result(
      "recorder/statistics_during_period", Self.question([Self.soil]))
    #expect(rows?[Self.soil]?.array?.count == 1)
  }
}
