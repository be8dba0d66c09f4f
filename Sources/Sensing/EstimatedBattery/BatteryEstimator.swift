public import Bytes

/// The state of a battery.
public enum BatteryStatus: Equatable, Sendable {
  case charging, discharging, idle, full

  public var word: StaticString {
    switch self {
    case .charging: "charging"
    case .discharging: "discharging"
    case .idle: "idle"
    case .full: "full"
    }
  }
}

/// Reliability of a percentage.
public enum BatteryConfidence: Equatable, Sendable {
  /// A battery monitor counts the charge in both directions.
  case counted
  /// The battery takes no more current at its charging voltage.
  case full
  /// The voltage was steady for half an hour, with hardly any current.
  case rested
  /// The battery rested on the flat part of the curve: anything from 30 to 90 %.
  case restedOnPlateau
  /// The percentage is the earlier one: the voltage means nothing while the battery is charged.
  case charging
  /// A load pulls the voltage down: the battery has at least this percentage.
  case underLoad
  /// No current is drawn, and the voltage still moves.
  case settling
  /// Unknown whether the battery is charged or discharged.
  case voltageOnly

  public var words: StaticString {
    switch self {
    case .counted: "counted"
    case .full: "full"
    case .rested: "rested"
    case .restedOnPlateau: "rested, 30 to 90 %"
    case .charging: "charging"
    case .underLoad: "under load"
    case .settling: "settling"
    case .voltageOnly: "voltage only"
    }
  }
}

/// Estimates the charge of a battery from its voltage, and from its current if that is measured.
///
/// A voltage shows the charge only after a rest: under load it is too low, and during charging too
/// high, for hours. So the percentage
/// - is the curve's if the battery rested,
/// - is 100 if the battery is at its charging voltage and takes no more current,
/// - never rises otherwise, and falls under load to the best value of the curve within the last 15
///   to 30 minutes: a load that comes and goes does not pull it down,
/// - and changes in steps of 2 or more, except to 0 and 100.
///
/// Every number is accepted; an impossible voltage counts as none.
public struct BatteryEstimator: Sendable {
  /// Time for which a rested voltage was steady. (Lead needs 6 to 24 hours for an exact value; most
  /// of the change is over in the first half hour.)
  public static let restTime: Duration = .seconds(30 * 60)
  /// Time without current at the charging voltage after which a battery is full.
  public static let fullTime: Duration = .seconds(3 * 60)
  /// Half of the time over which the best voltage under load counts.
  static let loadTime: Duration = .seconds(15 * 60)
  public static let stepPercent = 2
  /// Possible numbers of cells in series.
  public static let cellsRange = 1...100
  /// Possible voltages of a battery. The noise of a meter without a battery lies near 0.
  static let microvoltsRange: ClosedRange<Int64> = -1_000_000...1_000_000_000

  private let chemistry: BatteryChemistry
  private let cells: Int64

  /// 0...100; nil before the first voltage.
  public private(set) var percent: Int?
  /// Current state; nil if unknown.
  public private(set) var status: BatteryStatus?
  public private(set) var confidence = BatteryConfidence.voltageOnly

  /// Voltage of the whole battery if it is impossible for the number of cells; otherwise nil.
  public private(set) var impossibleMicrovolts: Int64?

  /// Voltage in microvolts of the curve.
  private var voltage: Int64?
  private var microamperes: Int64?
  private var steady: Steady?
  /// Since when it takes hardly any current at a voltage of charging, and that voltage.
  private var charged: (since: Instant, voltage: Int64)?
  private var isFull = false
  private var load = BestUnderLoad()

  /// Voltages that differ by little.
  private struct Steady {
    var range: ClosedRange<Int64>
    let since: Instant
  }

  /// `cells` is the number of cells in series.
  ///
  /// - Precondition: `cells` is in `cellsRange`; the configuration rejects others.
  public init(chemistry: BatteryChemistry, cells: Int) {
    precondition(Self.cellsRange.contains(cells), "the configuration limits the cells")
    self.chemistry = chemistry
    self.cells = Int64(cells)
  }

  // MARK: Events

  /// Records the voltage of the whole battery; nil if it is unavailable or invalid.
  public mutating func voltageRead(microvolts: Int64?, now: Instant) {
    let known = microvolts.flatMap { Self.microvoltsRange.contains($0) ? $0 : nil }
    impossibleMicrovolts = known.flatMap {
      chemistry.figures.cellMicrovolts.contains($0 / cells) ? nil : $0
    }
    voltage =
      impossibleMicrovolts == nil ? known.map { $0 * chemistry.figures.cells / cells } : nil
    guard let voltage else {
      (steady, charged, load) = (nil, nil, BestUnderLoad())
      return
    }
    judge(voltage, now: now)
  }

  /// Records the current, positive into the battery; nil if it is unavailable.
  public mutating func currentRead(microamperes: Int64?, now: Instant) {
    self.microamperes = microamperes
    if let voltage { judge(voltage, now: now) }
  }

