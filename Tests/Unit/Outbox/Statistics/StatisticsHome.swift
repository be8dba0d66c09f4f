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
  /// What is not told of a statistic, and why.
  var refusals: [String: RequestError] = [:]
  /// Of which entities it has figures of five minutes; nil of all.
  var compiled: [String]?
  /// Up to when Home Assistant has compiled its own statistics; nil where it keeps up.
  var compiledUpTo: WallTime?
  /// How often the recorder loses the same hours, or has not written them yet.
  var lostAdditions = 0
  private(set) var additions: [StatisticsImport.Addition] = []
  private(set) var asked: [StatisticsImport.Question] = []

  /// Does what is asked, and tells it.
  mutating func answer(
    _ question: StatisticsImport.Question, to transfer: inout StatisticsImport, now: Instant
  ) throws {
    asked.append(question)
    switch question {
    case .findEntities:
      transfer.entitiesFound(entities.keys.sorted().compactMap { EntityID(Text($0)) })
    case .readEntries(let ids): transfer.entriesRead(try entries(ids), now: now)
    case .lookForCompilation(let ids, let since):
      let known = Set(ids.map { String(decoding: $0.bytes, as: UTF8.self) })
      let isThere =
        !known.isDisjoint(with: compiled ?? Array(entities.keys))
        && compiledUpTo.map { since < $0 } ?? true
      transfer.compilationLooked(isThere: isThere, now: now)
    case .describe(let id):
      do {
        transfer.described(try descriptions(id), now: now)
      } catch let error as RequestError {
        transfer.failed(error, now: now)
      }
    case .look(let look): transfer.looked(try points(look), now: now)
    case .add(let addition):
      additions.append(addition)
      if additions.count(where: { $0 == addition }) > lostAdditions { keep(addition) }
      transfer.added(now: now)
    }
  }

  private func decode<Value: JSONDecodable>(_ text: String) throws -> Value {
    try Value(json: try JSON(parsing: [UInt8](text.utf8).span))
  }

  private func entries(_ ids: [EntityID]) throws -> JSON {
    let entries = ids.map { id in
      let name = String(decoding: id.text.bytes, as: UTF8.self)
      guard let uniqueID = entities[name] else { return #""\#(name)":null"# }
      return #""\#(name)":{"entity_id":"\#(name)","unique_id":"\#(uniqueID)","icon":null}"#
    }
    return try decode("{" + entries.joined(separator: ",") + "}")
  }

  private func descriptions(_ id: Text) throws -> [StatisticDescription] {
    let name = String(decoding: id.bytes, as: UTF8.self)
    guard let statistic = statistics[name] else { return [] }
    if let refusal = refusals[name] { throw refusal }
    let unit = statistic.unit.map { "\"\($0)\"" } ?? "null"
    let unitClass = statistic.unitClass.map { "\"\($0)\"" } ?? "null"
    return [
      try decode(
        #"{"statistic_id":"\#(name)","source":"recorder","name":null,"has_sum":\#(statistic.hasSum),"#
          + #""mean_type":\#(statistic.meanType),"statistics_unit_of_measurement":\#(unit),"#
          + #""unit_class":\#(unitClass)}"#)
    ]
  }

  private func points(_ look: StatisticsImport.Look) throws -> [StatisticsPoint] {
    let rows = statistics[String(decoding: look.id.bytes, as: UTF8.self)]?.rows ?? [:]
    let wanted = rows.filter { (look.start..<look.end).contains($0.key) }.sorted { $0.key < $1.key }
    return try wanted.map { (start, row) in
      let milliseconds = start.nanoseconds / 1_000_000
      func figure(_ name: String, _ value: Double?) -> String {
        #","\#(name)":\#(value.map { "\($0)" } ?? "null")"#
      }
      return try decode(
        #"{"start":\#(milliseconds),"end":\#(milliseconds + 3_600_000)"#
          + figure("mean", row.mean) + figure("min", row.min) + figure("max", row.max)
          + figure("state", row.state) + figure("sum", row.sum) + "}")
    }
  }

  private mutating func keep(_ addition: StatisticsImport.Addition) {
    let name = String(decoding: addition.id.bytes, as: UTF8.self)
    let unit = addition.unit.map { String(decoding: $0.bytes, as: UTF8.self) }
    var statistic = statistics[name] ?? Statistic()
    statistic.unit = unit
    for hour in addition.hours {
      statistic.rows[hour.start] = Row(
        mean: hour.mean, min: hour.min, max: hour.max, state: hour.state, sum: hour.sum)
    }
    statistics[name] = statistic
  }
}
