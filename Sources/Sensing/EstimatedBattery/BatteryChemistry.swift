import Bytes

/// The chemistry of a battery, with its voltage curve after a rest, at 25 °C.
///
/// The curves are of whole batteries, as in their sources; a battery with another number of cells
/// is compared by the voltage of one cell.
public enum BatteryChemistry: Equatable, Sendable, CaseIterable {
  /// Flooded lead: table in Trojan Battery's user's guide, extrapolated to 0 % with the slope of
  /// its end.
  case leadAcid
  /// Lead in glass mats: technical manual of Lifeline Batteries.
  case agm
  /// Lithium iron phosphate: curve of one cell in LibreSolar's firmware for battery management,
  /// times four. Between 30 and 90 % it says almost nothing.
  case lifepo4
  /// Lithium with nickel, manganese and cobalt: one cell, from the same firmware.
  case liIon

  /// A point of the curve.
  struct Point {
    let percent: Int64
    let microvolts: Int64

    init(_ percent: Int64, millivolts: Int64) {
      self.percent = percent
      microvolts = millivolts * 1000
    }
  }

  private static let leadAcidCurve = [
    Point(0, millivolts: 11_360), Point(10, millivolts: 11_510), Point(20, millivolts: 11_660),
    Point(30, millivolts: 11_810), Point(40, millivolts: 11_960), Point(50, millivolts: 12_100),
    Point(60, millivolts: 12_240), Point(70, millivolts: 12_370), Point(80, millivolts: 12_500),
    Point(90, millivolts: 12_620), Point(100, millivolts: 12_730),
  ]
  private static let agmCurve = [
    Point(0, millivolts: 10_500), Point(25, millivolts: 11_750), Point(50, millivolts: 12_200),
    Point(75, millivolts: 12_550), Point(100, millivolts: 12_800),
  ]
  private static let lifepo4Curve = [
    Point(0, millivolts: 11_330), Point(10, millivolts: 12_710), Point(20, millivolts: 12_850),
    Point(30, millivolts: 12_960), Point(90, millivolts: 13_240), Point(100, millivolts: 13_570),
  ]
  private static let liIonCurve = [
    Point(0, millivolts: 2800), Point(10, millivolts: 3684), Point(20, millivolts: 3726),
    Point(30, millivolts: 3764), Point(40, millivolts: 3803), Point(50, millivolts: 3838),
    Point(60, millivolts: 3883), Point(70, millivolts: 3962), Point(80, millivolts: 4026),
    Point(90, millivolts: 4089), Point(100, millivolts: 4198),
  ]

  private var curve: [Point] {
    switch self {
    case .leadAcid: Self.leadAcidCurve
    case .agm: Self.agmCurve
    case .lifepo4: Self.lifepo4Curve
    case .liIon: Self.liIonCurve
    }
  }

  /// Number of cells of the batteries of the curve.
  var curveCells: Int64 {
    switch self {
    case .leadAcid, .agm: 6
    case .lifepo4: 4
    case .liIon: 1
    }
  }

  /// Largest change of a steady voltage, in microvolts of the curve.
  var steadyMicrovolts: Int64 { self == .liIon ? 5000 : 20_000 }

  /// Voltage in microvolts of the curve above which a charger must be at work.
  var chargingMicrovolts: Int64 {
    switch self {
    case .leadAcid, .agm: 12_950_000
    case .lifepo4: 13_650_000
    case .liIon: 4_205_000
    }
  }

  /// Voltage in microvolts of the curve from which a battery that takes hardly any current is full.
  var fullMicrovolts: Int64 {
    switch self {
    case .leadAcid, .agm: 13_200_000
    case .lifepo4: 13_800_000
    case .liIon: 4_150_000
    }
  }

  /// Possible voltages of a cell, in microvolts: outside them the number of cells in the
  /// configuration is wrong. Flooded lead is equalised at 2.7 V, and a starter pulls it down to 1.6
  /// V.
  var cellMicrovolts: ClosedRange<Int64> {
    switch self {
    case .leadAcid, .agm: 1_500_000...2_750_000
    case .lifepo4: 2_000_000...4_200_000
    case .liIon: 2_000_000...4_400_000
    }
  }

  /// Returns the most likely number of cells for a voltage: of the batteries that are sold, the
  /// smallest that can have it while they are charged. Nil if no battery has the voltage.
  public func likelyCells(microvolts: Int64) -> Int? {
    guard microvolts > 0 else { return nil }
    let (step, most): (Int64, Int64) =
      switch self {
      case .leadAcid, .agm: (6, 2_600_000)
      case .lifepo4: (4, 3_800_000)
      case .liIon: (1, 4_250_000)
      }
    let fewest = microvolts / most + 1
    let usual = (microvolts / most / step + 1) * step
    let cells = [usual, usual - step, fewest].first {
      $0 > 0 && cellMicrovolts.contains(microvolts / $0)
    }
    return cells.map { Int(clamping: $0) }
      .flatMap { BatteryEstimator.cellsRange.contains($0) ? $0 : nil }
  }

  /// Largest current that counts as no load, in microamperes.
  var idleMicroamperes: Int64 { self == .liIon ? 100_000 : 1_000_000 }

  /// Flat part of the curve, in microvolts, in which a voltage gives no percentage; nil if there is
  /// none.
  var plateau: ClosedRange<Int64>? { self == .lifepo4 ? 12_960_000...13_240_000 : nil }

  /// Percentage of a battery on the plateau.
  static let plateauPercent = 60

  /// Returns the percentage of a rested battery, 0...100, from its voltage in microvolts of the
  /// curve. A higher voltage never gives a lower percentage.
  func percent(ofRested microvolts: Int64) -> Int {
    let curve = curve
    if let plateau, plateau.contains(microvolts) { return Self.plateauPercent }
    guard let above = curve.firstIndex(where: { $0.microvolts >= microvolts }) else { return 100 }
    guard above > 0 else { return 0 }
    let (low, high) = (curve[above - 1], curve[above])
    let width = high.microvolts - low.microvolts
    let part = (microvolts - low.microvolts) * (high.percent - low.percent)
    return Int(low.percent + (part + width / 2) / width)
  }
}

/// A sensor of a battery that is estimated from its voltage.
public enum EstimatedBatterySensor: Sendable {
  case capacity, status, confidence

  fileprivate var word: StaticString {
    switch self {
    case .capacity: "capacity"
    case .status: "status"
    case .confidence: "confidence"
    }
  }

  fileprivate var icon: StaticString? {
    switch self {
    case .capacity: nil
    case .status: "mdi:battery-charging"
    case .confidence: "mdi:battery-unknown"
    }
  }
}

extension SensorDescription {
  /// Returns the description of this sensor for Home Assistant. There is one such battery, with
  /// this display name.
  public static func estimated(
    _ sensor: EstimatedBatterySensor, of name: [UInt8]
  ) -> SensorDescription {
    var description = SensorDescription(
      // The configuration gives no other sensor an id with this prefix.
      uniqueID: [UInt8]("supply_estimated_battery_") + [UInt8](sensor.word),
      name: name + [UInt8(ascii: " ")] + [UInt8](sensor.word),
      icon: sensor.icon.map { [UInt8]($0) },
      isDiagnostic: sensor != .capacity)
    guard sensor == .capacity else { return description }
    description.unit = [UInt8]("%")
    description.deviceClass = [UInt8]("battery")
    description.stateClass = [UInt8]("measurement")
    description.powerFigure = .charge
    return description
  }
}