  /// Whether there is a voltage to judge by.
  public var isMeasured: Bool { voltage != nil }

  // MARK: Judgement

  private mutating func judge(_ voltage: Int64, now: Instant) {
    let isRested = isRested(voltage, now: now)
    findFull(voltage, now: now)
    status = status(voltage, isRested: isRested)
    if isFull || isRested || status == .charging { load = BestUnderLoad() }
    if isFull {
      show(100)
      confidence = .full
    } else if isRested {
      confidence = isOnPlateau(voltage) ? .restedOnPlateau : .rested
      show(curve(voltage))
    } else if status == .charging {
      if percent == nil { show(curve(voltage)) }
      confidence = .charging
    } else {
      let best = load.read(curve(voltage), now: now)
      if let percent, let best { show(min(percent, best)) }
      if percent == nil { show(curve(voltage)) }
      confidence = restless
    }
  }

  private func curve(_ voltage: Int64) -> Int {
    isOnPlateau(voltage)
      ? BatteryChemistry.plateauPercent : chemistry.percent(ofRested: voltage)
  }

  private var restless: BatteryConfidence {
    switch status {
    case .discharging: .underLoad
    case nil: .voltageOnly
    case .charging, .idle, .full: .settling
    }
  }

  /// Returns whether the voltage was steady for long enough, without current.
  private mutating func isRested(_ voltage: Int64, now: Instant) -> Bool {
    guard voltage < chemistry.figures.chargingMicrovolts, isIdle ?? true else {
      steady = nil
      return false
    }
    guard let old = steady else {
      steady = Steady(range: voltage...voltage, since: now)
      return false
    }
    let range = min(old.range.lowerBound, voltage)...max(old.range.upperBound, voltage)
    guard range.upperBound - range.lowerBound <= chemistry.steadyMicrovolts else {
      steady = Steady(range: voltage...voltage, since: now)
      return false
    }
    steady?.range = range
    return now - old.since >= Self.restTime
  }

  private mutating func findFull(_ voltage: Int64, now: Instant) {
    guard let isIdle else {
      (isFull, charged) = (false, nil)
      return
    }
    if isIdle, voltage >= chemistry.figures.fullMicrovolts {
      // A charger holds the voltage. That of a battery that it left falls for an hour, and says
      // nothing; while it still rises, the battery takes what a small charger gives.
      if let charged, abs(voltage - charged.voltage) <= chemistry.steadyMicrovolts {
        if now - charged.since >= Self.fullTime { isFull = true }
      } else {
        charged = (now, voltage)
      }
      return
    }
    charged = nil
    // The charger may rest, or charge on with more: only a discharge makes the battery less than
    // full.
    if let microamperes, microamperes < -chemistry.idleMicroamperes { isFull = false }
    if voltage < chemistry.figures.fullMicrovolts, curve(voltage) <= 100 - Self.stepPercent {
      isFull = false
    }
  }

  /// Whether hardly any current flows; nil if unknown. A battery that is charged or discharged
  /// becomes idle only below half of the idle current.
  private var isIdle: Bool? {
    guard let microamperes else { return nil }
    let isFlowing = status == .charging || status == .discharging
    let limit = isFlowing ? chemistry.idleMicroamperes / 2 : chemistry.idleMicroamperes
    return microamperes.magnitude <= limit.magnitude
  }

  private func status(_ voltage: Int64, isRested: Bool) -> BatteryStatus? {
    if isFull { return .full }
    if let microamperes, let isIdle {
      if isIdle { return .idle }
      return microamperes > 0 ? .charging : .discharging
    }
    if voltage >= chemistry.figures.chargingMicrovolts { return .charging }
    return isRested ? .idle : nil
  }

  /// Whether the voltage is on the plateau. The limits to leave it are wider than those to enter
  /// it.
  private func isOnPlateau(_ voltage: Int64) -> Bool {
    guard let plateau = chemistry.plateau else { return false }
    if plateau.contains(voltage) { return true }
    guard percent == BatteryChemistry.plateauPercent else { return false }
    return voltage >= plateau.lowerBound - chemistry.steadyMicrovolts
      && voltage <= plateau.upperBound + chemistry.steadyMicrovolts
  }

  private mutating func show(_ new: Int) {
    if let percent, abs(new - percent) < Self.stepPercent, new != 0, new != 100 { return }
    percent = new
  }
}

/// The best percentage of the curve under load, over the last two periods.
private struct BestUnderLoad {
  private var since: Instant?
  private var before: Int?
  private var best = 0

  /// Adds the current percentage of the curve and returns the best; nil before a whole period has
  /// passed.
  mutating func read(_ percent: Int, now: Instant) -> Int? {
    guard let since else {
      since = now
      best = percent
      return nil
    }
    if now - since >= BatteryEstimator.loadTime {
      before = best
      best = percent
      self.since = now
    } else {
      best = max(best, percent)
    }
    return before.map { max($0, best) }
  }
}
