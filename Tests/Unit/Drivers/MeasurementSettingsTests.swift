import Bytes
import Sensing
import Testing

@testable import Drivers

@Suite struct MeasurementSettingsTests {
  private func problems(_ entry: String) -> [String] { sensorSettings(entry).problems }

  private func measurement(_ entry: String) -> MeasurementSettings? {
    switch sensorSettings(entry).settings {
    case let entry as SensorEntry<IIOSettings>: entry.settings.entry.measurement
    case let entry as SensorEntry<MonitorSettings>: entry.settings.entry.measurement
    case let entry as SensorEntry<TextFileSettings>: entry.settings.measurement
    default: nil
    }
  }

  @Test(arguments: [("offset: -1.5", 5), ("factor: 2", 40), ("factor: 2, offset: -1.5", 25)])
  func aFactorAndAnOffsetMayStandAlone(keys: String, tenths: Int64) throws {
    let calibration = try #require(measurement("file: /a, \(keys)")?.calibration)
    let meaning = try #require(calibration.meaning(of: FixedPoint(2)))
    #expect(meaning.rounded(to: 1) == FixedPoint(tenths, decimals: 1))
  }

  @Test(
    arguments: [
      ("iio: a/voltage0", "voltage", "V", "measurement", 2),
      ("iio: a/voltage0, unit: V", "voltage", "V", "measurement", 2),
      ("iio: a/voltage0, factor: 4.03", "voltage", "V", "measurement", 2),
      ("iio: a/voltage0, factor: 1000, unit: mV", nil, "mV", "measurement", 2),
      (
        "iio: a/voltage0, factor: 1000, unit: mV, device_class: voltage", "voltage", "mV",
        "measurement", 0
      ),
      ("iio: a/voltage0, scale: [3, 1], to: [0, 100], unit: \"%\"", nil, "%", "measurement", 1),
      (
        "iio: a/voltage0, table: [[3, 0], [1, 9]], unit: L, device_class: water", "water", "L",
        "total_increasing", 1
      ),
      ("iio: a/humidityrelative, device_class: moisture", "moisture", "%", "measurement", 1),
      ("iio: a/pressure, device_class: pressure", "pressure", "hPa", "measurement", 1),
      ("iio: a/steps", nil, nil, "measurement", 2), ("iio: a/ph", "ph", nil, "measurement", 2),
      ("hwmon: a/energy1", "energy", "J", "total_increasing", 3),
      ("hwmon: a/fan1, decimals: 0", nil, "rpm", "measurement", 0),
      ("file: /a", nil, nil, "measurement", 2),
      (
        "file: /a, unit: \u{3BC}S/cm, device_class: conductivity", "conductivity", "µS/cm",
        "measurement", 1
      ),
      ("file: /a, state_class: total_increasing", nil, nil, "total_increasing", 2),
      (
        "file: /a, device_class: wind_direction, unit: °", "wind_direction", "°",
        "measurement_angle", 0
      ),
      (
        "file: /a, device_class: data_size, unit: B, state_class: measurement", "data_size", "B",
        "measurement", 3
      ),
      ("file: /a, device_class: aqi", "aqi", nil, "measurement", 0),
    ] as [(String, String?, String?, String, UInt8)])
  func classUnitAndStateClassGoTogether(
    entry: String, sensorClass: String?, unit: String?, stateClass: String, decimals: UInt8
  ) throws {
    let measurement = try #require(self.measurement(entry))
    #expect(measurement.entity.deviceClass.map(string) == sensorClass)
    #expect(measurement.entity.unit.map(string) == unit)
    #expect(measurement.entity.stateClass.map(string) == stateClass)
    #expect(measurement.decimals == decimals)
    let description = measurement.description(uniqueID: [1])
    #expect(description.unit == measurement.entity.unit)
    #expect(description.deviceClass == measurement.entity.deviceClass)
  }

