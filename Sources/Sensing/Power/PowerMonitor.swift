public import Bytes

/// Follows the supply of the board: which level of `power` holds, whether the board lives on its
/// battery, and how long that lasts.
///
/// It hears the readings of the sensors that have a `PowerFigure`. Of several batteries the first
/// that was declared counts; of several supplies from outside one that is on is enough, and where
/// the kernel lists none, a battery that is charged has one. A value that is not to be had changes
/// nothing, but a supply from outside that is gone is off. A charge that fell as none can, and a
/// voltage that dips, count if a second look finds them again, for which the sources are asked.
public struct PowerMonitor: Sendable {
  private struct Figure {
    let index: SensorIndex
    let decimals: UInt8
  }

  private struct Mains {
    let index: SensorIndex
    var isOn: Bool?
  }

  private var levels: [PowerLevelDetector]
  private var charge: Figure?
  /// Nil where the board is off before a second look: each charge counts at once.
  private var falls: FallFilter?
  private var voltage: Figure?
  /// Each that was ever declared, for one that left may come back: no more than the sensors that
  /// the owner has.
  private var mains: [Mains] = []
  /// The battery's own word for what it does, which tells of mains where nothing else does.
  private var status: Mains?
  /// Of what is followed, so that other readings are passed over at once.
  private var lastIndex = -1
  private var forecast = DischargeForecast()
  /// What the levels that hold change.
  public private(set) var effect = PowerEffect()
  /// The last one that holds, in the order of the configuration; nil where none does.
  public private(set) var level: Int?
  /// When a figure in doubt is read again, unless a cycle does so before.
  private var secondLookAt: Instant?
  /// Whether that is now.
  private var isLookWanted = false
  /// As it was when the last reading was judged: a battery that is only declared is news, too.
  private var wasOnBattery = false

  /// - Parameters:
  ///   - levels: in the order of the configuration; of those that hold, a later one counts.
  ///   - looksTwice: whether the sources can be asked again for a figure in doubt.
  public init(levels: [PowerLevel], looksTwice: Bool = true) {
    falls = looksTwice ? FallFilter() : nil
    self.levels = levels.map { PowerLevelDetector($0, looksTwice: looksTwice) }
  }

  // MARK: Queries

  /// Whether power comes in from outside; nil where no sensor tells.
  public var isOnMains: Bool? {
    if mains.contains(where: { $0.isOn == true }) { return true }
    return mains.contains { $0.isOn == false } ? false : status?.isOn
  }

  /// Whether each message is taken from a battery. A board without one, as far as its sensors tell,
  /// has mains.
  public var isOnBattery: Bool {
    (charge != nil || voltage != nil) && isOnMains != true
  }

  public var hasLevels: Bool { !levels.isEmpty }

  /// Whether a sensor tells how full the battery is.
  public var hasCharge: Bool { charge != nil }

  /// The condition of the level that holds; nil where none does.
  public var condition: PowerLevel.Condition? { level.map { levels[$0].level.condition } }

  /// How many hours the battery lasts at what it lost lately; nil where it loses nothing, or that
  /// is not known yet.
  public var hoursLeft: Int64? { isOnMains == true ? nil : forecast.hoursLeft }

  // MARK: Time

  /// When `deadlineReached` is due; nil if no time ends a level, and no figure is in doubt.
  public var deadline: Instant? { earliest(levelDeadline, secondLookAt) }

  /// When a level ends by time; nil if none does.
  private var levelDeadline: Instant?

  /// Whether the sources are to be asked: a figure counts only if a second look finds it again.
  public mutating func takeLookWanted() -> Bool {
    defer { isLookWanted = false }
    return isLookWanted
  }

  /// Returns whether `effect` or `level` changed.
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

  /// A sensor was declared, or once more.
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

  /// A reading of any sensor came. Returns whether `effect`, `level` or `isOnBattery` changed.
  public mutating func readingRecorded(_ reading: Reading, now: Instant) -> Bool {
    guard reading.sensor.value <= lastIndex else { return false }
    guard take(reading, now: now) else { return false }
    let isOnBattery = isOnBattery
    defer { wasOnBattery = isOnBattery }
    return judge() || isOnBattery != wasOnBattery
  }

  /// Returns whether it is of the supply, and has a value.
  private mutating func take(_ reading: Reading, now: Instant) -> Bool {
    if let charge, charge.index == reading.sensor {
      guard let value = reading.value.millionths(decimals: charge.decimals) else { return false }
      let counts = falls?.admit(value, now: now) ?? true
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

  /// A look that was taken is not taken twice for one doubt.
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

  /// By the words of the kernel (`status` in `Documentation/ABI/testing/sysfs-class-power`); nil
  /// for one that does not tell.
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
