import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct RecordTests {
  @Test func historyIsAskedForWithAllItsChoices() {
    let request: TypedRequest<[Text: [HistoryState]]> = .history(
      of: ["sun.sun"], from: time("2026-01-01T00:00:00Z"), to: time("2026-01-02T00:00:00.5Z"))
    #expect(request.command == "history/history_during_period")
    #expect(
      request.payload == [
        "entity_ids": ["sun.sun"], "start_time": "2026-01-01T00:00:00+00:00",
        "end_time": "2026-01-02T00:00:00.500000+00:00", "include_start_time_state": true,
        "significant_changes_only": true, "minimal_response": false, "no_attributes": false,
      ])
    let other: TypedRequest<[Text: [HistoryState]]> = .history(
      of: [], from: time("2026-01-01T00:00:00Z"), includesStartState: false,
      isSignificantOnly: false, isMinimal: true, hasAttributes: false)
    #expect(
      other.payload == [
        "entity_ids": [], "start_time": "2026-01-01T00:00:00+00:00",
        "include_start_time_state": false, "significant_changes_only": false,
        "minimal_response": true, "no_attributes": true,
      ])
  }

  @Test func historySaysWhenAStateChangedOnlyWhereItWasUpdatedLater() throws {
    let history: [Text: [HistoryState]] = try decode(
      """
      {"input_boolean.pump":[{"s":"off","a":{"friendly_name":"Pump"},"lu":1795272779.0789297},
      {"s":"on","lu":1795272784.4375463,"lc":1795272783.4273827}]}
      """)
    let states = try #require(history["input_boolean.pump"])
    #expect(states.map(\.state) == ["off", "on"])
    #expect(states[0].attributes == ["friendly_name": "Pump"])
    #expect(states[1].attributes == nil)
    #expect(states[0].lastChanged == states[0].lastUpdated)
    #expect(states[0].lastUpdated == time("2026-11-21T14:52:59.078930Z"))
    #expect(states[1].lastChanged == time("2026-11-21T14:53:03.427383Z"))
  }

  @Test func theLogbookIsAskedForOrWatched() throws {
    let request: TypedRequest<[LogbookEntry]> = .logbook(
      from: time("2026-01-01T00:00:00Z"), entities: ["sun.sun"])
    #expect(request.command == "logbook/get_events")
    #expect(
      request.payload == [
        "start_time": "2026-01-01T00:00:00+00:00", "entity_ids": ["sun.sun"],
      ])
    let subscription: TypedSubscription<LogbookEvent> = .logbook(
      from: time("2026-01-01T00:00:00Z"))
    #expect(subscription.command == "logbook/event_stream")
    #expect(subscription.payload == ["start_time": "2026-01-01T00:00:00+00:00"])
    let entry = """
      {"state":"on","entity_id":"input_boolean.pump","when":1795272783.4273827,
      "context_user_id":"u","context_domain":"input_boolean","context_service":"turn_on",
      "context_event_type":"call_service"}
      """
    let entries: [LogbookEntry] = try decode("[\(entry)]")
    #expect(entries.map(\.entityID) == ["input_boolean.pump"])
    #expect(entries.map(\.state) == ["on"])
    #expect(entries.map(\.time) == [time("2026-11-21T14:53:03.427383Z")])
    #expect(entries.map(\.contextUserID) == ["u"])
    #expect(entries.map(\.contextEventType) == ["call_service"])
    let event: LogbookEvent = try decode(
      #"{"events":[\#(entry)],"start_time":1795272000.5,"end_time":1795272800,"partial":true}"#)
    #expect(event.entries.count == 1)
    #expect(event.startTime == time("2026-11-21T14:40:00.500000Z"))
    #expect(event.isPartial)
  }

  @Test func statisticsAreListed() throws {
    let all: TypedRequest<[StatisticDescription]> = .statisticDescriptions()
    #expect(all.payload == ["statistic_ids": []])
    let some: TypedRequest<[StatisticDescription]> = .statisticDescriptions(
      ["sensor.a", "homeward:bilge"])
    #expect(some.command == "recorder/get_statistics_metadata")
    #expect(some.payload == ["statistic_ids": ["sensor.a", "homeward:bilge"]])
    let list: [StatisticDescription] = try decode(
      """
      [{"statistic_id":"homeward:bilge","display_unit_of_measurement":"°F","has_mean":true,
      "mean_type":2,"has_sum":false,"name":"Bilge","source":"homeward",
      "statistics_unit_of_measurement":"°C","unit_class":"temperature"},
      {"statistic_id":"sensor.a","has_mean":true,"has_sum":true,"name":null,"source":"recorder"},
      {"statistic_id":"sensor.b","has_mean":false,"has_sum":true,"source":"recorder"},
      {"statistic_id":"sensor.c","mean_type":1,"has_sum":false,"source":"recorder"}]
      """)
    #expect(list.map(\.id) == ["homeward:bilge", "sensor.a", "sensor.b", "sensor.c"])
    #expect(list.map(\.mean) == [.circular, .arithmetic, .none, .arithmetic])
    #expect(list.map(\.hasSum) == [false, true, true, false])
    #expect(list.map(\.unit) == ["°C", nil, nil, nil])
    #expect(list.map(\.displayUnit) == ["°F", nil, nil, nil])
    #expect(list.map(\.unitClass) == ["temperature", nil, nil, nil])
    #expect(list.map(\.source) == ["homeward", "recorder", "recorder", "recorder"])
    #expect(throws: JSONDecodingError.missingKey("has_sum")) {
      try decode(
        #"[{"statistic_id":"sensor.a","source":"recorder"}]"#,
        as: [StatisticDescription].self)
    }
  }

  @Test func statisticsComeWithTimesInMilliseconds() throws {
    let request: TypedRequest<[Text: [StatisticsPoint]]> = .statistics(
      ["homeward:bilge"], per: .fiveMinutes, from: time("2026-01-01T00:00:00Z"),
      figures: [.mean, .lastReset])
    #expect(request.command == "recorder/statistics_during_period")
    #expect(
      request.payload == [
        "statistic_ids": ["homeward:bilge"], "period": "5minute",
        "start_time": "2026-01-01T00:00:00+00:00", "types": ["mean", "last_reset"],
      ])
    let statistics: [Text: [StatisticsPoint]] = try decode(
      """
      {"homeward:bilge":[{"start":1767225600000,"end":1767229200000,"last_reset":null,"min":20.0,
      "mean":20.5,"max":21},{"start":1767229200000,"end":1767232800000,"sum":1.5,"state":7,
      "change":0.5,"last_reset":1767225600000}]}
      """)
    let points = try #require(statistics["homeward:bilge"])
    #expect(points.map(\.start) == [time("2026-01-01T00:00:00Z"), time("2026-01-01T01:00:00Z")])
    #expect(points[0].end == time("2026-01-01T01:00:00Z"))
    #expect(points.map(\.mean) == [20.5, nil])
    #expect(points.map(\.min) == [20, nil])
    #expect(points.map(\.max) == [21, nil])
    #expect(points.map(\.sum) == [nil, 1.5])
    #expect(points.map(\.state) == [nil, 7])
    #expect(points.map(\.change) == [nil, 0.5])
    #expect(points.map(\.lastReset) == [nil, time("2026-01-01T00:00:00Z")])
  }

  @Test(
    arguments: [
      (
        "2025.10.4",
        ["has_mean", "has_sum", "name", "source", "statistic_id", "unit_of_measurement"]
      ),
      (
        "2025.11.0",
        [
          "has_mean", "has_sum", "mean_type", "name", "source", "statistic_id", "unit_class",
          "unit_of_measurement",
        ]
      ),
    ] as [(Text, [Text])])
  func anImportHasNoMemberThatThisHomeAssistantDoesNotKnow(
    version: Text, keys: [Text]
  ) throws {
    let request: TypedRequest<NoContent> = .importStatistics(
      of: "homeward:bilge", source: "homeward", name: nil, unit: "°C", unitClass: "temperature",
      mean: .arithmetic, hasSum: false,
      hours: [.init(time("2026-01-01T00:00:00Z"), mean: 20.5, min: 20, max: 21)],
      for: ServerVersion(version))
    #expect(request.command == "recorder/import_statistics")
    let metadata = try request.payload.get("metadata", as: JSONObject.self)
    #expect(metadata.members.map(\.key).sorted() == keys)
    #expect(metadata["name"] == .null)
    #expect(metadata["has_mean"] == true)
    #expect(
      request.payload["stats"] == [
        ["start": "2026-01-01T00:00:00+00:00", "mean": 20.5, "min": 20.0, "max": 21.0]
      ])
  }
}
