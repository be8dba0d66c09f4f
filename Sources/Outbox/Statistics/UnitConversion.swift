import Bytes

/// How figures become those of another unit.
///
/// Home Assistant shows temperatures in the unit that its user's system has, and keeps its
/// statistics in it. It converts nothing else by itself that a sensor of ours measures.
struct UnitConversion: Equatable {
  private let factor: Double
  private let offset: Double

  /// Nil where there is none. `new` is nil of plain numbers, as an empty `old` is.
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
