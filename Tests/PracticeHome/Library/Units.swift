/// Home Assistant shows some classes in the household's units, whatever the sensor sent: an agent
/// that reports °F reads °C back. This is the metric household.
struct UnitConversion: Sendable {
  let unit: String
  private let convert: @Sendable (Double) -> Double
  /// How many of the unit that is sent are one of the unit that is shown.
  private let ratio: Double

  /// How values of a class in a unit are shown, or nil if they stay as they are.
  static func find(deviceClass: String?, unit: String?) -> UnitConversion? {
    guard let deviceClass, let unit, let shown = shownUnits[deviceClass]?[unit],
      let convert = StatisticUnits.conversion(from: unit, to: shown),
      let ratio = StatisticUnits.ratio(of: unit, to: shown)
    else { return nil }
    return UnitConversion(unit: shown, convert: convert, ratio: ratio)
  }

  /// The unit that is shown for one that is sent, by class.
  private static let shownUnits: [String: [String: String]] = [
    "temperature": ["°F": "°C", "K": "°C"],
    "atmospheric_pressure": [
      "Pa": "hPa", "kPa": "hPa", "mbar": "hPa", "cbar": "hPa", "bar": "hPa", "mmHg": "hPa",
      "inHg": "hPa", "psi": "hPa",
    ],
    "pressure": ["psi": "kPa", "inHg": "hPa"],
    "wind_speed": ["m/s": "km/h", "mph": "km/h", "ft/s": "km/h", "mm/s": "km/h"],
    "speed": ["mph": "km/h", "ft/s": "km/h"],
    "distance": ["ft": "m", "in": "mm", "mi": "km", "nmi": "km", "yd": "m"],
    "precipitation": ["in": "mm"],
    "precipitation_intensity": ["in/h": "mm/h", "in/d": "mm/d"],
    "volume": ["gal": "L", "fl. oz.": "mL", "ft³": "m³"],
    "water": ["gal": "L", "ft³": "m³"],
  ]

  /// How often a ratio can be divided by ten and stay at least one.
  private static func ordersOfMagnitude(_ ratio: Double) -> Int {
    var count = 0
    var rest = ratio / 10
    while rest >= 0.999_999 {
      count += 1
      rest /= 10
    }
    return count
  }

  /// The converted value with about as many decimals as the value that was sent.
  func text(of value: Double, sentAs sent: String) -> String {
    let sentDecimals =
      sent.firstIndex(of: ".").map { sent.distance(from: $0, to: sent.endIndex) - 1 } ?? 0
    let decimals = sentDecimals + Self.ordersOfMagnitude(ratio)
    let text = Python.fixed(convert(value), decimals: decimals)
    // Python is asked not to print a negative zero.
    let isZero = text.allSatisfy { "-0.".contains($0) }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }
}
