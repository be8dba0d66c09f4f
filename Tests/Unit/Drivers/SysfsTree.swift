import LinuxIO

/// The devices of sysfs as the kernel shows them: a directory where the device is, and a link to it
/// in the folder of its kind.
extension FakeTree {
  /// An Industrial IO device, whose parent is called `place`, is the part `part`, and is on `bus`.
  func addConverter(
    _ number: Int, named name: String, at place: String, part: String? = nil,
    on bus: String = "i2c-1", _ files: [String: String]
  ) throws {
    let parent = "devices/platform/\(bus)/\(place)"
    if let part { try write("\(part)\n", to: "\(parent)/name") }
    try write("\(name)\n", to: "\(parent)/iio:device\(number)/name")
    try write(files, in: "\(parent)/iio:device\(number)")
    try link(
      "../../../\(parent)/iio:device\(number)",
      at: "bus/iio/devices/iio:device\(number)")
  }

  func removeConverter(_ number: Int, at place: String) throws {
    try remove("bus/iio/devices/iio:device\(number)")
    try remove("devices/platform/i2c-1/\(place)")
  }

  /// A hardware monitor, whose parent is called `place`, belongs to `subsystem`, and is on `bus`.
  func addMonitor(
    _ number: Int, named name: String, at place: String, subsystem: String = "i2c",
    on bus: String = "i2c-1", _ files: [String: String]
  ) throws {
    let parent = "devices/platform/\(bus)/\(place)"
    try write("\(name)\n", to: "\(parent)/hwmon/hwmon\(number)/name")
    try write(files, in: "\(parent)/hwmon/hwmon\(number)")
    try link("../../../\(place)", at: "\(parent)/hwmon/hwmon\(number)/device")
    try link("../../../class/\(subsystem)", at: "\(parent)/subsystem")
    try link("../../\(parent)/hwmon/hwmon\(number)", at: "class/hwmon/hwmon\(number)")
  }
}

extension FakeTree {
  /// The chip with this number is a part of an expander at `place` on an I²C bus.
  func addExpander(_ number: Int, at place: String) throws {
    try link(
      "../../../devices/platform/i2c-1/\(place)/gpiochip\(number)",
      at: "bus/gpio/devices/gpiochip\(number)")
  }
}

/// What the kernel shows of one device: recorded, and named by the device and its condition.
struct Recording {
  let name: String
  let part: String?
  let files: [String: String]

  /// The data sheet's example (519888, 415148) on Linux 6.1.
  static let bme280On6_1 = Recording(
    name: "bme280", part: "bme280",
    files: [
      "in_temp_input": "25080\n", "in_pressure_input": "100.653253906\n",
      "in_humidityrelative_input": "45123\n", "in_temp_oversampling_ratio": "2\n",
    ])
  /// The same on Linux 6.12, which writes the decimals of the scale, and has raw numbers, too.
  static let bme280On6_12 = Recording(
    name: "bme280", part: "bme280",
    files: [
      "in_temp_input": "25080.000000000\n", "in_temp_raw": "519888\n",
      "in_pressure_input": "100.653253906\n", "in_humidityrelative_input": "45123.000000000\n",
    ])
  /// An ADS1115, which its driver calls so, too; 4.096 V are the end of its range.
  static let ads1115 = Recording(
    name: "ads1015", part: "ads1115",
    files: [
      "in_voltage0_raw": "16400\n", "in_voltage0_scale": "0.125000000\n",
      "in_voltage1_raw": "-3\n", "in_voltage1_scale": "0.125000000\n",
      "in_voltage0-voltage1_raw": "-800\n", "in_voltage0-voltage1_scale": "0.062500000\n",
    ])
  static let ads1115Saturated = Recording(
    name: "ads1015", part: "ads1115",
    files: ["in_voltage0_raw": "32767\n", "in_voltage0_scale": "0.125000000\n"])
  static let ads1015Saturated = Recording(
    name: "ads1015", part: "ads1015",
    files: ["in_voltage0_raw": "2047\n", "in_voltage0_scale": "2.000000000\n"])
  /// A converter on SPI with a reference of 3.3 V and one scale for all channels.
  static let mcp3008 = Recording(
    name: "mcp3008", part: nil,
    files: ["in_voltage3_raw": "512\n", "in_voltage_scale": "3.222656250\n"])
  /// The kernel's own example of a device.
  static let dummy = Recording(
    name: "bench", part: nil,
    files: [
      "in_voltage0_raw": "73\n", "in_voltage0_offset": "7\n", "in_voltage0_scale": "0.001333\n",
      "in_steps_input": "7\n",
    ])
  /// A board with 0.1 ohm, of which the kernel thinks that it has 0.01: 0.5 A flow.
  static let ina219 = Recording(
    name: "ina219", part: nil,
    files: [
      "in0_input": "50\n", "in1_input": "12613\n", "curr1_input": "5000\n",
      "power1_input": "63000000\n", "shunt_resistor": "10000\n",
    ])
  static let sht31 = Recording(
    name: "sht3x", part: nil,
    files: ["temp1_input": "-7532\n", "humidity1_input": "45123\n", "update_interval": "2000\n"])
}
