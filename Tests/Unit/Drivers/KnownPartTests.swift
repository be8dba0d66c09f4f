import CLinux
import LinuxIO
import Testing

@testable import Drivers

/// A part that is sold for boards, as its driver shows it, and one of its channels.
struct GoldenPart: CustomTestStringConvertible {
  /// An entry of `sensors`, and the number that is sent for it.
  let entry: String
  let wanted: String
  let recording: Recording

  /// Reads a line such as `iio: bme280/temp -> 25.1: @part file=text file=text`.
  private init(_ line: Substring) {
    let halves = line.split(separator: " -> ")
    entry = String(halves[0])
    var words = halves[1].split(separator: " ")
    wanted = String(words.removeFirst().dropLast())
    let part = words.first?.first == "@" ? String(words.removeFirst().dropFirst()) : nil
    var files: [String: String] = [:]
    for word in words {
      let sides = word.split(separator: "=")
      files[String(sides[0])] = "\(sides[1])\n"
    }
    let address = entry.split(separator: " ")[1].split(separator: "/")[0]
    recording = Recording(name: String(address), part: part, files: files)
  }

  static func parts(_ table: String) -> [GoldenPart] {
    table.split(separator: "\n").map { GoldenPart($0) }
  }

  var testDescription: String { entry }
}

