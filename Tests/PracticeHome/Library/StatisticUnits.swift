/// Some kinds of units in which Home Assistant can convert statistics, and how.
enum StatisticUnits {
  /// How many of a unit are one of the unit that has 1 here, by kind.
  private static let ratios: [String: [String: Double]] = [
    "distance": [
      "m": 1, "km": 1e-3, "cm": 1e2, "mm": 1e3, "in": 1 / 0.0254, "ft": 1 / 0.3048,
      "yd": 1 / 0.9144, "mi": 1 / 1609.344, "nmi": 1 / 1852.0,
    ],
    "pressure": [
      "Pa": 1, "hPa": 1e-2, "mbar": 1e-2, "kPa": 1e-3, "cbar": 1e-3, "bar": 1e-5,
      "inHg": 1 / 3386.388_640_341, "mmHg": 1 / 133.322_387_415, "psi": 1 / 6894.757,
    ],
    "speed": [
      "m/s": 1, "km/h": 3.6, "mm/s": 1e3, "kn": 3600 / 1852.0, "mph": 3600 / 1609.344,
      "ft/s": 1 / 0.3048, "in/s": 1 / 0.0254, "mm/h": 3.6e6, "mm/d": 8.64e7,
      "in/h": 3600 / 0.0254, "in/d": 86_400 / 0.0254,
    ],
    "temperature": ["°C": 1, "K": 1, "°F": 1.8],
    "volume": [
      "m³": 1, "L": 1e3, "mL": 1e6, "ft³": 1 / 0.028_316_846_592,
      "CCF": 1 / 2.831_684_659_2, "gal": 1 / 0.003_785_411_784,
      "fl. oz.": 128 / 0.003_785_411_784,
    ],
  ]

  /// Where zero lies, in the unit.
  private static let zeros: [String: Double] = ["K": 273.15, "°F": 32]

  /// All kinds, in alphabetical order.
  static let kinds = ratios.keys.sorted()

  private static let kindsByUnit: [String: String] = {
    var kinds: [String: String] = [:]
    for kind in Self.kinds { for unit in units(of: kind) { kinds[unit] = kind } }
    return kinds
  }()

  static func units(of kind: String) -> [String] { ratios[kind]?.keys.sorted() ?? [] }

  /// The kind of a unit, or nil where none is known.
  static func kind(of unit: String?) -> String? { kindsByUnit[unit ?? ""] }

  /// How to get from one unit to another of its kind, or nil of different kinds.
  static func conversion(
    from source: String?, to target: String?
  ) -> (@Sendable (Double) -> Double)? {
    let (source, target) = (source ?? "", target ?? "")
    guard source != target else { return { $0 } }
    guard let (divisor, factor) = pair(source, target) else { return nil }
    let (begin, end) = (zeros[source] ?? 0, zeros[target] ?? 0)
    return { ($0 - begin) / divisor * factor + end }
  }

  /// How many of one unit are one of another of its kind.
  static func ratio(of source: String, to target: String) -> Double? {
    pair(source, target).map { $0 / $1 }
  }

  private static func pair(_ source: String, _ target: String) -> (Double, Double)? {
    guard let ratios = kindsByUnit[source].flatMap({ ratios[$0] }), let divisor = ratios[source],
      let factor = ratios[target]
    else { return nil }
    return (divisor, factor)
  }
}
