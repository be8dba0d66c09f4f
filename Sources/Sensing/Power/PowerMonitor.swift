public import Bytes

/// Follows the supply of the board: the level of `power` that holds, whether the board runs on its
/// battery, and the remaining time.
///
/// Its inputs are the readings of the sensors with a `PowerFigure`. Of several batteries the first
/// declared one counts. Of several external supplies one that is on is enough; if the kernel lists
/// none, the battery's status counts. An unavailable value changes nothing, but an external supply
/// that is gone is off. An implausible fall of the charge, and a dip of the voltage, count if a
/// second reading, for which the monitor asks, confirms them.
public struct PowerMonitor: Sendable {
  private struct Figure {
    let index: SensorIndex
    let decimals: UInt8
  }

  private struct Mains {
    let index: SensorIndex
    var isOn: Bool?
  }

  /// Levels in the order of the configuration; of those that hold, later ones override.
  private var levels: [PowerLevelDetector]
  private var charge: Figure?
  /// Nil if the board is off before a second reading: each charge then counts at once.
  private var falls: FallFilter?
  private var voltage: Figure?
  /// Every declared supply, because one that was removed may come back; no more than the owner has
  /// sensors.
  private var mains: [Mains] = []
  /// The battery's own status, which stands in for mains if no other sensor reports them.
  private var status: Mains?
  /// Highest index that is followed, so that other readings are skipped at once.
  private var lastIndex = -1
  private var forecast = DischargeForecast()
  /// Combined effect of the levels that hold.
  public private(set) var effect = PowerEffect()
  /// Index of the last level that holds, in the order of the configuration; nil if none does.
  public private(set) var level: Int?
  /// Time at which a doubtful figure is read again, unless a cycle does so before.
  private var secondLookAt: Instant?
  /// Whether a second reading is due now.
  private var isLookWanted = false
  /// Value at the last judged reading: a battery that is only declared also causes a change.
  private var wasOnBattery = false

  /// `looksTwice`: whether the sources can be read again for a doubtful figure.
  public init(levels: [PowerLevel], looksTwice: Bool = true) {
    falls = looksTwice ? FallFilter() : nil
    self.levels = levels.map { PowerLevelDetector($0, looksTwice: looksTwice) }
  }

  // MARK: Queries

  /// Whether there is external power; nil if no sensor reports it.
  public var isOnMains: Bool? {
    if mains.contains(where: { $0.isOn == true }) { return true }
    return mains.contains { $0.isOn == false } ? false : status?.isOn
  }

  /// Whether the board runs on a battery. A board without a battery sensor has mains.
  public var isOnBattery: Bool {
    (charge != nil || voltage != nil) && isOnMains != true
  }

  public var hasLevels: Bool { !levels.isEmpty }

  /// Whether a sensor reports the charge of the battery.
  public var hasCharge: Bool { charge != nil }

  /// Condition of the level that holds; nil if none does.
  public var condition: PowerLevel.Condition? { level.map { levels[$0].level.condition } }

  /// Remaining hours of the battery at its recent rate of discharge; nil without a loss, or with
  /// too little data.
  public var hoursLeft: Int64? { isOnMains == true ? nil : forecast.hoursLeft }

  // MARK: Time

  /// Instant at which `deadlineReached` is due; nil if no level ends by time and no figure is
  /// doubtful.
  public var deadline: Instant? { earliest(levelDeadline, secondLookAt) }

  /// Instant at which a level ends by time; nil if none does.
  private var levelDeadline: Instant?

  /// Returns whether the sources have to be read again to confirm a doubtful figure.
  public mutating func takeLookWanted() -> Bool {
    defer { isLookWanted = false }
    return isLookWanted
  }

  /// Handles the deadline. Returns whether `effect` or `level` changed.
  public mutating func deadlineReached(now: Instant) -> Bool {
    if let look = secondLookAt, now >= look {
      secondLookAt = nil
      isLookWanted = true
    }
    guard let end = levelDeadline, now >= end else { return false }
    for index in levels.indices { levels[index].deadlineReached(now: now) }
    return judge()
  }

  // MARK: Events

