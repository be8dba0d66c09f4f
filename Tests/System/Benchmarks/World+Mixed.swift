import Foundation

/// What the mixed board has besides: converters, monitors, thermometers on 1-Wire, a modem, and
/// files of other programs.
extension World {
  /// Of Industrial IO 6, of monitors 5, of 1-Wire 4, of the modem 2, of files 2.
  static let mixedSensors = sensors + 19
  /// Values that are files of the kernel, each of which may take one `pread(2)`: all but the disk
  /// and the two files of other programs, and the three loads are one.
  static let mixedKernelFiles = mixedSensors - 5
  /// Files that are opened anew, as the program that writes them may have put a new one there.
  static let mixedTextFiles = 2

  private static let thermometers = (1...4).map { "28-00000000000\($0)" }

  /// The sensors of a configuration.
  var mixedEntries: String {
    guard isMixed else { return "" }
    let kernel = [
      "iio: bme280/temp", "iio: bme280/humidityrelative", "iio: bme280/pressure",
      "iio: ads1015/voltage0", "iio: ads1015/voltage1", "iio: ads1015/voltage2",
      "hwmon: sht3x/temp1", "hwmon: sht3x/humidity1", "hwmon: ina219/in1",
      "hwmon: ina219/curr1, shunt: 0.1", "hwmon: ina219/power1, shunt: 0.1", "network: wwan0",
      "file: \(tank("a").path), unit: L", "file: \(tank("b").path), pattern: \"level=*\"",
    ]
    let entries = kernel + Self.thermometers.map { "one_wire: \($0)" }
    return "sensors:\n"
      + entries.enumerated().map { "  - { \($1), name: Sensor \($0) }" }.joined(separator: "\n")
  }

  func makeMixedDevices() throws {
    try write("bme280\n", to: converter(0, "name"))
    try write("ads1015\n", to: converter(1, "name"))
    for channel in 0...2 { try write("0.125\n", to: converter(1, "in_voltage\(channel)_scale")) }
    try write("sht3x\n", to: monitor(0, "name"))
    try write("ina219\n", to: monitor(1, "name"))
    try write("10000\n", to: monitor(1, "shunt_resistor"))
    try write("7\n", to: modem("ifindex"))
  }

  func turnMixedDevices(to step: Int) throws {
    try write("\(20_000 + step * 500).000000000\n", to: converter(0, "in_temp_input"))
    try write("\(40_000 + step * 1_000)\n", to: converter(0, "in_humidityrelative_input"))
    try write("10\(step % 10).25\n", to: converter(0, "in_pressure_input"))
    for channel in 0...2 {
      try write("\(8_000 + step * 400 + channel)\n", to: converter(1, "in_voltage\(channel)_raw"))
    }
    try write("\(21_000 + step * 500)\n", to: monitor(0, "temp1_input"))
    try write("\(50_000 + step * 1_000)\n", to: monitor(0, "humidity1_input"))
    try write("\(12_000 + step * 100)\n", to: monitor(1, "in1_input"))
    try write("\(1_000 + step * 1_000)\n", to: monitor(1, "curr1_input"))
    try write("\(10_000_000 + step * 50_000_000)\n", to: monitor(1, "power1_input"))
    for (number, part) in Self.thermometers.enumerated() {
      try write(
        "\(15_000 + number * 1_000 + step * 500)\n",
        to: sys.appending(path: "bus/w1/devices/\(part)/temperature"))
    }
    try write("\(step * 5_000_000)\n", to: modem("statistics/rx_bytes"))
    try write("\(step * 3_000_000)\n", to: modem("statistics/tx_bytes"))
    try write("\(step * 7)\n", to: tank("a"))
    try write("pump=on level=\(step * 3) L\n", to: tank("b"))
  }

  private func converter(_ number: Int, _ file: String) -> URL {
    sys.appending(path: "bus/iio/devices/iio:device\(number)/\(file)")
  }

  private func monitor(_ number: Int, _ file: String) -> URL {
    sys.appending(path: "class/hwmon/hwmon\(number)/\(file)")
  }

  private func modem(_ file: String) -> URL { sys.appending(path: "class/net/wwan0/\(file)") }

  private func tank(_ name: String) -> URL { directory.appending(path: "tank-\(name)") }
}
