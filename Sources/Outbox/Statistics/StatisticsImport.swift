public import Bytes
public import HomeAssistant

/// Brings the hours that Home Assistant's long-term statistics lack there, and finds out whether they
/// are there.
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
/// Invariants:
/// 1. At most one request is under way.
/// 2. An hour leaves because it was seen in Home Assistant, because Home Assistant cannot keep it
///    (which is told), or because there are too many.
public struct StatisticsImport: Sendable {
  /// How long after its end an hour is Home Assistant's own matter.
  public static let ripeAfter: Duration = .seconds(900)
  /// A week of one sensor, about 15 KB.
  static let chunkCountMax = 168
  /// How long the recorder has to write what it was given before it is looked at.
  public static let settlingTime: Duration = .seconds(5)
  static let additionsMax = 3
  /// Home Assistant compiles every five minutes.
  public static let compilationDelay: Duration = .seconds(60)
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
    case looking(StatisticDescription)
    case adding
    case settling(until: Instant)
  }

  /// What one pass knows.
  private struct Pass {
    let webhookID: [UInt8]
    /// Later hours are Home Assistant's own matter yet.
    let lastHour: Int64
    var targets: [(sensor: MeasuredSensor, id: Text)] = []
    var position = 0
    var additions = 0
    /// The hours under way.
    var chunk: ArraySlice<SensorHour> = []

    var target: (sensor: MeasuredSensor, id: Text) { targets[position] }
  }

  public private(set) var waiting: WaitingHours
  /// Whether `waiting` is another one than was kept.
  public private(set) var isUnkept = false
  private var state = State.resting(until: nil)
  private var pass = Pass(webhookID: [], lastHour: 0)
  private var backOff: BackOff
  /// What hindered the last pass, which was told; nil once a pass has left nothing behind.
  public private(set) var problem: Problem?
  private var events: [Event] = []

  /// - Parameters:
  ///   - waiting: what is left of earlier runs.
  ///   - seed: where the jitter of the waits starts.
  public init(_ waiting: WaitingHours, seed: UInt64) {
    self.waiting = waiting
    backOff = BackOff(
      first: Self.firstRetryDelay, longest: Self.longestRetryDelay, seed: seed)
  }

  /// The next thing that happened and was not taken yet; nil where there is none.
  public mutating func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    if case .settling(let until) = state { until } else { nil }
  }

  /// Home Assistant lacks an hour.
  public mutating func add(_ hour: SensorHour, of sensor: MeasuredSensor) {
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
  /// - Returns: what to ask, or nil where nothing waits that could be imported now.
  public mutating func connectionReady(
    deviceID: Text?, webhookID: [UInt8], time: WallTime, now: Instant
  ) -> Action? {
    guard case .resting(let until) = state, until.map({ now >= $0 }) ?? true else { return nil }
    let lastHour = (time - Self.ripeAfter).hour - 1
    guard waiting.sensors.contains(where: { $0.hours[0].number <= lastHour }) else { return nil }
    guard let deviceID else {
      rest(after: .deviceUnknown, until: now + Self.refusalDelay)
      return nil
    }
    pass = Pass(webhookID: webhookID, lastHour: lastHour)
    state = .findingEntities
    return .findEntities(deviceID: deviceID)
  }

  public mutating func entitiesFound(_ ids: [EntityID]) -> Action? {
    state = .readingEntries
    return .readEntries(ids)
  }

  /// `entries` by their entity ids. Of all that is in them only the unique id is of interest.
  public mutating func entriesRead(_ entries: JSON, now: Instant) -> Action? {
    guard case .object(let entries) = entries else { return describeNext(now: now) }
    for waiting in waiting.sensors {
      let uniqueID = Text(pass.webhookID + [UInt8(ascii: "_")] + waiting.sensor.uniqueID)
      let entry = entries.members.first { (_, entry) in
        guard case .object(let members) = entry, case .text(let text)? = members["unique_id"]
        else { return false }
        return text == uniqueID
      }
      if let entry { pass.targets.append((waiting.sensor, entry.key)) }
    }
    guard !pass.targets.isEmpty else { return describeNext(now: now) }
    state = .awaitingCompilation
    return .lookForCompilation(
      ids: pass.targets.map { $0.id }, since: WallTime(startOfHour: pass.lastHour + 1))
  }

  /// Whether Home Assistant has compiled anything that is later than all the hours that could go.
  public mutating func compilationLooked(isThere: Bool, now: Instant) -> Action? {
    if isThere { return describeNext(now: now) }
    state = .resting(until: now + Self.compilationDelay)
    return nil
  }

  /// Goes on with the next hours of a sensor, or the next sensor.
  private mutating func describeNext(now: Instant) -> Action? {
    while pass.position < pass.targets.count {
      pass.additions = 0
      pass.chunk = waiting.hours(of: pass.target.sensor)
        .prefix { [pass] in $0.number <= pass.lastHour }.prefix(Self.chunkCountMax)
      if !pass.chunk.isEmpty { return describe() }
      pass.position += 1
    }
    finish(now: now)
    return nil
  }

  private mutating func describe() -> Action {
    state = .describing
    return .describe(id: pass.target.id)
  }

  public mutating func described(_ list: [StatisticDescription], now: Instant) -> Action? {
    let (sensor, id) = pass.target
    guard let description = list.first(where: { $0.id == id }) else {
      return add(as: nil, now: now)
    }
    guard description.mean == .arithmetic,
      UnitConversion(from: sensor.unit, to: description.unit) != nil
    else {
      tell(.unfit(uniqueID: sensor.uniqueID, unit: description.unit))
      remove(waiting.hours(of: sensor)[...], of: sensor)
      return describeNext(now: now)
    }
    state = .looking(description)
    let hours = pass.chunk
    return .look(
      Look(
        id: id, start: hours[hours.startIndex].start, end: hours[hours.endIndex - 1].end,
        unit: description.unit, unitClass: description.unitClass))
  }

  public mutating func looked(_ points: [StatisticsPoint], now: Instant) -> Action? {
    guard case .looking(let description) = state else { return nil }
    let sensor = pass.target.sensor
    guard let conversion = UnitConversion(from: sensor.unit, to: description.unit),
      pass.chunk.allSatisfy({ hour in points.contains { $0.shows(hour, conversion) } })
    else { return add(as: description, now: now) }
    remove(pass.chunk, of: sensor)
    events.append(.imported(uniqueID: sensor.uniqueID, hours: pass.chunk.count))
    return describeNext(now: now)
  }

  private mutating func remove(_ hours: ArraySlice<SensorHour>, of sensor: MeasuredSensor) {
    waiting.remove(hours, of: sensor)
    isUnkept = true
  }

  private mutating func add(as description: StatisticDescription?, now: Instant) -> Action? {
    let (sensor, id) = pass.target
    guard pass.additions < Self.additionsMax else {
      tell(.notKept(uniqueID: sensor.uniqueID))
      pass.position += 1
      return describeNext(now: now)
    }
    pass.additions += 1
    state = .adding
    let ours = sensor.unit.isEmpty ? nil : Text(sensor.unit)
    let unit = description.map { $0.unit } ?? ours
    let conversion = UnitConversion(from: sensor.unit, to: unit)
    return .add(
      Addition(
        id: id, unit: unit, unitClass: description?.unitClass,
        hours: pass.chunk.map { $0.converted(by: conversion) }))
  }

  /// Home Assistant took the hours, and writes them after a while.
  public mutating func added(now: Instant) {
    state = .settling(until: now + Self.settlingTime)
  }

  public mutating func deadlineReached(now: Instant) -> Action? {
    guard let deadline, now >= deadline else { return nil }
    return describe()
  }

  // MARK: The end of a pass

  /// A request was refused, or there was no answer.
  public mutating func failed(_ error: RequestError, now: Instant) {
    switch error {
    case .server(code: "unauthorized", _):
      rest(after: .notAllowed, until: now + Self.refusalDelay)
    case .disconnected, .expired, .cancelled:
      // How the connection is stands elsewhere.
      state = .resting(until: now + backOff.failed())
    default: rest(after: .refused(error), until: now + backOff.failed())
    }
  }

  private mutating func finish(now: Instant) {
    let isLeft = waiting.sensors.contains { $0.hours[0].number <= pass.lastHour }
    if !isLeft {
      backOff.succeeded()
      problem = nil
    }
    state = .resting(until: isLeft ? now + backOff.failed() : nil)
  }

  private mutating func rest(after problem: Problem, until: Instant) {
    tell(problem)
    state = .resting(until: until)
  }

  private mutating func tell(_ problem: Problem) {
    guard problem != self.problem else { return }
    self.problem = problem
    events.append(.failed(problem))
  }
}

extension StatisticsPoint {
  /// Whether Home Assistant has the hour as it was measured, but for what is lost on the way.
  fileprivate func shows(_ hour: SensorHour, _ conversion: UnitConversion) -> Bool {
    let hour = hour.converted(by: conversion)
    return start == hour.start && mean.isNear(hour.mean) && min.isNear(hour.lowest)
      && max.isNear(hour.highest)
  }
}

extension Double? {
  fileprivate func isNear(_ other: Double) -> Bool {
    guard let self else { return false }
    return abs(self - other) <= 1e-9 * Swift.max(1, abs(other))
  }
}
