public import Bytes
public import HomeAssistant

/// Measures the hours that Home Assistant's long-term statistics lack, has them stored, imports
/// them over the WebSocket, and verifies them.
///
/// A pass finds this device's entities; then for each sensor, in chunks, it reads Home Assistant's
/// figures of these hours, adds the board's if they differ, and after a while reads again. Verified
/// hours are removed. So the result does not depend on any answer: an interrupted pass starts
/// again.
///
/// Home Assistant compiles an hour after its end, all sensors at once, and missed ones after its
/// start. An imported hour that already exists makes that fail for all sensors. So an hour waits
/// for a while after its end, and until Home Assistant has later five-minute figures: then it does
/// not compile that hour any longer.
///
/// Invariants:
/// 1. At most one request is in progress. A request that was not returned yet is dropped at the end
///    of the pass.
/// 2. An hour is removed if it was read in Home Assistant, if Home Assistant cannot store it (which
///    is reported), or if there are too many.
/// 3. A sensor that Home Assistant refuses does not delay another one.
/// 4. Events come in their order, before the due request, and are never dropped.
public struct StatisticsImport {
  /// Time after its end for which an hour belongs to Home Assistant alone.
  public static let ripeAfter: Duration = .seconds(900)
  /// Maximum number of hours in a request: a week of one sensor, about 15 KB.
  static let chunkCountMax = 168
  /// Time for the recorder to write added hours before they are read.
  public static let settlingTime: Duration = .seconds(5)
  static let additionsMax = 3
  /// Range in which the last sum before a counter's hours is searched: Home Assistant may have been
  /// down, too.
  static let countedBefore: Duration = .seconds(7 * 24 * 3600)
  /// Delay between two checks for compiled figures: Home Assistant compiles every five minutes.
  public static let compilationDelay: Duration = .seconds(60)
  /// Maximum number of checks for compiled figures.
  static let compilationLooksMax = 10
  /// Delays after a temporary failure: a sensor's registration, the recorder, or the connection.
  public static let firstRetryDelay: Duration = .seconds(300)
  public static let longestRetryDelay: Duration = .seconds(3600)
  /// Delay after a failure that only a person can correct.
  public static let refusalDelay: Duration = .seconds(24 * 3600)

  private enum State {
    case resting(until: Instant?)
    case findingEntities
    case readingEntries
    case awaitingCompilation
    case describing
    case looking(StatisticDescription, UnitConversion)
    case adding
    case settling(until: Instant)
  }

  private struct Pass {
    let webhookID: [UInt8]
    let server: ServerVersion
    /// Last hour that does not belong to Home Assistant alone.
    let lastHour: Int64
    var entityIDs: [EntityID] = []
    var targets: [(sensor: StatisticsSensor, id: Text)] = []
    var position = 0
    var additions = 0
    /// Hours in the present request.
    var chunk: ArraySlice<SensorHour> = []
    var problems: [Problem] = []

    var target: (sensor: StatisticsSensor, id: Text) { targets[position] }
  }

  var measured: HourlyStatistics
  /// Hours that Home Assistant lacks.
  public private(set) var waiting: WaitingHours
  var keeping = Keeping()
  private var state = State.resting(until: nil)
  private var pass = Pass(webhookID: [], server: .unknown, lastHour: 0)
  private var backOff: BackOff
  /// Reported problems of the passes up to the last completed one.
  private var told: [Problem] = []
  private var compilationLooks = 0
  /// Due request that was not returned yet; nil while the import rests or settles.
  private var question: RawRequest?
  private var tellings = Queue<Event>()

  public init(_ waiting: WaitingHours, of sensors: SensorTable = SensorTable(), seed: UInt64) {
    measured = HourlyStatistics(of: sensors)
    self.waiting = waiting
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
  }

  /// Problem of the import; nil without one.
  public var problem: Problem? { told.last }

  /// Returns the next action; nil until the next event.
  public mutating func nextAction() -> Uplink.Action? {
    if let action = keeping.nextAction() { return action }
    if let event = tellings.takeFirst() { return .tell(.statistics(event)) }
    return question.take().map { .ask($0) }
  }

  /// Time at which `deadlineReached` is due, or nil.
  @inline(__always)
  public var deadline: Instant? {
    if case .settling(let until) = state { until } else { nil }
  }

  /// Adds an hour that Home Assistant lacks.
  public mutating func add(_ hour: SensorHour, of sensor: StatisticsSensor) {
    waiting.insert(hour, of: sensor)
    keeping.isUnkept = true
  }

  // MARK: Passes

