import Bytes
import HomeAssistant
import Outbox

/// What Home Assistant keeps of hours, as far as an import sees it; answers come from its JSON.
struct StatisticsHome {
  struct Row: Equatable {
    var mean: Double?
    var min: Double?
    var max: Double?
    var state: Double?
    var sum: Double?
  }

  struct Statistic {
    var unit: String?
    var unitClass: String?
    var meanType = 1
    var hasSum = false
    var rows: [WallTime: Row] = [:]
  }

  /// Unique ids by entity id.
  var entities = ["sensor.board_bilge": "hook_bilge"]
  /// Home Assistant describes a sensor before it has any figures of it.
  var statistics = ["sensor.board_bilge": Statistic(unit: "°C", unitClass: "temperature")]
  var bilge: Statistic {
    get { statistics["sensor.board_bilge"] ?? Statistic() }
    set { statistics["sensor.board_bilge"] = newValue }
  }
  /// What is not told of a statistic, and why.
  var refusals: [String: RequestError] = [:]
  /// Of which entities it has figures of five minutes; nil of all.
  var compiled: [String]?
  /// Up to when Home Assistant has compiled its own statistics; nil where it keeps up.
  var compiledUpTo: WallTime?
  /// How often the recorder loses the same hours, or has not written them yet.
  var lostAdditions = 0
  private(set) var additions: [Addition] = []
  private(set) var asked: [RawRequest] = []

  /// Hours that were sent, in Home Assistant's own words.
  struct Addition: Equatable {
    let id: String
    let metadata: JSONObject
    let hours: [JSONObject]

    init(_ payload: JSONObject) throws {
      metadata = try payload.get("metadata")
      id = String(decoding: try metadata.get("statistic_id", as: Text.self).bytes, as: UTF8.self)
      hours = try payload.get("stats")
    }
  }

  /// Does what is asked, and tells it.
  mutating func answer(
    _ request: RawRequest, to transfer: inout StatisticsImport, now: Instant
  ) throws {
    asked.append(request)
    if let refusal = try refusal(of: request) {
      transfer.answered(.failure(refusal), now: now)
    } else {
      transfer.answered(.success(try answer(request.payload, to: request.command)), now: now)
    }
  }

  private func refusal(of request: RawRequest) throws -> RequestError? {
    guard request.command == "recorder/get_statistics_metadata" else { return nil }
    let id = try request.payload.get("statistic_ids", as: [Text].self)[0]
    return refusals[String(decoding: id.bytes, as: UTF8.self)]
  }

  private mutating func answer(_ payload: JSONObject, to command: Text) throws -> JSON {
    switch command {
    case "search/related": return ["entity": .array(entities.keys.sorted().map { .text(Text($0)) })]
    case "config/entity_registry/get_entries":
      return try entries(try payload.get("entity_ids", as: [EntityID].self))
    case "recorder/get_statistics_metadata":
      return try descriptions(try payload.get("statistic_ids", as: [Text].self)[0])
    case "recorder/import_statistics":
      let addition = try Addition(payload)
      additions.append(addition)
      if additions.count(where: { $0 == addition }) > lostAdditions { try keep(addition) }
      return .null
    default:
      let ids = try payload.get("statistic_ids", as: [Text].self)
      let start = try payload.get("start_time", as: WallTime.self)
      if payload["period"] == "hour" {
        return try points(ids[0], start..<(try payload.get("end_time", as: WallTime.self)))
      }
      let known = Set(ids.map { String(decoding: $0.bytes, as: UTF8.self) })
      let isThere =
        !known.isDisjoint(with: compiled ?? Array(entities.keys))
        && compiledUpTo.map { start < $0 } ?? true
      return isThere ? ["sensor.any": [[:]]] : [:]
    }
  }

  private func json(_ text: String) throws -> JSON { try JSON(parsing: [UInt8](text.utf8).span) }

  private func entries(_ ids: [EntityID]) throws -> JSON {
    let entries = ids.map { id in
      let name = String(decoding: id.text.bytes, as: UTF8.self)
      guard let uniqueID = entities[name] else { return #""\#(name)":null"# }
      return #""\#(name)":{"entity_id":"\#(name)","unique_id":"\#(uniqueID)","icon":null}"#
    }
    return try json("{" + entries.joined(separator: ",") + "}")
  }

  private func descriptions(_ id: Text) throws -> JSON {
    let name = String(decoding: id.bytes, as: UTF8.self)
    guard let statistic = statistics[name] else { return [] }
    let unit = statistic.unit.map { "\"\($0)\"" } ?? "null"
    let unitClass = statistic.unitClass.map { "\"\($0)\"" } ?? "null"
    return try json(
      #"[{"statistic_id":"\#(name)","source":"recorder","name":null,"has_sum":\#(statistic.hasSum),"#
        + #""mean_type":\#(statistic.meanType),"statistics_unit_of_measurement":\#(unit),"#
        + #""unit_class":\#(unitClass)}]"#)
  }

  private func points(_ id: Text, _ times: Range<WallTime>) throws -> JSON {
    let name = String(decoding: id.bytes, as: UTF8.self)
    let wanted = (statistics[name]?.rows ?? [:]).filter { times.contains($0.key) }
    let points = wanted.sorted { $0.key < $1.key }.map { (start, row) in
      let milliseconds = start.nanoseconds / 1_000_000
      func figure(_ name: String, _ value: Double?) -> String {
        #","\#(name)":\#(value.map { "\($0)" } ?? "null")"#
      }
      return #"{"start":\#(milliseconds),"end":\#(milliseconds + 3_600_000)"#
        + figure("mean", row.mean) + figure("min", row.min) + figure("max", row.max)
        + figure("state", row.state) + figure("sum", row.sum) + "}"
    }
    return try json(#"{"\#(name)":[\#(points.joined(separator: ","))]}"#)
  }

  private mutating func keep(_ addition: Addition) throws {
    var statistic = statistics[addition.id] ?? Statistic()
    statistic.unit = try addition.metadata.getIfPresent("unit_of_measurement", as: Text.self)
      .map { String(decoding: $0.bytes, as: UTF8.self) }
    for hour in addition.hours {
      statistic.rows[try hour.get("start")] = Row(
        mean: try hour.getIfPresent("mean"), min: try hour.getIfPresent("min"),
        max: try hour.getIfPresent("max"), state: try hour.getIfPresent("state"),
        sum: try hour.getIfPresent("sum"))
    }
    statistics[addition.id] = statistic
  }
}