  static let notItsUnit = "is not the unit of this measurement"
  static let convert = "or convert it, such as factor: 1000"
  static let noDevice = "is not a device and its channel; write for example iio: bme280/temp"
  static let noChannel =
    "is not a channel; write the file's name without in_ and without _raw or _input, such as voltage0"
  static let noNumber = "is not a number; write for example"
  static let notWhole = "is not a whole number in range; write one from"
  static let oneCalibration =
    "a sensor has only one calibration; write scale and to, or table, or factor and offset"
  static let bothOfScale =
    "scale has two measured values, and to has their meanings; one of the two is missing; "
    + "write for example scale: [2.9, 1.2], to: [0, 100]"
  static let inOrder =
    "the measured values must rise from point to point, or fall; "
    + "write the points in order, each once"

  @Test(arguments: [
    ("iio: a/voltage0, unit: mV", "unit: \"mV\" \(notItsUnit); write V; \(convert)"),
    ("iio: a/steps, unit: mV", "unit: \"mV\" \(notItsUnit); leave it out; \(convert)"),
    (
      "iio: a/voltage0, device_class: moisture",
      "device_class: moisture does not match \"V\"; write it with unit: %"
    ),
    (
      "iio: a/voltage0, factor: 2, unit: V, device_class: moisture",
      "unit: moisture does not match \"V\"; write unit: %"
    ),
    (
      "file: /a, device_class: voltage",
      "device_class: voltage has a unit; write it with unit: V, mV, µV, kV or MV"
    ),
    ("file: /a, device_class: ph, unit: \"%\"", "unit: ph does not match \"%\"; write no unit"),
    (
      "file: /a, device_class: moistur",
      "device_class: \"moistur\" is unknown; did you mean \"moisture\"?"
    ),
    ("file: /a, unit: \"\"", "unit: \"\" is not a unit; write 1 to 16 bytes"),
    (
      "file: /a, unit: L, device_class: water, state_class: measurement",
      "state_class: \"measurement\" does not match water; write total_increasing or total"
    ),
    (
      "file: /a, state_class: total_rising",
      "state_class: \"total_rising\" is unknown; write measurement, total, total_increasing or "
        + "measurement_angle"
    ),
    ("file: /a, decimals: 7", "decimals: \"7\" \(notWhole) 0 to 6"),
    ("file: /a, factor: 2, table: [[0, 0], [1, 1]]", "factor: \(oneCalibration)"),
    ("file: /a, scale: [0, 1], to: [0, 1], table: [[0, 0], [1, 1]]", "table: \(oneCalibration)"),
    ("file: /a, offset: 2, clamp: true", "offset: \(oneCalibration)"),
    ("file: /a, scale: [0, 1]", "scale: \(bothOfScale)"),
    ("file: /a, to: [0, 1]", "to: \(bothOfScale)"),
    ("file: /a, clamp: true", "clamp: \(bothOfScale)"),
    ("file: /a, scale: [1, 1.0], to: [0, 1]", "scale: \(inOrder)"),
    ("file: /a, table: [[0, 0], [2, 1], [1, 2]]", "table: \(inOrder)"),
    ("file: /a, scale: [1], to: [0, 1]", "scale: this list has 1 items; write 2 to 2"),
    ("file: /a, table: [[0, 0]]", "table: this list has 1 items; write 2 to 32"),
    ("file: /a, table: [[0, 0], [1]]", "table[1]: this list has 1 items; write 2 to 2"),
    ("file: /a, table: [[0, 0], [1, x]]", "table[1][1]: \"x\" \(noNumber) 0.5"),
    ("file: /a, factor: 0", "factor: the factor is 0; write another number"),
    ("file: /a, factor: 1e3", "factor: \"1e3\" \(noNumber) 0.5"),
    (
      "file: /a, factor: 1000000001",
      "factor: a number is too large; write one from -1000000000 to 1000000000"
    ),
    ("file: a", "file: this is not an absolute path; begin it with /"),
    ("file: /a, line: 0", "line: \"0\" \(notWhole) 1 to 999"),
    (
      "file: /a, pattern: level",
      "pattern: \"level\" is not a pattern; "
        + "write the text around the number, and one * for the number, such as \"level=*\""
    ),
    ("iio: bme280", "iio: \"bme280\" \(noDevice)"),
    ("iio: /temp", "iio: \"/temp\" \(noDevice)"),
    ("iio: a/in_temp", "iio: \"in_temp\" \(noChannel)"),
    ("iio: a/voltage0_raw", "iio: \"voltage0_raw\" \(noChannel)"),
    (
      "hwmon: a/temp",
      "hwmon: \"temp\" is not a channel; write in, curr, power, energy, temp, humidity or fan with "
        + "its number, such as temp1"
    ),
    (
      "hwmon: a/in1, shunt: 0.1",
      "shunt: this channel has no current through a resistor; remove it"
    ),
    (
      "hwmon: a/curr1, shunt: 0",
      "shunt: a resistor of this size measures no current; "
        + "write the ohms of the resistor on the board, such as 0.1 for R100"
    ),
    ("iio: a/current0, shunt: R100", "shunt: \"R100\" \(noNumber) 0.1"),
  ])
  func aWrongSettingIsNamedWithWhatWouldBeRight(entry: String, problem: String) {
    let found = problems(entry)
    #expect(found == ["[0].\(problem)"])
  }