  /// Begins a pass, because Home Assistant is connected and accepts requests. The id of the webhook
  /// is the prefix of the unique ids of this device's entities.
  public mutating func connectionReady(
    _ server: ServerVersion, deviceID: Text?, webhookID: [UInt8], time: WallTime, now: Instant
  ) {
    guard case .resting(let until) = state, until.map({ now >= $0 }) ?? true else { return }
    let lastHour = (time - Self.ripeAfter).hour - 1
    pass = Pass(webhookID: webhookID, server: server, lastHour: lastHour)
    guard isAnythingLeft else { return }
    guard let deviceID else {
      tell(.deviceUnknown)
      return endPass(until: now + Self.refusalDelay)
    }
    ask(.related("device", deviceID), .findingEntities)
  }

  private var isAnythingLeft: Bool {
    waiting.sensors.contains { $0.hours[0].number <= pass.lastHour }
  }

  private mutating func ask(_ request: some Request, _ state: State) {
    question = RawRequest(request.command, request.payload)
    self.state = state
  }

  /// Handles Home Assistant's answer, or its absence. Only the necessary part of it is decoded.
  public mutating func answered(_ result: Result<JSON, RequestError>, now: Instant) {
    keeping.isDue = true
    guard question == nil else { return }
    switch (result, state) {
    case (_, .resting), (_, .settling): break
    case (.failure(let error), _): failed(error, now: now)
    case (.success(let answer), .findingEntities):
      pass.entityIDs = answer.get("entity", orOnFailure: [])
      ask(.entityRegistryEntries(pass.entityIDs), .readingEntries)
    case (.success(let answer), .readingEntries): entriesRead(answer, now: now)
    case (.success(let answer), .awaitingCompilation):
      compilationLooked(isThere: answer.hasRows, now: now)
    case (.success(let answer), .describing):
      described((try? [StatisticDescription](json: answer)) ?? [], now: now)
    case (.success(let answer), .looking(let description, let conversion)):
      looked(answer.get(pass.target.id, orOnFailure: []), description, conversion, now: now)
    // Home Assistant writes accepted hours after a while.
    case (.success, .adding): state = .settling(until: now + Self.settlingTime)
    }
  }

  /// Handles the registry's `entries` by entity id; only their unique ids are used.
  private mutating func entriesRead(_ entries: JSON, now: Instant) {
    for waiting in waiting.sensors where waiting.hours[0].number <= pass.lastHour {
      let uniqueID = Text(pass.webhookID + [UInt8(ascii: "_")] + waiting.sensor.uniqueID)
      if let id = entries.id(ofEntity: uniqueID) {
        pass.targets.append((waiting.sensor, id))
      } else {
        tell(.notFound(uniqueID: waiting.sensor.uniqueID))
      }
    }
    guard !pass.targets.isEmpty else { return describeNext(now: now) }
    // Any sensor of this board with a number is sufficient.
    let since = WallTime(startOfHour: pass.lastHour + 1)
    ask(
      .statistics(
        pass.entityIDs.map { $0.text }, per: .fiveMinutes, from: since, figures: [.mean, .state]),
      .awaitingCompilation)
  }

  /// Handles the check whether Home Assistant has figures later than all due hours.
  private mutating func compilationLooked(isThere: Bool, now: Instant) {
    compilationLooks = isThere ? 0 : compilationLooks + 1
    if isThere { return describeNext(now: now) }
    if compilationLooks < Self.compilationLooksMax {
      breakOff(until: now + Self.compilationDelay)
    } else {
      tell(.notCompiled)
      endPass(until: now + backOff.failed())
    }
  }

  /// Continues with the next hours of a sensor, or with the next sensor.
  private mutating func describeNext(now: Instant) {
    while pass.position < pass.targets.count {
      pass.additions = 0
      pass.chunk = waiting.hours(of: pass.target.sensor)
        .prefix { [pass] in $0.number <= pass.lastHour }.prefix(Self.chunkCountMax)
      if !pass.chunk.isEmpty { return describe() }
      pass.position += 1
    }
    finish(now: now)
  }

  private mutating func skip(for problem: Problem, now: Instant) {
    tell(problem)
    pass.position += 1
    describeNext(now: now)
  }

  private mutating func describe() { ask(.statisticDescriptions([pass.target.id]), .describing) }

