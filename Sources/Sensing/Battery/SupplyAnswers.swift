public import Bytes

/// A sensor that a power supply can have.
public enum SupplySensor: Int, CaseIterable, Sendable {
  case capacity, status, online, voltage, current, energy

  private struct Row {
    let word: StaticString
    var unit: StaticString?
    /// Nil for the status: Home Assistant's `enum` wants a closed list, and drivers add words.
    var deviceClass: StaticString?
    var powerFigure: PowerFigure?
  }

  private var row: Row {
    switch self {
    case .capacity: Row(word: "capacity", unit: "%", deviceClass: "battery", powerFigure: .charge)
    case .status: Row(word: "status", powerFigure: .batteryStatus)
    case .online: Row(word: "online", deviceClass: "plug", powerFigure: .mains)
    case .voltage: Row(word: "voltage", unit: "V", deviceClass: "voltage", powerFigure: .voltage)
    case .current: Row(word: "current", unit: "A", deviceClass: "current")
    case .energy: Row(word: "energy", unit: "Wh", deviceClass: "energy_storage")
    }
  }

  /// Key in the configuration, and end of the name and of the unique id.
  public var word: StaticString { row.word }

  /// Whether the sensor is a measurement, and so has a minimum change.
  public var isMeasured: Bool { row.unit != nil }

  /// Returns the description of this sensor of the supply `supply` for Home Assistant.
  public func description(of supply: [UInt8]) -> SensorDescription {
    let row = row
    var description = SensorDescription(
      uniqueID: uniqueID("supply_", supply.span) + [UInt8(ascii: "_")] + [UInt8](row.word),
      name: supply + [UInt8(ascii: " ")] + [UInt8](row.word),
      kind: self == .online ? .binarySensor : .sensor,
      unit: row.unit.map { [UInt8]($0) }, deviceClass: row.deviceClass.map { [UInt8]($0) },
      stateClass: isMeasured ? [UInt8]("measurement") : nil,
      icon: self == .status ? [UInt8]("mdi:battery-charging") : nil,
      isDiagnostic: self == .status || self == .energy, isUrgent: self == .online)
    description.powerFigure = row.powerFigure
    return description
  }
}

/// A number of a power supply: one entry of `Documentation/ABI/testing/sysfs-class-power`.
public enum SupplyQuantity: Int, Sendable {
  /// Percent.
  case capacity
  /// Microvolts.
  case voltageNow, voltageMinDesign
  /// Microamperes, with the sign of the driver.
  case currentNow
  /// Microwatt-hours.
  case energyNow, energyFull
  /// Microampere-hours.
  case chargeNow, chargeFull

  public static let count = 8

  /// Name of the file with the number, and of the file to use if that does not exist: some gauges
  /// only have the average of the last seconds.
  public var files: (first: StaticString, second: StaticString?) {
    switch self {
    case .capacity: ("capacity", nil)
    case .voltageNow: ("voltage_now", "voltage_avg")
    case .voltageMinDesign: ("voltage_min_design", nil)
    case .currentNow: ("current_now", "current_avg")
    case .energyNow: ("energy_now", "energy_avg")
    case .energyFull: ("energy_full", nil)
    case .chargeNow: ("charge_now", "charge_avg")
    case .chargeFull: ("charge_full", nil)
    }
  }

  /// Possible numbers in the file. The kernel stores them in an `int`, so the product of two fits
  /// an `Int64`.
  public var range: ClosedRange<Int64> {
    (self == .currentNow ? Int64(Int32.min) : 0)...Int64(Int32.max)
  }

  private static let volts = KernelPart(named: []).range(of: "V")
  private static let amperes = KernelPart(named: []).range(of: "A")

  /// Returns the failure for an impossible number of `subject`; nil if the number is possible.
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

  /// Whether `number` is a voltage that no battery has: a cell of any chemistry has more than
  /// 0.2 V, and 0 is a battery that its electronics disconnected.
  public func isBelowAnyCell(_ number: Int64) -> Bool {
    (self == .voltageNow || self == .voltageMinDesign) && number > 0 && number < 200_000
  }

  private static func failure(
    of subject: InlineText, _ micros: Int64, _ range: PlausibleRange?
  ) -> SourceFailure? {
    let number = FixedPoint(micros, decimals: 6)
    guard let range, !range.contains(number) else { return nil }
    return range.failure(of: subject, number)
  }
}

/// Result of reading one quantity.
public enum SupplyAnswer: Equatable, Sendable {
  /// The supply has no such file.
  case absent
  /// The file exists and its device does not answer.
  case unavailable
  /// The device has no number, or an invalid one.
  case unknown
  case number(Int64)
}

/// The readings of a supply, and the sensors that they allow.
///
/// A gauge counts energy or charge, rarely both, and many have no percentage: missing values are
/// computed from the others, also a percentage that is unavailable at the moment. A value is nil if
/// the supply cannot have that sensor.
public struct SupplyAnswers: Sendable {
  /// Highest percentage of a full battery: a gauge with a wrong capacity finds more than it
  /// expects. Up to here it counts as 100, unless the energy gives a percentage; more is a register
  /// full of ones.
  public static let overfullPercentMax: Int64 = 254

  private var answers = InlineArray<8, SupplyAnswer>(repeating: .absent)

  public init() {
    precondition(answers.count == SupplyQuantity.count, "there is a place for each quantity")
  }

  public subscript(quantity: SupplyQuantity) -> SupplyAnswer {
    get { answers[quantity.rawValue] }
    set { answers[quantity.rawValue] = newValue }
  }

  /// Drops the zeros of a battery whose status is `Full`, which contradict it.
  public mutating func fullBatteryReported() {
    dropZero(of: .capacity)
    dropZero(of: .energyNow)
    dropZero(of: .chargeNow)
  }

  private mutating func dropZero(of quantity: SupplyQuantity) {
    if self[quantity] == .number(0) { self[quantity] = .unknown }
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

  /// Remaining energy, or remaining charge times the rated voltage; if that is unknown, times the
  /// present voltage.
  public var energyWattHours: Value? {
    if self[.energyNow] != .absent {
      return value(of: self[.energyNow]) { FixedPoint($0, decimals: 6).rounded(to: 2) }
    }
    guard let voltage = voltageOfCharge, self[.chargeNow] != .absent else { return nil }
    return value(of: self[.chargeNow], voltage) { charge, voltage in
      // 10^-6 A h × 10^-6 V: three decimals are cut first, so that nine are left.
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