/// What the drivers of Linux 6.12 say, computed from the data sheet's numbers as they compute it,
/// and what becomes of it by what a person writes.
@Suite final class KnownPartTests: DriverSuite {
  static let converters = GoldenPart.parts(
    """
    iio: ads1015/voltage0 -> 2.05: @ads1115 in_voltage0_raw=16400 in_voltage0_scale=0.125000000
    iio: 1-0068/voltage0, decimals: 4 -> 1.2345: @mcp3421 in_voltage0_raw=79008 \
    in_voltage0_scale=0.000015625 in_voltage_sampling_frequency=3
    iio: 1-0069/voltage1, decimals: 3 -> -0.512: @mcp3424 in_voltage1_raw=-512 \
    in_voltage1_scale=0.001000000
    iio: mcp3008/voltage0, decimals: 3 -> 1.650: in_voltage0_raw=512 in_voltage_scale=3.222656250
    iio: hx711/voltage0, factor: 1000, unit: mV, decimals: 6 -> 0.447033: in_voltage0_raw=8391608 \
    in_voltage0_scale=0.000149011
    iio: 1-002a/voltage0, factor: 1000, unit: mV, decimals: 3 -> 1.547: @nau7802 \
    in_voltage0_raw=503316 in_voltage_scale=0.000003073
    iio: ad7768-1/voltage0 -> 1.20: in_voltage0_raw=2457600 in_voltage_scale=0.000488281250
    iio: ads1015/voltage0, unit: "%", scale: [2.9, 1.2], to: [0, 100] -> 50.0: @ads1115 \
    in_voltage0_raw=16400 in_voltage0_scale=0.125000000
    iio: ads1015/voltage0-voltage1, decimals: 3 -> -0.050: @ads1115 \
    in_voltage0-voltage1_raw=-800 in_voltage0-voltage1_scale=0.062500000
    iio: ina226/current3 -> 1.50: @ina226 in_current3_raw=1500 in_current3_scale=1.000000000
    iio: ina226/current3, shunt: 0.002 -> 7.50: @ina226 in_current3_raw=1500 \
    in_current3_scale=1.000000000 in_shunt_resistor=0.010000000
    iio: bench/voltage0, decimals: 6 -> 0.000107: in_voltage0_raw=73 in_voltage0_offset=7 \
    in_voltage0_scale=0.001333
    iio: bench/steps -> 7.00: in_steps_input=7
    iio: bme280/temp -> 25.1: in_temp_input=25080.000000000
    iio: bme280/humidityrelative -> 45.1: in_humidityrelative_input=45123.000000000
    iio: bmp280/pressure -> 1006.5: in_pressure_input=100.653253906
    iio: bme680/humidityrelative -> 45.1: in_humidityrelative_input=45.123000000
    iio: bme680/temp -> 21.4: in_temp_input=21430
    iio: bme680/pressure -> 1013.3: in_pressure_input=1013.250000000
    iio: bme680/pressure -> 987.1: in_pressure_input=987.120000000
    iio: bme680/pressure -> 987.1: in_pressure_input=98.712000000
    iio: bme680/resistance -> 12946.00: in_resistance_input=12946
    iio: hts221/temp -> 24.9: in_temp_raw=312 in_temp_offset=1054.987000000 \
    in_temp_scale=0.018203125
    iio: hts221/humidityrelative -> 43.0: in_humidityrelative_raw=-3100 \
    in_humidityrelative_offset=14301.250000000 in_humidityrelative_scale=0.003836909
    iio: lps25h/pressure -> 1013.2: in_pressure_raw=4150272 in_pressure_scale=0.000024414
    iio: mpl3115/temp -> 23.1: in_temp_raw=370 in_temp_scale=0.062500
    iio: mpl3115/pressure -> 1013.0: in_pressure_raw=405200 in_pressure_scale=0.000250
    iio: hp206c/temp -> 26.4: in_temp_raw=2640 in_temp_scale=0.010000
    iio: ism330dhcx_temp/temp -> 30.0: in_temp_raw=1280 in_temp_offset=6400 \
    in_temp_scale=0.003906250
    iio: mprls0025pa/pressure -> 1013.2: in_pressure_raw=9567521 in_pressure_offset=-1677721 \
    in_pressure_scale=0.012842407
    iio: dps310/pressure -> 998.0: in_pressure_input=99.798000000
    iio: ms5611/temp -> 20.1: in_temp_input=20070
    iio: icp10100/temp -> 25.0: in_temp_raw=26214 in_temp_offset=-45000 in_temp_scale=2.670288
    iio: dht11@4/humidityrelative -> 61.0: in_humidityrelative_input=61000
    iio: dht11@4/temp -> -0.9: in_temp_input=-3275900
    iio: dht11@4/temp -> -5.0: in_temp_input=-3271800
    iio: dht11@4/temp -> -5.1: in_temp_input=-5100
    iio: htu21/temp -> 19.8: in_temp_input=19787
    iio: si7020/humidityrelative -> 47.8: in_humidityrelative_raw=7051 \
    in_humidityrelative_offset=-786 in_humidityrelative_scale=7.629394531
    iio: hdc100x/temp -> 22.3: in_temp_raw=24745 in_temp_offset=-15887.515151 \
    in_temp_scale=2.517700195
    iio: am2315/temp -> 21.7: in_temp_raw=217 in_temp_scale=100
    iio: scd30/concentration_co2 -> 612: in_concentration_co2_raw=61234 \
    in_concentration_co2_scale=0.000001
    iio: scd4x/concentration_co2 -> 612: in_concentration_co2_raw=612 \
    in_concentration_co2_scale=0.000100
    iio: scd4x/temp -> 23.4: in_temp_raw=25612 in_temp_offset=-16852.114286 \
    in_temp_scale=2.670288085
    iio: ccs811/concentration_voc -> 125: in_concentration_voc_raw=125 \
    in_concentration_voc_scale=0.000000100
    iio: sgp30/concentration_co2 -> 400: in_concentration_co2_input=0.000400
    iio: sgp30/concentration_voc -> 12: in_concentration_voc_input=0.000000012
    iio: 1-005a/concentration_co2 -> 450: @ams-iaq-core in_concentration_co2_input=0.000450
    iio: 1-0070/concentration_co2 -> 596: @vz89x in_concentration_co2_raw=41 \
    in_concentration_co2_offset=44.250000 in_concentration_co2_scale=0.00000698689
    iio: 1-0070/concentration_voc -> 205: @vz89x in_concentration_voc_raw=60 \
    in_concentration_voc_offset=-13 in_concentration_voc_scale=0.00000000436681223 \
    in_concentration_co2_scale=0.00000698689
    iio: sgp40/concentration -> 250.00: in_concentration_input=250.000000
    iio: atlas/electricalconductivity -> 1413.0: in_electricalconductivity_raw=141300 \
    in_electricalconductivity_scale=0.000010000
    iio: atlas/electricalconductivity -> 1413.0: in_electricalconductivity_raw=141300 \
    in_electricalconductivity_scale=0.000001000
    iio: c440000.spmi:pmic@0:adc@3100/voltage_vph_pwr -> 3.99: \
    in_voltage_vph_pwr_input=3987654
    iio: sps30/massconcentration_pm2p5 -> 4: in_massconcentration_pm2p5_input=3.620000
    iio: sps30/massconcentration_pm4 -> 3.91: in_massconcentration_pm4_input=3.910000
    iio: pms7003/massconcentration_pm10 -> 9: in_massconcentration_pm10_input=9
    iio: pac1921/current2, shunt: 0.1 -> 0.24: in_current2_raw=2400 in_current2_scale=1 \
    in_current2_shunt_resistor=0.01
    iio: bh1750/illuminance -> 125: in_illuminance_raw=150 in_illuminance_scale=0.833333
    iio: tsl2591/illuminance -> 321: in_illuminance_input=321.459200
    iio: tsl2561/illuminance0 -> 87: in_illuminance0_input=87
    iio: veml6030/illuminance -> 145: in_illuminance_input=145.152000
    iio: bh1780/illuminance -> 93: in_illuminance_raw=93
    iio: ltr390/illuminance -> 200: in_illuminance_raw=1000 in_illuminance_scale=0.002000000
    iio: ltr390/uvindex -> 3.01: in_uvindex_raw=289 in_uvindex_scale=1.041666666
    iio: vl53l0x/distance, decimals: 3 -> 0.745: in_distance_raw=745 in_distance_scale=0.001000
    iio: max31855/temp -> 612.5: in_temp_raw=2450 in_temp_scale=250
    iio: max31855/temp_ambient -> 23.8: in_temp_ambient_raw=380 in_temp_ambient_scale=62.500000
    iio: max31856/temp -> 1001.6: in_temp_raw=128205 in_temp_scale=7.812500
    iio: max31865/temp -> 24.9: in_temp_raw=8989 in_temp_scale=31.250000 fault_ovuv=0
    iio: max6675/temp -> 402.3: in_temp_raw=1609 in_temp_scale=250
    iio: mlx90614/temp_object -> 37.0: in_temp_object_raw=15507 in_temp_offset=-13657.500000 \
    in_temp_scale=20
    iio: tmp117/temp -> 25.2: in_temp_raw=3225 in_temp_scale=7.812500
    """)

