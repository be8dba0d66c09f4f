import Bytes

/// Conversion of figures to another unit.
///
/// Home Assistant shows temperatures in the unit of its user's system, and stores its statistics in
/// it. It converts no other measurement of these sensors automatically.
struct UnitConversion: Equatable {
  private let factor: Double
  private let offset: Double

  /// Nil if no conversion exists. A nil `new` means plain numbers, like an empty `old`.
  init?(from old: [UInt8], to new: Text?) {
    let new = new?.bytes ?? []
    if old == new {
      self.init(factor: 1, offset: 0)
    } else if old == [UInt8]("°C"), new == [UInt8]("°F") {
      self.init(factor: 1.8, offset: 32)
    } else if old == [UInt8]("°C"), new == [UInt8]("K") {
      self.init(factor: 1, offset: 273.15)
    } else {
      return nil
    }
  }

  private init(factor: Double, offset: Double) {
    self.factor = factor
    self.offset = offset
  }

  func callAsFunction(_ number: Double) -> Double { number * factor + offset }
}
