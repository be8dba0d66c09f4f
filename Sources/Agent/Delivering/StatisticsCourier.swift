import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// Measures the hours of an outage, keeps them, and carries them to Home Assistant's long-term
/// statistics over the WebSocket.
final class StatisticsCourier {
  private let line: WebSocketLine
  private let keeper: StatisticsKeeper
  private let reporter: Reporter
  private var hours: HourlyStatistics
  private var transfer: StatisticsImport
  private var server = ServerVersion.unknown

  init(
    of sensors: SensorTable, line: WebSocketLine, keeper: StatisticsKeeper, reporter: Reporter
  ) {
    hours = HourlyStatistics(of: sensors)
    self.line = line
    self.keeper = keeper
    self.reporter = reporter
    transfer = StatisticsImport(keeper.read(), seed: randomSeed())
  }

  /// For people who ask.
  var status: StatusReport.Statistics {
    StatusReport.Statistics(
      waitingHourCount: transfer.waiting.count, problem: transfer.problem)
  }

  /// Whether hours wait, and nothing is known that keeps Home Assistant from taking them.
  var isAtWork: Bool { transfer.waiting.count > 0 && transfer.problem == nil }

  // MARK: What is measured

  func record(_ reading: Reading) { hours.record(reading) }

  /// The clock was read, which is right unless it was set since the last time.
  func clockRead(_ time: WallTime, isRight: Bool, isReached: Bool) {
    hours.clockRead(time, isRight: isRight, isReached: isReached)
    var isNew = false
    while let (sensor, hour) = hours.takeHour() {
      transfer.add(hour, of: sensor)
      isNew = true
    }
    if isNew { keep() }
  }

  /// What the disk did not keep is tried again.
  func cycleDue() { keep() }

  // MARK: What is carried

  var deadline: Instant? { transfer.deadline }

  func deadlineReached(now: Instant) {
    transfer.deadlineReached(now: now)
    goOn()
  }

  /// Home Assistant has taken the data of a cycle.
  func proven(by server: ServerVersion, deviceID: Text?, webhookID: [UInt8], at moment: Moment) {
    self.server = server
    guard line.isOpen else { return }
    transfer.connectionReady(
      deviceID: deviceID, webhookID: webhookID, time: moment.wallTime, now: moment.instant)
    goOn()
  }

  private func goOn() {
    keep()
    while let action = transfer.nextAction() {
      switch action {
      case .tell(let event): reporter.statistics(event)
      case .ask(let question): ask(question)
      }
    }
  }

  private func keep() {
    guard transfer.isUnkept else { return }
    if keeper.keep(transfer.waiting) { transfer.kept() }
  }

  private func ask(_ question: StatisticsImport.Question) {
    switch question {
    case .findEntities(let deviceID):
      ask(GetRelated(.device, deviceID)) { (transfer, related, _) in
        transfer.entitiesFound(related.get("entity", orOnFailure: []))
      }
    case .readEntries(let ids):
      ask(GetEntityRegistryEntries(ids)) { $0.entriesRead($1, now: $2) }
    case .lookForCompilation(let ids, let since):
      ask(GetStatistics(ids, per: .fiveMinutes, from: since, figures: [.mean])) {
        $0.compilationLooked(isThere: $1.hasRows, now: $2)
      }
    case .describe(let id):
      ask(GetStatisticDescriptions([id])) {
        $0.described((try? [StatisticDescription](json: $1)) ?? [], now: $2)
      }
    case .look(let look):
      ask(GetStatistics(look)) { $0.looked($1.get(look.id, orOnFailure: []), now: $2) }
    case .add(let addition):
      ask(ImportStatistics(addition, for: server)) { (transfer, _, now) in
        transfer.added(now: now)
      }
    }
  }

  /// Of most answers little is of interest: what does not count is not decoded.
  private func ask(
    _ request: some Request,
    _ answered: @escaping (inout StatisticsImport, JSON, Instant) -> Void
  ) {
    ask(RawRequest(request.command, request.payload), answered)
  }

  private func ask(
    _ request: RawRequest,
    _ answered: @escaping (inout StatisticsImport, JSON, Instant) -> Void
  ) {
    line.send(request) { [unowned(unsafe) self] result in
      let now = Moment.now.instant
      switch result {
      case .success(let answer):
        unsafe answered(&self.transfer, answer, now)
        unsafe goOn()
      case .failure(let error):
        unsafe transfer.failed(error, now: now)
        unsafe goOn()
      }
    }
  }
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
      [look.id], per: .hour, from: look.start, to: look.end, figures: [.mean, .min, .max])
    if let unitClass = look.unitClass, let unit = look.unit { units[unitClass] = .text(unit) }
  }
}

extension ImportStatistics {
  fileprivate init(_ addition: StatisticsImport.Addition, for server: ServerVersion) {
    self.init(
      addition.id, source: "recorder", name: nil, unit: addition.unit,
      unitClass: addition.unitClass, mean: .arithmetic, hasSum: false,
      hours: addition.hours.map {
        Hour($0.start, mean: $0.mean, min: $0.lowest, max: $0.highest)
      }, form: Form(for: server))
  }
}