  @Test func aSensorStandsThereOnce() {
    for entry in ["iio: a/temp", "hwmon: a/temp1", "file: /a", "file: /a, pattern: \"x*\""] {
      let twice = "\(entry) }, { name: Other, \(entry)"
      #expect(problems(twice).count == 1)
    }
    #expect(problems("file: /a, line: 1 }, { name: Other, file: /a, line: 2").isEmpty)
  }

  @Test func eachKindSaysWhatToDo() {
    for entry in ["iio: a/temp", "hwmon: a/temp1", "file: /a"] {
      let name = InlineText([UInt8]("x".utf8).span)
      let remedies = sensorSettings(entry).settings?.remedies
      #expect(remedies?.isNamedByPerson == true)
      let words = [
        SourceFailure.missing(name), .ambiguous(name, found: name), .busy(name),
        .failed(name, errno: 5), .malformed(name, found: name),
      ].map { string(remedies?.remedy(for: $0).bytes ?? []) }
      #expect(words.allSatisfy { !$0.isEmpty })
      #expect(words[0] != words[3])
    }
  }

  /// A channel of an INA3221 that is off answers with ENODATA, and its cable is right (alumet issue
  /// 212, riemann-tools pull 303).
  @Test func whatIsOffIsNotBlamedOnItsCableAlone() {
    let remedies = sensorSettings("hwmon: ina3221/in3").settings?.remedies
    let failure = SourceFailure.failed(InlineText([UInt8]("x".utf8).span), errno: 61)
    let words = string(remedies?.remedy(for: failure).bytes ?? [])
    #expect(words.contains("in1_enable"))
  }
}

/// A kind's own icon hides what Home Assistant draws of a class by its state.
@Suite struct EntityIconTests {
  private func icon(_ deviceClass: String?, _ icon: String? = nil) -> String? {
    let settings = EntitySettings(
      name: [UInt8]("Hatch".utf8), deviceClass: deviceClass.map { [UInt8]($0.utf8) },
      icon: icon.map { [UInt8]($0.utf8) })
    return GPIOLineSettings.entityKind.description(of: settings, uniqueID: [UInt8]("a".utf8)).icon
      .map(string)
  }

  @Test func theClassHasTheIconUnlessAPersonNamesOne() {
    #expect(icon("door") == nil)
    #expect(icon("door", "mdi:ladder") == "mdi:ladder")
    #expect(icon(nil) == "mdi:electric-switch")
    #expect(icon(nil, "mdi:ladder") == "mdi:ladder")
  }
}
