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

  // MARK: Units

  @Test func whatCannotBeConvertedIsToldAsItIs() {
    _ = bring(Self.metadata(unit: "m"), ["start": .string(Self.hour(1)), "mean": 20])
    #expect(read(Self.soil)?[Self.soil]?[0]?["mean"] == 20.0)
    #expect(description()?["display_unit_of_measurement"] == "m")
    _ = bring(Self.metadata(unit: "sheep"), ["start": .string(Self.hour(1)), "mean": 20])
    #expect(read(Self.soil)?[Self.soil]?[0]?["mean"] == 20.0)
    #expect(description()?["unit_class"] == .null)
  }

  @Test(arguments: [
    ("km/h", "m/s", 36.0, 10.0), ("mbar", "hPa", 7, 7), ("in", "mm", 2, 50.8),
    ("gal", "L", 1, 3.785411784),
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

  @Test func anHourIsFullOfItsOwnOffset() {
    let start = "2026-11-17T10:00:00+05:30"
    #expect(bring(Self.metadata(), ["start": .string(start), "mean": 1]) == .null)
    #expect(read(Self.soil)?[Self.soil]?[0]?["start"] == 1_794_889_800_000, "half past four")
  }

  @Test func theTimeOfALastResetIsOneWithAZone() {
    for (time, code) in [
      ("x", "invalid_format"), ("2026-11-17T10:00:00", "home_assistant_error"),
    ] {
      let hour: JSON = ["start": .string(Self.hour(1)), "last_reset": .string(time)]
      #expect(refusal(Self.metadata(), hour).code == code)
    }
  }

  @Test func onlyAdministratorsImport() {
    var household = Household()
    household.resident.isAdministrator = false
    let caller = Caller.Place(Visitor(household)).call()
    let request: JSONObject = [
      "metadata": .object(Self.metadata()),
      "stats": [["start": .string(Self.hour(1)), "mean": 20]],
    ]
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
    #expect(ask(["units": ["sheep": "m"]]) == "invalid_format")
  }

  @Test func fiveMinutesThatBeganEarlierAreNotTold() {
    let begin = place.now.microseconds / 300_000_000 * 300_000_000 - 300_000_000
    let later = Moment(microseconds: begin + 1_000_000).isoformatToSecond
    let question: JSONObject = ["period": "5minute", "start_time": .string(later)]
    #expect(read(Self.soil, with: question) == [:])
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