  @Test(arguments: converters)
  func aPartOfIndustrialIOSaysWhatItMeasures(_ part: GoldenPart) throws {
    try tree.addConverter(
      0, named: part.recording.name, at: "1-0068", part: part.recording.part, part.recording.files)
    #expect(try answer(part.entry) == part.wanted)
  }

  static let monitors = GoldenPart.parts(
    """
    hwmon: ina219/curr1 -> -0.04: curr1_input=-40
    hwmon: ina219/curr1, shunt: 0.1 -> 0.50: curr1_input=5000 shunt_resistor=10000
    hwmon: ina219/in0 -> 0.05: in0_input=50
    hwmon: ina219/in1 -> 4.23: in1_input=4228
    hwmon: ina219/in1, table: [[11.8, 0], [12.6, 100]], unit: "%" -> 100.0: in1_input=12613
    hwmon: ina219/power1 -> 63: power1_input=63000000
    hwmon: ina219/power1, shunt: 0.1, decimals: 1 -> 6.3: power1_input=63000000 \
    shunt_resistor=10000
    hwmon: ina3221/curr1, shunt: 0.1 -> 1.20: curr1_input=12000 shunt1_resistor=10000 \
    shunt2_resistor=100000
    hwmon: ina3221/curr2, shunt: 0.1 -> 12.00: curr2_input=12000 shunt1_resistor=10000 \
    shunt2_resistor=100000
    hwmon: ina3221/curr4, shunt: 0.1 -> 2.40: curr4_input=24000 shunt1_resistor=10000
    hwmon: ina219/power1, decimals: 3 -> 0.176: power1_input=176000
    hwmon: ina226/in1 -> 12.61: in1_input=12613
    hwmon: ina3221/in1 -> 12.02: in1_input=12016
    hwmon: ina3221/in5, decimals: 4 -> 0.0123: in5_input=12320
    hwmon: sht3x/temp1 -> -7.5: temp1_input=-7532
    hwmon: sht4x/humidity1 -> 45.1: humidity1_input=45123
    hwmon: aht10/humidity1 -> 52.3: humidity1_input=52343
    hwmon: lm75/temp1 -> 23.5: temp1_input=23500
    hwmon: tmp102/temp1 -> -12.4: temp1_input=-12375
    hwmon: jc42/temp1 -> 23.8: temp1_input=23812
    hwmon: ds1621/temp1 -> 21.5: temp1_input=21500
    hwmon: lm90/temp2 -> 41.6: temp2_input=41625 temp2_fault=0
    hwmon: w1_slave_temp/temp1 -> 312.5: temp1_input=312500
    hwmon: pwmfan/fan1 -> 3300.00: fan1_input=3300
    """)

