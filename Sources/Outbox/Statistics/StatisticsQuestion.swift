import Bytes
import HomeAssistant

// Requests of `StatisticsImport` in the form of Home Assistant's WebSocket, and their answers.

extension StatisticsImport.Question {
  func request(for server: ServerVersion) -> RawRequest {
    switch self {
    case .findEntities(let deviceID): RawRequest(of: GetRelated("device", deviceID))
    case .readEntries(let ids): RawRequest(of: GetEntityRegistryEntries(ids))
    case .lookForCompilation(let ids, let since):
      RawRequest(of: GetStatistics(ids, per: .fiveMinutes, from: since, figures: [.mean, .state]))
    case .describe(let id): RawRequest(of: GetStatisticDescriptions([id]))
    case .look(let look): RawRequest(of: GetStatistics(look))
    case .add(let addition): RawRequest(of: ImportStatistics(addition, for: server))
    }
  }
}

extension StatisticsImport {
  /// Handles Home Assistant's answer. Only the necessary part of it is decoded.
  mutating func answered(_ question: Question, _ answer: JSON, now: Instant) {
    switch question {
    case .findEntities: entitiesFound(answer.get("entity", orOnFailure: []))
    case .readEntries: entriesRead(answer, now: now)
    case .lookForCompilation: compilationLooked(isThere: answer.hasRows, now: now)
    case .describe: described((try? [StatisticDescription](json: answer)) ?? [], now: now)
    case .look(let look): looked(answer.get(look.id, orOnFailure: []), now: now)
    case .add: added(now: now)
    }
  }
}

extension RawRequest {
  fileprivate init(of request: some Request) { self.init(request.command, request.payload) }
}

extension JSON {
  /// Whether any statistic in it has a row.
  fileprivate var hasRows: Bool {
    guard case .object(let statistics) = self else { return false }
    return statistics.members.contains {
      if case .array(let rows) = $0.value { !rows.isEmpty } else { false }
    }
  }
}

extension GetStatistics {
  fileprivate init(_ look: StatisticsImport.Look) {
    self.init(
      [look.id], per: .hour, from: look.start, to: look.end,
      figures: look.kind == .mean ? [.mean, .min, .max] : [.state, .sum])
    if let unitClass = look.unitClass, let unit = look.unit { units[unitClass] = .text(unit) }
  }
}

extension ImportStatistics {
  fileprivate init(_ addition: StatisticsImport.Addition, for server: ServerVersion) {
    self.init(
      addition.id, source: "recorder", name: nil, unit: addition.unit,
      unitClass: addition.unitClass, mean: addition.kind == .mean ? .arithmetic : .none,
      hasSum: addition.kind.hasSum, hours: addition.hours, for: server)
  }
}
