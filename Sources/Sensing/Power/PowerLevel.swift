import Bytes

/// What a board does differently while its supply is low: an entry of `power`.
public struct PowerLevel: Equatable, Sendable {
  public enum Condition: Equatable, Sendable {
    /// The battery holds less than so many percent, 1 to 95.
    case chargeBelow(percent: Int64)
    /// The voltage of the battery is lower.
    case voltageBelow(microvolts: Int64)
    /// No power comes in from outside.
    case withoutMains
  }

  public let condition: Condition
  public let effect: PowerEffect

  public init(_ condition: Condition, _ effect: PowerEffect) {
    self.condition = condition
    self.effect = effect
  }
}

/// What differs from the configuration while a level holds.
public struct PowerEffect: Equatable, Sendable {
  /// From one cycle to the next; nil for that of the configuration.
  public var every: Duration?
  /// From one upload to the next; nil for that of the configuration.
  public var uploadEvery: Duration?
  /// Whether no position is asked for.
  public var isReceiverOff: Bool

  public init(every: Duration? = nil, uploadEvery: Duration? = nil, isReceiverOff: Bool = false) {
    self.every = every
    self.uploadEvery = uploadEvery
    self.isReceiverOff = isReceiverOff
  }

  /// What a later level says counts; what it does not say stays as an earlier one has it.
  mutating func override(with later: PowerEffect) {
    every = later.every ?? every
    uploadEvery = later.uploadEvery ?? uploadEvery
    isReceiverOff = isReceiverOff || later.isReceiverOff
  }
}

/// Whether a level holds, with hysteresis.
///
/// A percentage counts at once, and until it is `percentMargin` above the limit. A voltage is
/// pulled down by what the battery feeds for a moment: it counts when it was below the limit for
/// `dipTime`, or at the start of a board that has no second look, and until it is
/// `voltageMarginPercent` of the limit above it. Mains that are gone count at once, and until they
/// have been back for `returnTime`: a charger at dusk comes and goes. Those that were never there
/// end it at once: at the start a socket without a plug may be read before the one that has it.
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
  /// When mains that are back end the level; nil where none are, or it does not hold.
  private(set) var deadline: Instant?

  /// When a dip of the voltage becomes more than that; nil without a dip.
  var dipEnd: Instant? { belowSince.map { $0 + Self.dipTime } }

  /// `looksTwice`: whether a voltage in doubt is read again.
  init(_ level: PowerLevel, looksTwice: Bool) {
    self.level = level
    countsAtOnce = !looksTwice
  }

  /// `millionths` of a percent or of a volt.
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