  private mutating func described(_ list: [StatisticDescription], now: Instant) {
    let (sensor, id) = pass.target
    guard let description = list.first(where: { $0.id == id }) else {
      return skip(for: .notFound(uniqueID: sensor.uniqueID), now: now)
    }
    guard description.has(sensor.kind),
      let conversion = UnitConversion(from: sensor.unit, to: description.unit)
    else {
      let problem = Problem.unfit(uniqueID: sensor.uniqueID, unit: description.unit)
      giveUp(waiting.hours(of: sensor)[...], of: sensor, for: problem)
      return describeNext(now: now)
    }
    let hours = pass.chunk
    // Figures before these hours are read, too, because a counter's sum continues from them.
    let before = sensor.kind.hasSum ? Self.countedBefore : .zero
    var units: JSONObject = [:]
    if let unitClass = description.unitClass, let unit = description.unit {
      units[unitClass] = .text(unit)
    }
    ask(
      .statistics(
        [id], per: .hour, from: hours[hours.startIndex].start - before,
        to: hours[hours.endIndex - 1].end,
        figures: sensor.kind.hasSum ? [.state, .sum] : [.mean, .min, .max], units: units),
      .looking(description, conversion))
  }

  private mutating func looked(
    _ points: [StatisticsPoint], _ description: StatisticDescription,
    _ conversion: UnitConversion, now: Instant
  ) {
    let sensor = pass.target.sensor
    guard let hours = pass.chunk.figures(of: sensor.kind, after: points, conversion) else {
      giveUp(pass.chunk, of: sensor, for: .uncountable(uniqueID: sensor.uniqueID))
      return describeNext(now: now)
    }
    guard hours.allSatisfy({ hour in points.contains { $0.shows(hour) } })
    else { return add(hours, as: description, now: now) }
    remove(pass.chunk, of: sensor)
    tellings.append(.imported(uniqueID: sensor.uniqueID, hours: pass.chunk.count))
    describeNext(now: now)
  }

  private mutating func remove(_ hours: ArraySlice<SensorHour>, of sensor: StatisticsSensor) {
    waiting.remove(hours, of: sensor)
    keeping.isUnkept = true
  }

  /// Drops these hours; each case is reported, because they are lost.
  private mutating func giveUp(
    _ hours: ArraySlice<SensorHour>, of sensor: StatisticsSensor, for problem: Problem
  ) {
    pass.problems.append(problem)
    tellings.append(.failed(problem))
    remove(hours, of: sensor)
  }

  private mutating func add(
    _ hours: [StatisticsHour], as description: StatisticDescription, now: Instant
  ) {
    let (sensor, id) = pass.target
    guard pass.additions < Self.additionsMax else {
      return skip(for: .notKept(uniqueID: sensor.uniqueID), now: now)
    }
    pass.additions += 1
    let hasSum = sensor.kind.hasSum
    ask(
      .importStatistics(
        of: id, source: "recorder", name: nil, unit: description.unit,
        unitClass: description.unitClass, mean: hasSum ? .none : .arithmetic, hasSum: hasSum,
        hours: hours, for: pass.server),
      .adding)
  }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { describe() }
  }

  // MARK: End of a pass

  /// Handles a refused request, or one without an answer.
  private mutating func failed(_ error: RequestError, now: Instant) {
    switch (error, state) {
    case (.server(code: "unauthorized", _), _):
      tell(.notAllowed)
      endPass(until: now + Self.refusalDelay)
    case (.disconnected, _), (.expired, _), (.cancelled, _), (.rejected, _):
      // The state of the connection is reported elsewhere.
      breakOff(until: now + backOff.failed())
    case (_, .describing), (_, .looking), (_, .adding):
      skip(for: .refused(uniqueID: pass.target.sensor.uniqueID, error), now: now)
    default:
      tell(.refused(uniqueID: nil, error))
      endPass(until: now + backOff.failed())
    }
  }

  private mutating func finish(now: Instant) {
    let isLeft = isAnythingLeft
    if !isLeft { backOff.succeeded() }
    endPass(until: isLeft ? now + backOff.failed() : nil)
  }

  /// Ends an incomplete pass; problems from before it stay reported.
  private mutating func breakOff(until: Instant) {
    pass.problems = told + pass.problems.filter { !told.contains($0) }
    endPass(until: until)
  }

  private mutating func endPass(until: Instant?) {
    told = pass.problems
    question = nil
    state = .resting(until: until)
  }

  /// Reports a problem, unless the pass before had it too.
  private mutating func tell(_ problem: Problem) {
    pass.problems.append(problem)
    if !told.contains(problem) { tellings.append(.failed(problem)) }
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

  /// Returns the key of the entry with this unique id.
  fileprivate func id(ofEntity uniqueID: Text) -> Text? {
    guard case .object(let entries) = self else { return nil }
    return entries.members.first { (_, entry) in
      guard case .object(let members) = entry, case .text(let text)? = members["unique_id"]
      else { return false }
      return text == uniqueID
    }?.key
  }
}
