/// The kinds of units in which Home Assistant can convert statistics, and how.
enum StatisticUnits {
  /// How many of a unit are one of the unit that has 1 here, by kind. The empty unit is none.
  private static let ratios: [String: [String: Double]] = [
    "area": [
      "m²": 1, "cm²": 1e4, "mm²": 1e6, "km²": 1e-6, "ha": 1e-4, "in²": 1 / 0.000_645_16,
      "ft²": 1 / 0.092_903_04, "yd²": 1 / 0.836_127_36, "ac": 1 / 4046.856_422_4,
      "mi²": 1 / 2_589_988.110_336,
    ],
    "blood_glucose_concentration": ["mmol/L": 1, "mg/dL": 18],
    "conductivity": ["µS/cm": 1, "mS/cm": 1e-3, "S/cm": 1e-6],
    "data_rate": [
      "bit/s": 1, "kbit/s": 1e-3, "Mbit/s": 1e-6, "Gbit/s": 1e-9, "B/s": 1 / 8.0,
      "kB/s": 1 / 8e3, "MB/s": 1 / 8e6, "GB/s": 1 / 8e9, "KiB/s": 1 / 0x1p13,
      "MiB/s": 1 / 0x1p23, "GiB/s": 1 / 0x1p33,
    ],
    "distance": [
      "m": 1, "km": 1e-3, "cm": 1e2, "mm": 1e3, "in": 1 / 0.0254, "ft": 1 / 0.3048,
      "yd": 1 / 0.9144, "mi": 1 / 1609.344, "nmi": 1 / 1852.0,
    ],
    "duration": [
      "s": 1, "μs": 1e6, "ms": 1e3, "min": 1 / 60.0, "h": 1 / 3600.0, "d": 1 / 86_400.0,
      "w": 1 / 604_800.0,
    ],
    "electric_current": ["A": 1, "mA": 1e3],
    "energy": [
      "kWh": 1, "mWh": 1e6, "Wh": 1e3, "MWh": 1e-3, "GWh": 1e-6, "TWh": 1e-9, "J": 3.6e6,
      "kJ": 3600, "MJ": 3.6, "GJ": 0.0036, "cal": 3.6e6 / 4.184, "kcal": 3.6e3 / 4.184,
      "Mcal": 3.6 / 4.184, "Gcal": 0.0036 / 4.184,
    ],
    "energy_distance": ["kWh/100km": 1],
    "information": [
      "bit": 1, "kbit": 1e-3, "Mbit": 1e-6, "Gbit": 1e-9, "B": 1 / 8.0, "kB": 1 / 8e3,
      "MB": 1 / 8e6, "GB": 1 / 8e9, "TB": 1 / 8e12, "PB": 1 / 8e15, "EB": 1 / 8e18,
      "ZB": 1 / 8e21, "YB": 1 / 8e24, "KiB": 1 / 0x1p13, "MiB": 1 / 0x1p23, "GiB": 1 / 0x1p33,
      "TiB": 1 / 0x1p43, "PiB": 1 / 0x1p53, "EiB": 1 / 0x1p63, "ZiB": 1 / 0x1p73,
      "YiB": 1 / 0x1p83,
    ],
    "mass": [
      "g": 1, "µg": 1e6, "mg": 1e3, "kg": 1e-3, "oz": 1 / 28.349_523_125, "lb": 1 / 453.592_37,
      "st": 1 / 6350.293_18,
    ],
    "power": ["W": 1, "mW": 1e3, "kW": 1e-3, "MW": 1e-6, "GW": 1e-9, "TW": 1e-12],
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
    "unitless": ["": 1, "%": 100],
    "voltage": ["V": 1, "µV": 1e6, "mV": 1e3, "kV": 1e-3, "MV": 1e-6],
    "volume": [
      "m³": 1, "L": 1e3, "mL": 1e6, "ft³": 1 / 0.028_316_846_592,
      "CCF": 1 / 2.831_684_659_2, "gal": 1 / 0.003_785_411_784,
      "fl. oz.": 128 / 0.003_785_411_784,
    ],
    "volume_flow_rate": [
      "m³/h": 1, "ft³/min": 1 / (60 * 0.028_316_846_592), "L/min": 1e3 / 60, "mL/s": 1e6 / 3600,
      "gal/min": 1 / (60 * 0.003_785_411_784),
    ],
  ]

  /// Units of a kind that are not converted by a ratio, which is not played.
  private static let others: [String: [String]] = [
    "speed": ["Beaufort"], "energy_distance": ["km/kWh", "mi/kWh"],
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

  static func units(of kind: String) -> [String] {
    (ratios[kind].map { Array($0.keys) } ?? []).sorted() + (others[kind] ?? [])
  }

  /// The kind of a unit, or nil where Home Assistant knows none.
  static func kind(of unit: String?) -> String? { kindsByUnit[unit ?? ""] }

  /// How to get from one unit to another of its kind, or nil where that is not played.
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
