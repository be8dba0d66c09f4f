import Bytes

/// A change of behaviour while the supply is low: an entry of `power`.
public struct PowerLevel: Equatable, Sendable {
  public enum Condition: Equatable, Sendable {
    /// The charge of the battery is below this percentage, 1 to 95.
    case chargeBelow(percent: Int64)
    /// The voltage of the battery is lower.
    case voltageBelow(microvolts: Int64)
    /// There is no external power.
    case withoutMains
  }

  public let condition: Condition
  public let effect: PowerEffect

  public init(_ condition: Condition, _ effect: PowerEffect) {
    self.condition = condition
    self.effect = effect
  }
}

/// Deviations from the configuration while a level holds.
public struct PowerEffect: Equatable, Sendable {
  /// Time between two cycles; nil for that of the configuration.
  public var every: Duration?
  /// Time between two uploads; nil for that of the configuration.
  public var uploadEvery: Duration?
  /// Whether no position is wanted.
  public var isReceiverOff: Bool

  public init(every: Duration? = nil, uploadEvery: Duration? = nil, isReceiverOff: Bool = false) {
    self.every = every
    self.uploadEvery = uploadEvery
    self.isReceiverOff = isReceiverOff
  }

  /// Applies a later level: its values replace the earlier ones, which otherwise remain.
  mutating func override(with later: PowerEffect) {
    every = later.every ?? every
    uploadEvery = later.uploadEvery ?? uploadEvery
    isReceiverOff = isReceiverOff || later.isReceiverOff
  }
}

/// Detects with hysteresis whether a level holds.
///
/// A percentage counts at once, and until it is `percentMargin` above the limit. Loads pull a
/// voltage down for a moment: it counts if it was below the limit for `dipTime`, or at the start of
/// a board that does not read it again, and until it is `voltageMarginPercent` of the limit above
/// it. Lost mains count at once, and until they have been back for `returnTime`, because a charger
/// at dusk comes and goes. If mains were never present before, they end the level at once: at the
/// start, an unplugged socket may be read before the one in use.
struct PowerLevelDetector: Sendable {
  static let percentMargin: Int64 = 5
  static let voltageMarginPercent: Int64 = 2
  static let dipTime: Duration = .seconds(60)
  static let returnTime: Duration = .seconds(300)

  let level: PowerLevel
  private(set) var holds = false
  /// Whether the next voltage counts at once.
  private var countsAtOnce: Bool
  private var belowSince: Instant?
  private var hadMains = false
  /// Instant at which restored mains end the level; nil without mains, or if the level does not
  /// hold.
  private(set) var deadline: Instant?

  /// Instant from which a dip of the voltage counts; nil without a dip.
  var dipEnd: Instant? { belowSince.map { $0 + Self.dipTime } }

  /// `looksTwice`: whether a doubtful voltage is read again.
  init(_ level: PowerLevel, looksTwice: Bool) {
    self.level = level
    countsAtOnce = !looksTwice
  }

  /// Records a reading in `millionths` of a percent or of a volt.
  mutating func read(_ figure: PowerFigure, millionths: Int64, now: Instant) {
    switch (level.condition, figure) {
    case (.chargeBelow(let percent), .charge):
      let limit = percent * 1_000_000
      holds = millionths < (holds ? limit + Self.percentMargin * 1_000_000 : limit)
    case (.voltageBelow(let limit), .voltage):
      readVoltage(millionths, limit: limit, now: now)
    default: break
    }
  }

  private mutating func readVoltage(_ microvolts: Int64, limit: Int64, now: Instant) {
    defer { countsAtOnce = false }
    guard !holds else {
      holds = microvolts < limit + limit / 100 * Self.voltageMarginPercent
      return
    }
    guard microvolts < limit else {
      belowSince = nil
      return
    }
    let since = belowSince ?? now
    belowSince = since
    guard countsAtOnce || now - since >= Self.dipTime else { return }
    holds = true
    belowSince = nil
  }

  mutating func mainsRead(isOn: Bool, now: Instant) {
    guard case .withoutMains = level.condition else { return }
    if !isOn {
      holds = true
      deadline = nil
      return
    }
    if !hadMains {
      holds = false
    } else if holds {
      deadline = deadline ?? now + Self.returnTime
    }
    hadMains = true
  }

  mutating func deadlineReached(now: Instant) {
    guard let end = deadline, now >= end else { return }
    holds = false
    deadline = nil
  }
}
