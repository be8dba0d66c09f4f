public import Bytes
public import HomeAssistant

/// Brings the hours that Home Assistant's long-term statistics lack there, and finds out whether
/// they are there.
///
/// One pass is: find this device's entities; then for each sensor, in chunks, look at what Home
/// Assistant has of these hours, add ours where they differ, and after a while look again. What was
/// looked at and is there does not wait any more. So nothing depends on what became of an answer: a
/// pass that was broken off begins anew.
///
/// Home Assistant compiles an hour after its end, all sensors of it at once, and what it has missed
/// after its start. It stumbles over an hour of ours that is there before, and then has none of any
/// sensor. So an hour waits for a while after its end, and until Home Assistant has figures of five
/// minutes that came later: then it does not go back to that hour.
///
/// Events go in; then `nextAction` is asked until it is nil. `deadlineReached` is due at
/// `deadline`.
///
/// Invariants:
/// 1. At most one question is under way. One that was not given yet is dropped where the pass ends.
/// 2. An hour leaves because it was seen in Home Assistant, because Home Assistant cannot keep it
///    (which is told), or because there are too many.
/// 3. A sensor that Home Assistant refuses hinders no other.
/// 4. What is told comes in its order, before the question that is due, and is never dropped.
public struct StatisticsImport: Sendable {
  /// How long after its end an hour is Home Assistant's own matter.
  public static let ripeAfter: Duration = .seconds(900)
  /// A week of one sensor, about 15 KB.
  static let chunkCountMax = 168
  /// How long the recorder has to write what it was given before it is looked at.
  public static let settlingTime: Duration = .seconds(5)
  static let additionsMax = 3
  /// How far back the last sum of a counter from before its hours may lie: Home Assistant may have
  /// been away, too.
  static let countedBefore: Duration = .seconds(7 * 24 * 3600)
  /// Home Assistant compiles every five minutes.
  public static let compilationDelay: Duration = .seconds(60)
  /// So often that should have been seen.
  static let compilationLooksMax = 10
  /// What may come by itself: a sensor's registration, a slow recorder, a broken connection.
  public static let firstRetryDelay: Duration = .seconds(300)
  public static let longestRetryDelay: Duration = .seconds(3600)
  /// What only a person changes.
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

  /// What one pass knows.
  private struct Pass {
    let webhookID: [UInt8]
    /// Later hours are Home Assistant's own matter yet.
    let lastHour: Int64
    var entityIDs: [EntityID] = []
    var targets: [(sensor: StatisticsSensor, id: Text)] = []
    var position = 0
    var additions = 0
    /// The hours under way.
    var chunk: ArraySlice<SensorHour> = []
    var problems: [Problem] = []

    var target: (sensor: StatisticsSensor, id: Text) { targets[position] }
  }

  public private(set) var waiting: WaitingHours
  /// Whether `waiting` is another one than was kept.
  public private(set) var isUnkept = false
  private var state = State.resting(until: nil)
  private var pass = Pass(webhookID: [], lastHour: 0)
  private var backOff: BackOff
  /// What hindered the passes up to the last one that came to its end, which was told.
  private var told: [Problem] = []
  private var compilationLooks = 0
  /// What is to be asked and was not given yet; nil while the import rests or settles.
  private var question: Question?
  private var tellings = Queue<Event>()

  /// - Parameters:
  ///   - waiting: what is left of earlier runs.
  ///   - seed: where the jitter of the waits starts.
  public init(_ waiting: WaitingHours, seed: UInt64) {
    self.waiting = waiting
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
  }

  /// What hinders the import; nil where nothing does.
  public var problem: Problem? { told.last }

