import Bytes
import Sensing

/// Conversion of figures to another unit.
///
/// Home Assistant stores the statistics of a sensor in the unit in which it first showed it: that
/// of its user's system, or the choice of a person. It does not convert imported hours: their unit
/// would become that of all stored hours, whose figures stay as they are.
struct UnitConversion: Equatable {
  private let factor: Double
  private let offset: Double

  /// Nil if no conversion exists. A nil `new` means plain numbers, like an empty `old`.
  init?(from old: [UInt8], to new: Text?) {
    let new = new?.bytes ?? []
    if old == new {
      self.init(factor: 1, offset: 0)
    } else if let from = Self.find(old.span), let to = Self.find(new.span), from.base == to.base {
      let oldZero = Self.number(of: old.span, in: Self.zeros) ?? 0
      let newZero = Self.number(of: new.span, in: Self.zeros) ?? 0
      self.init(factor: from.size / to.size, offset: (oldZero - newZero) / to.size)
    } else {
      return nil
    }
  }

  private init(factor: Double, offset: Double) {
    self.factor = factor
    self.offset = offset
  }

  func callAsFunction(_ number: Double) -> Double { number * factor + offset }

  /// Finds a unit, possibly after one prefix; nil if the table lacks it. Units with the same base,
  /// which is the field of its name, can be converted. A unit with a zero takes no prefix.
  private static func find(_ unit: Span<UInt8>) -> (base: Int, size: Double)? {
    let text = units.bytes
    var base = 0
    var field = 0
    while let name = KernelText.field(field, of: text),
      let size = KernelText.number(field + 1, of: text)?.double
    {
      if size == 1 { base = field }
      if unit.extracting(last: name.count).elementsEqual(name) {
        let prefix = unit.extracting(droppingLast: name.count)
        if prefix.isEmpty { return (base, size) }
        if number(of: name, in: zeros) == nil, let multiple = number(of: prefix, in: prefixes) {
          return (base, size * multiple)
        }
      }
      field += 2
    }
    return nil
  }

  /// Returns the number after a name in a table; nil if the table lacks the name.
  private static func number(of name: Span<UInt8>, in table: StaticString) -> Double? {
    let text = table.bytes
    var field = 0
    while let known = KernelText.field(field, of: text) {
      if known.elementsEqual(name) { return KernelText.number(field + 1, of: text)?.double }
      field += 2
    }
    return nil
  }

  /// Units and their sizes, relative to the base, the nearest unit before with size 1. Home
  /// Assistant has them in `homeassistant/util/unit_conversion.py`. `min` comes before `in`, with
  /// which it ends.
  private static let units: StaticString = """
    s 1 min 60 h 3600 d 86400
    m 1 in 0.0254 ft 0.3048 yd 0.9144 mi 1609.344 nmi 1852
    m/d 1 m/h 24 m/s 86400 in/d 0.0254 in/h 0.6096 in/s 2194.56 ft/s 26334.72 mph 38624.256 kn 44448
    Pa 1 bar 100000 mmHg 133.322387415 inHg 3386.388640341 psi 6894.757
    L 1 m³ 1000 ft³ 28.316846592 gal 3.785411784
    g 1 oz 28.349523125 lb 453.59237
    J 1 Wh 3600
    bit 1 B 8
    bit/s 1 B/s 8
    W 1
    V 1
    A 1
    S/cm 1
    g/m³ 1
    °F 1 °C 1.8 K 1.8
    """

  /// Units that take no prefix, with their zeros in their base; those of the others are equal. That
  /// of a volume would be cubed: a cm³ is no hundredth of a m³.
  private static let zeros: StaticString = "°F 0 °C 32 K -459.67 m³ 0 ft³ 0"

  /// Prefixes with their factors. Micro has two signs: Home Assistant replaced the first by the
  /// second in 2025.9.
  private static let prefixes: StaticString = """
    k 1000 m 0.001 c 0.01 h 100 M 1000000 G 1000000000 T 1000000000000
    µ 0.000001 \u{3BC} 0.000001 Ki 1024 Mi 1048576 Gi 1073741824
    """
}
