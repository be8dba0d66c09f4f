import Board
import Foundation

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The files of a kernel, for one test: a folder that stands for sysfs and goes with its owner.
final class FakeBoard {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ text: String, to name: String) throws { try write([UInt8](text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  /// An Industrial IO device with these files.
  func addConverter(_ number: Int, named name: [UInt8], _ files: [String: [UInt8]]) throws {
    let device = "bus/iio/devices/iio:device\(number)"
    try write(name + [0x0A], to: "\(device)/name")
    for (file, text) in files { try write(text, to: "\(device)/\(file)") }
  }

  /// What a board has of most kinds.
  func addUsual() throws {
    try write("Battery\n", to: "class/power_supply/BAT0/type")
    try write("83\n", to: "class/power_supply/BAT0/capacity")
    try write("Full\n", to: "class/power_supply/BAT0/status")
    try write("cpu-thermal\n", to: "class/thermal/thermal_zone0/type")
    try write("45123\n", to: "class/thermal/thermal_zone0/temp")
    try write("21312\n", to: "bus/w1/devices/28-0316a2796cff/temperature")
    try addConverter(0, named: [UInt8]("bme280".utf8), ["in_temp_input": [UInt8]("25080\n".utf8)])
    try write("sht3x\n", to: "class/hwmon/hwmon0/name")
    try write("-7532\n", to: "class/hwmon/hwmon0/temp1_input")
    for (file, text) in [
      ("type", "512"), ("statistics/rx_bytes", "12345678"), ("statistics/tx_bytes", "1000000"),
    ] {
      try write(text, to: "class/net/ppp0/\(file)")
    }
  }

  /// A configuration of this board.
  func configuration(_ more: String = "") throws -> Configuration {
    let text = "home_assistant: { url: http://localhost }\nhost: { sys: \(folder.path) }\n\(more)"
    return try Configuration.parse([UInt8](text.utf8))
  }
}