  /// What is to be done next; nil where nothing is until the next event.
  public mutating func nextAction() -> Action? {
    if let event = tellings.takeFirst() { return .tell(event) }
    defer { question = nil }
    return question.map { .ask($0) }
  }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    if case .settling(let until) = state { until } else { nil }
  }

  /// Home Assistant lacks an hour.
  public mutating func add(_ hour: SensorHour, of sensor: StatisticsSensor) {
    waiting.insert(hour, of: sensor)
    isUnkept = true
  }

  /// `waiting` outlives a restart now.
  public mutating func kept() { isUnkept = false }

  // MARK: A pass

  /// Home Assistant is there and takes requests.
  ///
  /// - Parameters:
  ///   - deviceID: which of its devices this is, as far as it told.
  ///   - webhookID: that of the registration, with which the unique ids of its entities begin.
  ///   - time: of the wall clock.
  ///   - now: of the monotonic one.
  public mutating func connectionReady(
    deviceID: Text?, webhookID: [UInt8], time: WallTime, now: Instant
  ) {
    guard case .resting(let until) = state, until.map({ now >= $0 }) ?? true else { return }
    let lastHour = (time - Self.ripeAfter).hour - 1
    pass = Pass(webhookID: webhookID, lastHour: lastHour)
    guard isAnythingLeft else { return }
    guard let deviceID else {
      tell(.deviceUnknown)
      return endPass(until: now + Self.refusalDelay)
    }
    ask(.findEntities(deviceID: deviceID), .findingEntities)
  }

  private var isAnythingLeft: Bool {
    waiting.sensors.contains { $0.hours[0].number <= pass.lastHour }
  }

  private mutating func ask(_ question: Question, _ state: State) {
    self.question = question
    self.state = state
  }

  public mutating func entitiesFound(_ ids: [EntityID]) {
    pass.entityIDs = ids
    ask(.readEntries(ids), .readingEntries)
  }

  /// `entries` by their entity ids. Of all that is in them only the unique id is of interest.
  public mutating func entriesRead(_ entries: JSON, now: Instant) {
    for waiting in waiting.sensors where waiting.hours[0].number <= pass.lastHour {
      let uniqueID = Text(pass.webhookID + [UInt8(ascii: "_")] + waiting.sensor.uniqueID)
      if let id = entries.id(ofEntity: uniqueID) {
        pass.targets.append((waiting.sensor, id))
      } else {
        tell(.notFound(uniqueID: waiting.sensor.uniqueID))
      }
    }
    guard !pass.targets.isEmpty else { return describeNext(now: now) }
    // Any sensor of this board that says numbers now will do.
    ask(
      .lookForCompilation(
        ids: pass.entityIDs.map { $0.text }, since: WallTime(startOfHour: pass.lastHour + 1)),
      .awaitingCompilation)
  }

  /// Whether Home Assistant has compiled anything that is later than all the hours that could go.
  public mutating func compilationLooked(isThere: Bool, now: Instant) {
    compilationLooks = isThere ? 0 : compilationLooks + 1
    if isThere { return describeNext(now: now) }
    if compilationLooks < Self.compilationLooksMax {
      breakOff(until: now + Self.compilationDelay)
    } else {
      tell(.notCompiled)
      endPass(until: now + backOff.failed())
    }
  }

  /// Goes on with the next hours of a sensor, or the next sensor.
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

  private mutating func describe() { ask(.describe(id: pass.target.id), .describing) }

  public mutating func described(_ list: [StatisticDescription], now: Instant) {
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
    // What was counted before is told, too: the hours go on from there.
    let before = sensor.kind.hasSum ? Self.countedBefore : .zero
    let look = Look(
      id: id, kind: sensor.kind, start: hours[hours.startIndex].start - before,
      end: hours[hours.endIndex - 1].end, unit: description.unit, unitClass: description.unitClass)
    ask(.look(look), .looking(description, conversion))
  }

  public mutating func looked(_ points: [StatisticsPoint], now: Instant) {
    guard case .looking(let description, let conversion) = state else { return }
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
    isUnkept = true
  }

  /// Told each time: these hours are gone.
  private mutating func giveUp(
    _ hours: ArraySlice<SensorHour>, of sensor: StatisticsSensor, for problem: Problem
  ) {
    pass.problems.append(problem)
    tellings.append(.failed(problem))
    remove(hours, of: sensor)
  }

  private mutating func add(
    _ hours: [ImportStatistics.Hour], as description: StatisticDescription, now: Instant
  ) {
    let (sensor, id) = pass.target
    guard pass.additions < Self.additionsMax else {
      return skip(for: .notKept(uniqueID: sensor.uniqueID), now: now)
    }
    pass.additions += 1
    let addition = Addition(
      id: id, unit: description.unit, unitClass: description.unitClass, kind: sensor.kind,
      hours: hours)
    ask(.add(addition), .adding)
  }

  /// Home Assistant took the hours, and writes them after a while.
  public mutating func added(now: Instant) {
    state = .settling(until: now + Self.settlingTime)
  }

  public mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { describe() }
  }

  // MARK: The end of a pass

  /// A request was refused, or there was no answer.
  public mutating func failed(_ error: RequestError, now: Instant) {
    switch (error, state) {
    case (.server(code: "unauthorized", _), _):
      tell(.notAllowed)
      endPass(until: now + Self.refusalDelay)
    case (.disconnected, _), (.expired, _), (.cancelled, _), (.rejected, _):
      // How the connection is stands elsewhere.
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

  /// What was told before was not looked at again, and is not news the next time.
  private mutating func breakOff(until: Instant) {
    pass.problems = told + pass.problems.filter { !told.contains($0) }
    endPass(until: until)
  }

  private mutating func endPass(until: Instant?) {
    told = pass.problems
    question = nil
    state = .resting(until: until)
  }

  /// Tells what was not told in the pass before.
  private mutating func tell(_ problem: Problem) {
    pass.problems.append(problem)
    if !told.contains(problem) { tellings.append(.failed(problem)) }
  }
}

extension JSON {
  /// The key of the entry with this unique id.
  fileprivate func id(ofEntity uniqueID: Text) -> Text? {
    guard case .object(let entries) = self else { return nil }
    return entries.members.first { (_, entry) in
      guard case .object(let members) = entry, case .text(let text)? = members["unique_id"]
      else { return false }
      return text == uniqueID
    }?.key
  }
}
