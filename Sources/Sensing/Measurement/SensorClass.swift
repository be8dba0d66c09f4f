import Bytes

/// A device class of Home Assistant for numbers, with its units and state classes:
/// `DEVICE_CLASS_UNITS` and `DEVICE_CLASS_STATE_CLASSES` of
/// `homeassistant/components/sensor/const.py`, as far as 2025.4 and all later versions have it.
/// Home Assistant accepts another pair too, and warns in its log.
public struct SensorClass: Sendable {
  public let name: [UInt8]
  /// Allowed units; `decimals` applies to the first. Empty for a number without a unit.
  public let units: [[UInt8]]
  /// Allowed state classes; the first is the default.
  public let stateClasses: [[UInt8]]
  /// Useful number of decimals.
  private let decimals: UInt8

  /// Finds the class with this name; nil if there is none.
  public init?(named name: [UInt8]) {
    guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  private init(row: [UInt8]) {
    let parts = KernelText.parts(of: row.span, between: UInt8(ascii: "|")).map { Self.words($0) }
    name = parts[0][0]
    decimals = parts[0][1][0] - UInt8(ascii: "0")
    units = [[UInt8]](parts[0][2...])
    stateClasses = parts.count == 2 ? parts[1] : [[UInt8]("measurement")]
  }

  private static func words(_ text: [UInt8]) -> [[UInt8]] {
    KernelText.parts(of: text.span, between: UInt8(ascii: " "))
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

  /// All classes, by name.
  public static var all: [SensorClass] {
    KernelText.parts(of: table.bytes, between: UInt8(ascii: "\n")).map { SensorClass(row: $0) }
  }

  /// Lines of name, decimals and units, and after a `|` the state classes if `measurement` is not
  /// the only one. One literal is smaller than an array of literals.
  private static let table: StaticString = """
    apparent_power 0 VA
    aqi 0
    area 2 m² cm² km² mm² in² ft² yd² mi² ac ha | measurement total total_increasing
    atmospheric_pressure 1 hPa Pa kPa bar cbar mbar mmHg inHg psi
    battery 0 %
    blood_glucose_concentration 1 mg/dL mmol/L
    carbon_dioxide 0 ppm
    carbon_monoxide 0 ppm
    conductivity 1 µS/cm mS/cm S/cm
    current 2 A mA
    data_rate 1 MB/s B/s kB/s GB/s bit/s kbit/s Mbit/s Gbit/s KiB/s MiB/s GiB/s
    data_size 0 MB B kB GB TB PB EB ZB YB bit kbit Mbit Gbit KiB MiB GiB TiB PiB EiB ZiB YiB | \
    total_increasing measurement total
    distance 1 m km cm mm mi nmi yd ft in | measurement total total_increasing
    duration 0 s min h d ms | measurement total total_increasing
    energy 2 kWh Wh mWh MWh GWh TWh J kJ MJ GJ cal kcal Mcal Gcal | total_increasing total
    energy_distance 1 kWh/100km mi/kWh km/kWh
    energy_storage 2 kWh Wh mWh MWh GWh TWh J kJ MJ GJ cal kcal Mcal Gcal
    frequency 0 Hz kHz MHz GHz
    gas 2 m³ ft³ CCF | total_increasing total
    humidity 1 %
    illuminance 0 lx
    irradiance 0 W/m² BTU/(h⋅ft²)
    moisture 1 %
    nitrogen_dioxide 0 µg/m³
    nitrogen_monoxide 0 µg/m³
    nitrous_oxide 0 µg/m³
    ozone 0 µg/m³
    ph 2
    pm1 0 µg/m³
    pm10 0 µg/m³
    pm25 0 µg/m³
    power 0 W mW kW MW GW TW
    power_factor 0 %
    precipitation 2 mm cm in | total_increasing total measurement
    precipitation_intensity 1 mm/h mm/d in/h in/d
    pressure 1 hPa Pa kPa bar cbar mbar mmHg inHg psi
    reactive_power 0 var
    signal_strength 0 dBm dB
    sound_pressure 1 dB dBA
    speed 1 m/s km/h kn mph ft/s in/s mm/s mm/h mm/d in/h in/d
    sulphur_dioxide 0 µg/m³
    temperature 1 °C °F K
    volatile_organic_compounds 0 µg/m³
    volatile_organic_compounds_parts 0 ppb ppm
    voltage 2 V mV µV kV MV
    volume 2 L mL m³ ft³ CCF gal | total_increasing total
    volume_flow_rate 1 L/min m³/h mL/s ft³/min gal/min
    volume_storage 0 L mL m³ ft³ CCF gal
    water 1 L m³ ft³ CCF gal | total_increasing total
    weight 2 kg g mg µg oz lb st | measurement total total_increasing
    wind_direction 0 ° | measurement_angle
    wind_speed 1 m/s km/h kn mph ft/s in/s mm/s
    """
}

/// A list of words in one literal, separated by spaces.
public struct WordList: Sendable, ExpressibleByStringLiteral {
  private let text: StaticString

  public init(stringLiteral text: StaticString) { self.text = text }

  /// The words; empty if the literal is empty.
  public var words: [[UInt8]] { KernelText.parts(of: text.bytes, between: UInt8(ascii: " ")) }

  public func contains(_ word: [UInt8]) -> Bool { words.contains(word) }
}
