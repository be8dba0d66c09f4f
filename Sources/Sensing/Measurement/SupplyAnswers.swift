public import Bytes

/// A number that a power supply may give: one row of `Documentation/ABI/testing/sysfs-class-power`.
public enum SupplyQuantity: Int, Sendable {
  /// Percent.
  case capacity
  /// Microvolts.
  case voltageNow, voltageMinDesign
  /// Microamperes, with the sign that the driver gives it.
  case currentNow
  /// Microwatt-hours.
  case energyNow, energyFull
  /// Microampere-hours.
  case chargeNow, chargeFull

  public static let count = 8

  /// The file that holds it.
  public var attribute: StaticString {
    switch self {
    case .capacity: "capacity"
    case .voltageNow: "voltage_now"
    case .voltageMinDesign: "voltage_min_design"
    case .currentNow: "current_now"
    case .energyNow: "energy_now"
    case .energyFull: "energy_full"
    case .chargeNow: "charge_now"
    case .chargeFull: "charge_full"
    }
  }

  /// The file that holds it where that one is not there: some gauges know no more than the average
  /// of the last seconds.
  public var substitute: StaticString? {
    switch self {
    case .voltageNow: "voltage_avg"
    case .currentNow: "current_avg"
    case .energyNow: "energy_avg"
    case .chargeNow: "charge_avg"
    case .capacity, .voltageMinDesign, .energyFull, .chargeFull: nil
    }
  }

  /// What the file can hold. The kernel keeps these numbers in an `int`, so two of them can be
  /// multiplied without leaving an `Int64`.
  public var range: ClosedRange<Int64> {
    switch self {
    case .currentNow: Int64(Int32.min)...Int64(Int32.max)
    case .capacity, .voltageNow, .voltageMinDesign, .energyNow, .energyFull, .chargeNow,
      .chargeFull:
      0...Int64(Int32.max)
    }
  }

  private static let volts = KernelPart(named: []).range(of: "V")
  private static let amperes = KernelPart(named: []).range(of: "A")

  /// What is wrong with a number that `subject` says; nil where it can be.
  public func failure(of subject: InlineText, _ number: Int64) -> SourceFailure? {
    switch self {
    case .capacity:
      number > SupplyAnswers.overfullPercentMax
        ? PlausibleRange.ofCharge.failure(of: subject, FixedPoint(number)) : nil
    case .voltageNow, .voltageMinDesign: Self.failure(of: subject, number, Self.volts)
    case .currentNow: Self.failure(of: subject, number, Self.amperes)
    case .energyNow, .energyFull, .chargeNow, .chargeFull: nil
    }
  }

  private static func failure(
    of subject: InlineText, _ micros: Int64, _ range: PlausibleRange?
  ) -> SourceFailure? {
    let number = FixedPoint(micros, decimals: 6)
    guard let range, !range.contains(number) else { return nil }
    return range.failure(of: subject, number)
  }
}

/// What asking for one quantity brought.
public enum SupplyAnswer: Equatable, Sendable {
  /// The supply has no such file.
  case absent
  /// The file is there and its device is not.
  case unavailable
  /// The device has no number, or one that makes no sense.
  case unknown
  case number(Int64)
}

/// What a supply says now, and the sensors that can be made of it.
///
/// A gauge counts energy or charge, rarely both, and many know no percentage: what is missing is
/// worked out from what is there, and so is a percentage that is not to be had now. The answer is
/// nil for a sensor that the supply cannot have.
public struct SupplyAnswers: Sendable {
  /// A gauge that learnt wrongly finds more in a battery than it thought fits. Up to here it is
  /// full, unless its energy says what it holds; beyond it is a register full of ones.
  public static let overfullPercentMax: Int64 = 254

  private var answers = InlineArray<8, SupplyAnswer>(repeating: .absent)

  public init() {
    precondition(answers.count == SupplyQuantity.count, "there is a place for each quantity")
  }

  public subscript(quantity: SupplyQuantity) -> SupplyAnswer {
    get { answers[quantity.rawValue] }
    set { answers[quantity.rawValue] = newValue }
  }

  /// Whole percent, 0...100.
  public var capacityPercent: Value? {
    if case .number(let number) = self[.capacity], number <= 100 {
      return .number(FixedPoint(number))
    }
    if case .number? = shareOfFull { return shareOfFull }
    return value(of: self[.capacity]) { FixedPoint(min($0, 100)) } ?? shareOfFull
  }

  private var shareOfFull: Value? {
    share(of: self[.energyNow], in: self[.energyFull])
      ?? share(of: self[.chargeNow], in: self[.chargeFull])
  }

  public var voltageVolts: Value? {
    value(of: self[.voltageNow]) { FixedPoint($0, decimals: 6).rounded(to: 2) }
  }

  public var currentAmperes: Value? {
    value(of: self[.currentNow]) { FixedPoint($0, decimals: 6).rounded(to: 3) }
  }

  /// The energy that is left, or the charge that is left at the voltage it was rated for; where
  /// that is not known, at the voltage of now.
  public var energyWattHours: Value? {
    if self[.energyNow] != .absent {
      return value(of: self[.energyNow]) { FixedPoint($0, decimals: 6).rounded(to: 2) }
    }
    guard let voltage = voltageOfCharge, self[.chargeNow] != .absent else { return nil }
    return value(of: self[.chargeNow], voltage) { charge, voltage in
      // 10^-6 A h × 10^-6 V: three decimals go first, so that nine are left.
      FixedPoint(charge * voltage / 1000, decimals: 9).rounded(to: 2)
    }
  }

  private var voltageOfCharge: SupplyAnswer? {
    if case .number(let microvolts) = self[.voltageMinDesign], microvolts > 0 {
      return .number(microvolts)
    }
    return self[.voltageNow] == .absent ? nil : self[.voltageNow]
  }

  private func share(of now: SupplyAnswer, in full: SupplyAnswer) -> Value? {
    guard now != .absent, full != .absent else { return nil }
    return value(of: now, full) { now, full in
      full > 0 ? FixedPoint(min((now * 100 + full / 2) / full, 100)) : nil
    }
  }

  private func value(of answer: SupplyAnswer, _ number: (Int64) -> FixedPoint?) -> Value? {
    switch answer {
    case .absent: nil
    case .unavailable: .unavailable
    case .unknown: .unknown
    case .number(let micros): number(micros).map(Value.number) ?? .unknown
    }
  }

  private func value(
    of first: SupplyAnswer, _ second: SupplyAnswer, _ number: (Int64, Int64) -> FixedPoint?
  ) -> Value? {
    switch (first, second) {
    case (.number(let first), .number(let second)):
      number(first, second).map(Value.number) ?? .unknown
    case (.unavailable, _), (_, .unavailable): .unavailable
    default: .unknown
    }
  }
}
