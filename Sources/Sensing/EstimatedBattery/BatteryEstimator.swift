public import Bytes

/// What a battery does.
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

/// What a percentage is worth.
public enum BatteryConfidence: Equatable, Sendable {
  /// A battery monitor counts what goes in and out.
  case counted
  /// It takes no more current at the voltage at which it is charged.
  case full
  /// Its voltage was steady for half an hour, with hardly any current.
  case rested
  /// The same, where the curve is flat: anything from 30 to 90 %.
  case restedOnPlateau
  /// The percentage is that of before: the voltage says nothing while it is charged.
  case charging
  /// Its voltage is pulled down by what it feeds: it holds at least so much.
  case underLoad
  /// Nothing is drawn, and its voltage still moves.
  case settling
  /// Whether it is charged or drawn from is not known.
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

/// How full a battery is, from its voltage, and its current where that is measured.
///
/// A voltage tells the charge only after a rest: while it is drawn from it is too low, while it is
/// charged too high, for hours. So the percentage
/// - is the curve's when the battery rested,
/// - is 100 when it is charged and takes no more current,
/// - never rises otherwise, and falls under load to the best that the curve said within the last
///   15 to 30 minutes: a load that comes and goes does not pull it down,
/// - and changes in steps of 2 or more, but for 0 and 100.
///
/// Every number is taken; a voltage that no battery has counts as none.
public struct BatteryEstimator: Sendable {
  /// A voltage is rested when it was steady for so long. (Lead rests for 6 to 24 hours to be exact;
  /// most of it is over in the first half hour.)
  public static let restTime: Duration = .seconds(30 * 60)
  /// How long a battery takes no current, charged, until it is full.
  public static let fullTime: Duration = .seconds(3 * 60)
  /// Half of the time over which the best voltage under load counts.
  static let loadTime: Duration = .seconds(15 * 60)
  public static let stepPercent = 2
  /// How many cells in series a battery can have.
  public static let cellsRange = 1...100
  /// Beyond that a voltage is none. The noise of a meter without a battery is one near 0.
  static let microvoltsRange: ClosedRange<Int64> = -1_000_000...1_000_000_000

  private let chemistry: BatteryChemistry
  private let cells: Int64

  /// 0...100; nil before the first voltage.
  public private(set) var percent: Int?
  /// What is known of it; nil where that is nothing.
  public private(set) var status: BatteryStatus?
  public private(set) var confidence = BatteryConfidence.voltageOnly

  /// The voltage of the whole battery if its cells cannot have their share of it; nil if they can.
  public private(set) var impossibleMicrovolts: Int64?

  /// In microvolts of the curve.
  private var voltage: Int64?
  private var microamperes: Int64?
  private var steady: Steady?
  private var chargedSince: Instant?
  private var isFull = false
  private var load = BestUnderLoad()

  /// Voltages that differ by little.
  private struct Steady {
    var range: ClosedRange<Int64>
    let since: Instant
  }

  /// `cells` is how many are in series.
  ///
  /// - Precondition: `cells` is in `cellsRange`; the configuration refuses others.
  public init(chemistry: BatteryChemistry, cells: Int) {
    precondition(Self.cellsRange.contains(cells), "the configuration limits the cells")
    self.chemistry = chemistry
    self.cells = Int64(cells)
  }

  // MARK: Events

  /// The voltage of the whole battery was measured; nil: it is not to be had, or makes no sense.
  public mutating func voltageRead(microvolts: Int64?, now: Instant) {
    let known = microvolts.flatMap { Self.microvoltsRange.contains($0) ? $0 : nil }
    impossibleMicrovolts = known.flatMap {
      chemistry.cellMicrovolts.contains($0 / cells) ? nil : $0
    }
    voltage =
      impossibleMicrovolts == nil ? known.map { $0 * chemistry.curveCells / cells } : nil
    guard let voltage else {
      (steady, chargedSince, load) = (nil, nil, BestUnderLoad())
      return
    }
    judge(voltage, now: now)
  }

  /// The current was measured, with + for what goes into the battery; nil: it is not to be had.
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

  /// Whether the voltage was steady for long enough, and nothing flowed.
  private mutating func isRested(_ voltage: Int64, now: Instant) -> Bool {
    guard voltage < chemistry.chargingMicrovolts, isIdle ?? true else {
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
      (isFull, chargedSince) = (false, nil)
      return
    }
    if isIdle, voltage >= chemistry.fullMicrovolts {
      let since = chargedSince ?? now
      chargedSince = since
      if now - since >= Self.fullTime { isFull = true }
      return
    }
    chargedSince = nil
    // The charger may rest, or go on with more: only what is drawn makes it less than full.
    if let microamperes, microamperes < -chemistry.idleMicroamperes { isFull = false }
    if voltage < chemistry.fullMicrovolts, curve(voltage) <= 100 - Self.stepPercent {
      isFull = false
    }
  }

  /// Whether hardly any current flows; nil where that is not known. A battery that is charged, or
  /// drawn from, is idle below half of what it takes to begin.
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
    if voltage >= chemistry.chargingMicrovolts { return .charging }
    return isRested ? .idle : nil
  }

  /// Leaving the plateau takes more than entering it.
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

/// The best that the curve said of a battery that is drawn from, over the last two stretches of
/// time.
private struct BestUnderLoad {
  private var since: Instant?
  private var before: Int?
  private var best = 0

  /// Takes in what the curve says now; nil where less than a whole stretch is behind it.
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
