public import Bytes

/// A device class of Home Assistant for numbers, with its units and state classes:
/// `DEVICE_CLASS_UNITS` and `DEVICE_CLASS_STATE_CLASSES` of
/// `homeassistant/components/sensor/const.py`, as far as 2025.4 and all later versions have it.
/// Home Assistant accepts another pair too, and warns in its log.
public struct SensorClass: Sendable {
  public let name: StaticString
  /// Allowed units; `decimals` applies to the first. Empty for a number without a unit.
  public let units: WordList
  /// Allowed state classes; the first is the default.
  public let stateClasses: WordList
  /// Useful number of decimals.
  private let decimals: UInt8

  private init(
    _ name: StaticString, _ units: WordList, _ decimals: UInt8,
    _ stateClasses: WordList = measurement
  ) {
    self.name = name
    self.units = units
    self.decimals = decimals
    self.stateClasses = stateClasses
  }

  /// Finds the class with this name; nil if there is none.
  public init?(named name: [UInt8]) {
    guard let known = Self.all.first(where: { name.span.elementsEqual($0.name) }) else {
      return nil
    }
    self = known
  }

  /// Returns the useful number of decimals for a class and a unit, each possibly nil.
  public static func decimals(of sensorClass: SensorClass?, in unit: [UInt8]?) -> UInt8 {
    guard let sensorClass else {
      return unit.map { $0.span.elementsEqual("%") ? 1 : 2 } ?? 2
    }
    guard let unit, let usual = sensorClass.units.first, unit != usual else {
      return sensorClass.decimals
    }
    // Millivolts are volts with three decimals fewer; for other units the number is unknown.
    return unit == [UInt8(ascii: "m")] + usual ? 0 : 3
  }

  private static let measurement: WordList = "measurement"
  private static let totals: WordList = "total_increasing total"
  private static let any: WordList = "measurement total total_increasing"
  private static let concentration: WordList = "µg/m³"
  private static let energy: WordList = "kWh Wh mWh MWh GWh TWh J kJ MJ GJ cal kcal Mcal Gcal"
  private static let volume: WordList = "L mL m³ ft³ CCF gal"
  private static let speed: WordList = "m/s km/h kn mph ft/s in/s mm/s"

  public static let all: [SensorClass] = [
    SensorClass("apparent_power", "VA", 0),
    SensorClass("aqi", "", 0),
    SensorClass("area", "m² cm² km² mm² in² ft² yd² mi² ac ha", 2, any),
    SensorClass("atmospheric_pressure", "hPa Pa kPa bar cbar mbar mmHg inHg psi", 1),
    SensorClass("battery", "%", 0),
    SensorClass("blood_glucose_concentration", "mg/dL mmol/L", 1),
    SensorClass("carbon_dioxide", "ppm", 0),
    SensorClass("carbon_monoxide", "ppm", 0),
    SensorClass("conductivity", "µS/cm mS/cm S/cm", 1),
    SensorClass("current", "A mA", 2),
    SensorClass(
      "data_rate", "MB/s B/s kB/s GB/s bit/s kbit/s Mbit/s Gbit/s KiB/s MiB/s GiB/s", 1),
    SensorClass(
      "data_size", "MB B kB GB TB PB EB ZB YB bit kbit Mbit Gbit KiB MiB GiB TiB PiB EiB ZiB YiB",
      0, "total_increasing measurement total"),
    SensorClass("distance", "m km cm mm mi nmi yd ft in", 1, any),
    SensorClass("duration", "s min h d ms", 0, any),
    SensorClass("energy", energy, 2, totals),
    SensorClass("energy_distance", "kWh/100km mi/kWh km/kWh", 1),
    SensorClass("energy_storage", energy, 2),
    SensorClass("frequency", "Hz kHz MHz GHz", 0),
    SensorClass("gas", "m³ ft³ CCF", 2, totals),
    SensorClass("humidity", "%", 1),
    SensorClass("illuminance", "lx", 0),
    SensorClass("irradiance", "W/m² BTU/(h⋅ft²)", 0),
    SensorClass("moisture", "%", 1),
    SensorClass("nitrogen_dioxide", concentration, 0),
    SensorClass("nitrogen_monoxide", concentration, 0),
    SensorClass("nitrous_oxide", concentration, 0),
    SensorClass("ozone", concentration, 0),
    SensorClass("ph", "", 2),
    SensorClass("pm1", concentration, 0),
    SensorClass("pm10", concentration, 0),
    SensorClass("pm25", concentration, 0),
    SensorClass("power", "W mW kW MW GW TW", 0),
    SensorClass("power_factor", "%", 0),
    SensorClass("precipitation", "mm cm in", 2, "total_increasing total measurement"),
    SensorClass("precipitation_intensity", "mm/h mm/d in/h in/d", 1),
    SensorClass("pressure", "hPa Pa kPa bar cbar mbar mmHg inHg psi", 1),
    SensorClass("reactive_power", "var", 0),
    SensorClass("signal_strength", "dBm dB", 0),
    SensorClass("sound_pressure", "dB dBA", 1),
    SensorClass("speed", "m/s km/h kn mph ft/s in/s mm/s mm/h mm/d in/h in/d", 1),
    SensorClass("sulphur_dioxide", concentration, 0),
    SensorClass("temperature", "°C °F K", 1),
    SensorClass("volatile_organic_compounds", concentration, 0),
    SensorClass("volatile_organic_compounds_parts", "ppb ppm", 0),
    SensorClass("voltage", "V mV µV kV MV", 2),
    SensorClass("volume", volume, 2, totals),
    SensorClass("volume_flow_rate", "L/min m³/h mL/s ft³/min gal/min", 1),
    SensorClass("volume_storage", volume, 0),
    SensorClass("water", "L m³ ft³ CCF gal", 1, totals),
    SensorClass("weight", "kg g mg µg oz lb st", 2, any),
    SensorClass("wind_direction", "°", 0, "measurement_angle"),
    SensorClass("wind_speed", speed, 1),
  ]
}

/// A list of words in one literal, separated by spaces.
public struct WordList: Sendable, ExpressibleByStringLiteral {
  private let text: StaticString

  public init(stringLiteral text: StaticString) { self.text = text }

  /// The words; empty if the literal is empty.
  public var words: [[UInt8]] {
    [UInt8](text).split(separator: UInt8(ascii: " ")).map { [UInt8]($0) }
  }

  public var first: [UInt8]? { words.first }

  public func contains(_ word: [UInt8]) -> Bool { words.contains(word) }

  /// The words as `a, b or c`.
  public var alternatives: MessageText {
    let words = words
    var shown: [UInt8] = []
    for index in words.indices {
      if index > 0 { shown += [UInt8](index == words.count - 1 ? " or " : ", ") }
      shown += words[index]
    }
    return MessageText(bytes: shown)
  }
}
