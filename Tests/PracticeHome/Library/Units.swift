/// Home Assistant shows some classes in the household's units, whatever the sensor sent: an agent
/// that reports °F reads °C back. This is the metric household.
struct UnitConversion: Sendable {
  var unit: String
  var scale: Double
  var offset = 0.0

  /// How values of a class in a unit are shown, or nil if they stay as they are.
  static func find(deviceClass: String?, unit: String?) -> UnitConversion? {
    guard let deviceClass, let unit else { return nil }
    return table[deviceClass]?[unit]
  }

  private static let wind = [
    "m/s": UnitConversion(unit: "km/h", scale: 3.6),
    "mph": UnitConversion(unit: "km/h", scale: 1.609344),
    "ft/s": UnitConversion(unit: "km/h", scale: 1.09728),
    "mm/s": UnitConversion(unit: "km/h", scale: 0.0036),
  ]

  private static let table: [String: [String: UnitConversion]] = [
    "temperature": [
      "°F": UnitConversion(unit: "°C", scale: 1 / 1.8, offset: -32 / 1.8),
      "K": UnitConversion(unit: "°C", scale: 1, offset: -273.15),
    ],
    "atmospheric_pressure": [
      "Pa": UnitConversion(unit: "hPa", scale: 0.01),
      "kPa": UnitConversion(unit: "hPa", scale: 10),
      "mbar": UnitConversion(unit: "hPa", scale: 1),
      "cbar": UnitConversion(unit: "hPa", scale: 10),
      "bar": UnitConversion(unit: "hPa", scale: 1000),
      "mmHg": UnitConversion(unit: "hPa", scale: 1.33322387415),
      "inHg": UnitConversion(unit: "hPa", scale: 33.8638866667),
      "psi": UnitConversion(unit: "hPa", scale: 68.9475729318),
    ],
    "pressure": [
      "psi": UnitConversion(unit: "kPa", scale: 6.89475729318),
      "inHg": UnitConversion(unit: "hPa", scale: 33.8638866667),
    ],
    "wind_speed": wind,
    "speed": wind.filter { $0.key == "mph" || $0.key == "ft/s" },
    "distance": [
      "ft": UnitConversion(unit: "m", scale: 0.3048),
      "in": UnitConversion(unit: "mm", scale: 25.4),
      "mi": UnitConversion(unit: "km", scale: 1.609344),
      "nmi": UnitConversion(unit: "km", scale: 1.852),
      "yd": UnitConversion(unit: "m", scale: 0.9144),
    ],
    "precipitation": ["in": UnitConversion(unit: "mm", scale: 25.4)],
    "precipitation_intensity": [
      "in/h": UnitConversion(unit: "mm/h", scale: 25.4),
      "in/d": UnitConversion(unit: "mm/d", scale: 25.4),
    ],
    "volume": [
      "gal": UnitConversion(unit: "L", scale: 3.785411784),
      "fl. oz.": UnitConversion(unit: "mL", scale: 29.5735295625),
      "ft³": UnitConversion(unit: "m³", scale: 0.028316846592),
    ],
    "water": [
      "gal": UnitConversion(unit: "L", scale: 3.785411784),
      "ft³": UnitConversion(unit: "m³", scale: 0.028316846592),
    ],
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
    let decimals = sentDecimals + Self.ordersOfMagnitude(1 / scale)
    let text = Python.fixed(value * scale + offset, decimals: decimals)
    // Python is asked not to print a negative zero.
    let isZero = text.allSatisfy { "-0.".contains($0) }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }
}