  @Test(arguments: monitors)
  func aHardwareMonitorSaysWhatItMeasures(_ part: GoldenPart) throws {
    try tree.addMonitor(0, named: part.recording.name, at: "1-0040", part.recording.files)
    #expect(try answer(part.entry) == part.wanted)
  }
}

/// Numbers that cannot be, and those for which nothing vouches.
@Suite final class DoubtfulNumberTests: DriverSuite {
  private func addMonitor(_ name: String, _ files: [String: String]) throws {
    try tree.addMonitor(0, named: name, at: "1-0040", files)
  }

  private func file(_ name: String) -> String {
    "devices/platform/i2c-1/1-0040/hwmon/hwmon0/\(name)"
  }

  /// A DS18B20 of which a bit of the scratchpad was lost, and a thermocouple.
  @Test(arguments: [("28-0316a2796cff", false), ("3b-0000002a", true)])
  func aThermometerOn1WireHasTheRangeOfItsFamily(family: String, isHot: Bool) throws {
    try addMonitor("w1_slave_temp", ["temp1_input": "127937\n"])
    try tree.write("\(family)\n", to: "devices/platform/i2c-1/1-0040/name")
    let rig = try SensorRig("hwmon: w1_slave_temp/temp1", in: tree)
    #expect((rig.failure() == nil) == isHot)
    #expect(rig.value == .unknown || isHot)
  }

  /// The kernel shows a part of 1-Wire as a hardware monitor, too.
  @Test(
    arguments: [("w1_slave_temp", [nil, "20.0", nil, "81.0", "85.0"]), ("lm75", ["85.0"])]
      as [(String, [String?])])
  func theValueOf1WireAtPowerUpIsBelievedOnlyNextToItsLike(
    chip: String, numbers: [String?]
  ) throws {
    try addMonitor(chip, ["temp1_input": ""])
    let rig = try SensorRig("hwmon: \(chip)/temp1", in: tree)
    for (text, number) in zip(["85000", "20000", "85000", "81000", "85000"], numbers) {
      try tree.write("\(text)\n", to: file("temp1_input"))
      let failure = rig.failure()
      #expect(failure?.contains("85 degrees, its value at power-up") ?? false == (number == nil))
      #expect(number == nil ? rig.value == .unknown : rig.number == number)
    }
  }

  @Test(arguments: [
    ("nct6793/temp15", "3892313987", "3892313.987 °C", "-100 to 250 °C"),
    ("amdgpu/temp1", "511000", "511.000 °C", "-100 to 250 °C"),
    ("nvme/temp1", "-273150", "-273.150 °C", "-100 to 250 °C"),
    ("nvme/temp2", "-234200", "-234.200 °C", "-100 to 250 °C"),
    ("it87/temp3", "-128000", "-128.000 °C", "-54 to 126 °C"),
    ("it8620/temp2", "-55000", "-55.000 °C", "-54 to 126 °C"),
    ("nct6775/fan2", "65535", "65535 rpm", "0 to 50000 rpm"),
    ("sht3x/humidity1", "119000", "119.000 %", "-5 to 110 %"),
    ("x/in3", "4294967295", "4294967.295 V", "-2000 to 2000 V"),
  ])
  func aNumberThatCannotBeIsUnknownWithItsReason(
    address: String, text: String, found: String, range: String
  ) throws {
    let words = address.split(separator: "/").map(String.init)
    try addMonitor(words[0], ["\(words[1])_input": "\(text)\n"])
    let rig = try SensorRig("hwmon: \(address)", in: tree)
    #expect(rig.failure() == "implausible \(address) '\(found)', outside of \(range)")
    #expect(rig.value == .unknown)
    try tree.write("42000\n", to: file("\(words[1])_input"))
    #expect(rig.failure() == nil)
    #expect(rig.number != nil)
  }

