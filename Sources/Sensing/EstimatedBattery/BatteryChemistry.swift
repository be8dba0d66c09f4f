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

  /// Figures of a chemistry. Voltages are those of the battery of the curve, unless they are of a
  /// cell.
  struct Figures {
    /// Percentages, and the voltages of a rested battery.
    let curve: [(percent: Int64, millivolts: Int64)]
    /// Number of cells of the battery of the curve.
    let cells: Int64
    /// Voltage above which a charger must be at work.
    let chargingMicrovolts: Int64
    /// Voltage from which a battery that takes hardly any current is full.
    let fullMicrovolts: Int64
    /// Possible voltages of a cell: outside them the number of cells in the configuration is wrong.
    /// Flooded lead is equalised at 2.7 V, and a starter pulls it down to 1.6 V.
    let cellMicrovolts: ClosedRange<Int64>
    /// Highest voltage of a cell that is charged.
    let chargedCellMicrovolts: Int64
  }

  private static let leadAcidFigures = lead([
    (0, 11_360), (10, 11_510), (20, 11_660), (30, 11_810), (40, 11_960), (50, 12_100),
    (60, 12_240), (70, 12_370), (80, 12_500), (90, 12_620), (100, 12_730),
  ])
  private static let agmFigures = lead([
    (0, 10_500), (25, 11_750), (50, 12_200), (75, 12_550), (100, 12_800),
  ])

  private static func lead(_ curve: [(percent: Int64, millivolts: Int64)]) -> Figures {
    Figures(
      curve: curve, cells: 6, chargingMicrovolts: 12_950_000, fullMicrovolts: 13_200_000,
      cellMicrovolts: 1_500_000...2_750_000, chargedCellMicrovolts: 2_600_000)
  }

  private static let lifepo4Figures = Figures(
    curve: [
      (0, 11_330), (10, 12_710), (20, 12_850), (30, 12_960), (90, 13_240), (100, 13_570),
    ],
    cells: 4, chargingMicrovolts: 13_650_000, fullMicrovolts: 13_800_000,
    cellMicrovolts: 2_000_000...4_200_000, chargedCellMicrovolts: 3_800_000)
  private static let liIonFigures = Figures(
    curve: [
      (0, 2800), (10, 3684), (20, 3726), (30, 3764), (40, 3803), (50, 3838), (60, 3883),
      (70, 3962), (80, 4026), (90, 4089), (100, 4198),
    ],
    cells: 1, chargingMicrovolts: 4_205_000, fullMicrovolts: 4_150_000,
    cellMicrovolts: 2_000_000...4_400_000, chargedCellMicrovolts: 4_250_000)

  var figures: Figures {
    switch self {
    case .leadAcid: Self.leadAcidFigures
    case .agm: Self.agmFigures
    case .lifepo4: Self.lifepo4Figures
    case .liIon: Self.liIonFigures
    }
  }

  /// Largest change of a steady voltage, in microvolts of the curve.
  var steadyMicrovolts: Int64 { self == .liIon ? 5000 : 20_000 }

  /// Returns the most likely number of cells for a voltage: of the batteries that are sold, the
  /// smallest that can have it while they are charged. Nil if no battery has the voltage.
  public func likelyCells(microvolts: Int64) -> Int? {
    guard microvolts > 0 else { return nil }
    let figures = figures
    let (step, most) = (figures.cells, figures.chargedCellMicrovolts)
    let fewest = microvolts / most + 1
    let usual = (microvolts / most / step + 1) * step
    let cells = [usual, usual - step, fewest].first {
      $0 > 0 && figures.cellMicrovolts.contains(microvolts / $0)
    }
    return cells.map { Int(clamping: $0) }
      .flatMap { BatteryEstimator.cellsRange.contains($0) ? $0 : nil }
  }

  /// Largest current that counts as no load, in microamperes.
  var idleMicroamperes: Int64 { self == .liIon ? 100_000 : 1_000_000 }

  /// Flat part of the curve, in microvolts, in which a voltage gives no percentage; nil if there is
  /// none.
  var plateau: ClosedRange<Int64>? { self == .lifepo4 ? 12_960_000...13_240_000 : nil }

  static let plateauPercent = 60

  /// Returns the percentage of a rested battery, 0...100, from its voltage in microvolts of the
  /// curve. A higher voltage never gives a lower percentage.
  func percent(ofRested microvolts: Int64) -> Int {
    let curve = figures.curve
    if let plateau, plateau.contains(microvolts) { return Self.plateauPercent }
    guard let above = curve.firstIndex(where: { $0.millivolts * 1000 >= microvolts }) else {
      return 100
    }
    guard above > 0 else { return 0 }
    let (low, high) = (curve[above - 1], curve[above])
    let width = (high.millivolts - low.millivolts) * 1000
    let part = (microvolts - low.millivolts * 1000) * (high.percent - low.percent)
    return Int(low.percent + (part + width / 2) / width)
  }
}

extension SensorDescription {
  /// Returns the description of a sensor of the estimated battery for Home Assistant. There is one
  /// such battery, with this display name.
  public static func estimated(
    _ word: StaticString, of name: [UInt8], icon: StaticString? = nil
  ) -> SensorDescription {
    SensorDescription(
      // The configuration gives no other sensor an id with this prefix.
      uniqueID: [UInt8]("supply_estimated_battery_") + [UInt8](word),
      name: name + [UInt8(ascii: " ")] + [UInt8](word),
      icon: icon.map { [UInt8]($0) }, isDiagnostic: true)
  }

  /// Returns the description of its charge.
  public static func estimatedCapacity(of name: [UInt8]) -> SensorDescription {
    var description = estimated("capacity", of: name)
    description.isDiagnostic = false
    description.unit = [UInt8]("%")
    description.deviceClass = [UInt8]("battery")
    description.stateClass = [UInt8]("measurement")
    description.powerFigure = .charge
    return description
  }
}