  /// Registers a sensor; a repeated call is harmless.
  public mutating func declared(_ sensor: SensorDescription, _ index: SensorIndex) {
    switch sensor.powerFigure {
    case nil: return
    case .charge:
      guard charge == nil, let decimals = sensor.decimalsOfMillionths else { return }
      charge = Figure(index: index, decimals: decimals)
    case .voltage:
      guard voltage == nil, let decimals = sensor.decimalsOfMillionths else { return }
      voltage = Figure(index: index, decimals: decimals)
    case .mains:
      guard !mains.contains(where: { $0.index == index }) else { return }
      mains.append(Mains(index: index))
    case .batteryStatus:
      guard status == nil else { return }
      status = Mains(index: index)
    }
    lastIndex = max(lastIndex, index.value)
  }

  /// Records a reading of any sensor. Returns whether `effect`, `level` or `isOnBattery` changed.
  public mutating func readingRecorded(_ reading: Reading, now: Instant) -> Bool {
    guard reading.sensor.value <= lastIndex else { return false }
    guard take(reading, now: now) else { return false }
    let isOnBattery = isOnBattery
    defer { wasOnBattery = isOnBattery }
    return judge() || isOnBattery != wasOnBattery
  }

  /// Returns whether the reading is of the supply, and has a value.
  private mutating func take(_ reading: Reading, now: Instant) -> Bool {
    if let charge, charge.index == reading.sensor {
      guard let value = reading.value.millionths(decimals: charge.decimals) else { return false }
      let isOnMains = isOnMains == true
      let counts = falls?.admit(value, isOnMains: isOnMains, now: now) ?? true
      planSecondLook(now: now)
      guard counts else { return false }
      read(.charge, value, now: now)
      forecast.chargeRead(millionths: value, now: now)
    } else if let voltage, voltage.index == reading.sensor {
      guard let value = reading.value.millionths(decimals: voltage.decimals) else { return false }
      read(.voltage, value, now: now)
      planSecondLook(now: now)
    } else if let place = mains.firstIndex(where: { $0.index == reading.sensor }) {
      mainsRead(reading.value, at: place, now: now)
    } else if status?.index == reading.sensor {
      statusRead(reading.value, now: now)
    } else {
      return false
    }
    return true
  }

  /// Schedules at most one second reading for one doubt.
  private mutating func planSecondLook(now: Instant) {
    var next = falls?.secondLookAt
    for index in levels.indices { next = earliest(next, levels[index].dipEnd) }
    secondLookAt = next.flatMap { $0 > now ? $0 : nil }
  }

  private mutating func read(_ figure: PowerFigure, _ millionths: Int64, now: Instant) {
    for index in levels.indices { levels[index].read(figure, millionths: millionths, now: now) }
  }

  private mutating func mainsRead(_ value: Value, at place: Int, now: Instant) {
    switch value {
    case .boolean(let isOn): mains[place].isOn = isOn
    case .unavailable: mains[place].isOn = false
    case .number, .text, .unknown: return
    }
    judgeMains(now: now)
  }

  private mutating func statusRead(_ value: Value, now: Instant) {
    guard case .text(let word) = value, let isOn = Self.isOnMains(status: word.bytes) else {
      return
    }
    status?.isOn = isOn
    judgeMains(now: now)
  }

  /// Returns whether a status of the kernel implies external power (`status` in
  /// `Documentation/ABI/testing/sysfs-class-power`); nil if it shows nothing.
  private static func isOnMains(status: Span<UInt8>) -> Bool? {
    if status.elementsEqual("Discharging") { return false }
    let isFed =
      status.elementsEqual("Charging") || status.elementsEqual("Full")
      || status.elementsEqual("Not charging")
    return isFed ? true : nil
  }

  private mutating func judgeMains(now: Instant) {
    guard let isOnMains else { return }
    for index in levels.indices { levels[index].mainsRead(isOn: isOnMains, now: now) }
  }

  /// Returns whether `effect` or `level` changed.
  private mutating func judge() -> Bool {
    let former = (effect, level)
    effect = PowerEffect()
    level = nil
    levelDeadline = nil
    for index in levels.indices {
      levelDeadline = earliest(levelDeadline, levels[index].deadline)
      guard levels[index].holds else { continue }
      effect.override(with: levels[index].level.effect)
      level = index
    }
    return former != (effect, level)
  }
}