  @Test func whatAPersonMakesOfANumberCanBeMore() throws {
    try addMonitor("lm75", ["temp1_input": "240000\n"])
    #expect(try answer("hwmon: lm75/temp1, factor: 100") == "24000.0")
  }

  @Test(arguments: ["temp2", "fan1", "humidity1", "curr1"])
  func whatItsPartDoesNotVouchForIsUnknownUntilItDoes(channel: String) throws {
    try addMonitor("lm90", ["\(channel)_input": "42000\n", "\(channel)_fault": "1\n"])
    let rig = try SensorRig("hwmon: lm90/\(channel)", in: tree)
    let told =
      "distrusted lm90/\(channel), is faulty: its part reports that the reading cannot be trusted"
    #expect(rig.failure() == told)
    #expect(rig.value == .unknown)
    try tree.write("0\n", to: file("\(channel)_fault"))
    #expect(rig.failure() == nil)
    #expect(rig.number != nil)
    // It is known by now, and read in the loop.
    #expect(rig.failure() == nil)
    try tree.write("1\n", to: file("\(channel)_fault"))
    #expect(rig.failure() == told)
    #expect(rig.value == .unknown)
  }

  @Test func aVerdictThatCannotBeReadDoesNotCount() throws {
    try addMonitor("lm90", ["temp2_input": "42000\n", "temp2_fault": "0\n"])
    try tree.fail(file("temp2_fault"))
    let rig = try SensorRig("hwmon: lm90/temp2", in: tree)
    for _ in 0..<3 {
      #expect(rig.answer() == "42.0")
    }
  }

  @Test func aFileThatIsNotAboutTheChannelDoesNotCount() throws {
    try addMonitor(
      "lm90", ["temp1_input": "42000\n", "temp2_fault": "1\n", "temp1_alarm": "1\n"])
    #expect(try answer("hwmon: lm90/temp1") == "42.0")
  }

  @Test func aProbeThatIsNotConnectedIsUnknown() throws {
    try tree.addConverter(
      0, named: "max31865", at: "spi0.0",
      ["in_temp_raw": "20000\n", "in_temp_scale": "31.250000\n", "fault_ovuv": "1\n"])
    let rig = try SensorRig("iio: max31865/temp", in: tree)
    #expect(rig.failure()?.hasPrefix("distrusted max31865/temp") == true)
    #expect(rig.value == .unknown)
  }

  private func addUnscaled() throws {
    try tree.addConverter(
      0, named: "TI-am335x-adc.0.auto", at: "x", ["in_voltage0_raw": "3849\n"])
  }

  @Test func withoutAScaleAVoltageIsUnknown() throws {
    try addUnscaled()
    let rig = try SensorRig("iio: TI-am335x-adc.0.auto/voltage0", in: tree)
    #expect(
      rig.failure()
        == "distrusted TI-am335x-adc.0.auto/voltage0, has no scale: the kernel does not say what"
        + " its numbers mean")
    #expect(rig.value == .unknown)
  }

  @Test func withoutAScaleTheRawNumberIsWhatThePersonSays() throws {
    try addUnscaled()
    for (meaning, wanted) in [
      ("scale: [0, 4095], to: [0, 1.8]", "1.69"), ("factor: 1, unit: \"\u{25A1}\"", "3849.00"),
    ] {
      #expect(try answer("iio: TI-am335x-adc.0.auto/voltage0, \(meaning)") == wanted)
    }
  }
}
