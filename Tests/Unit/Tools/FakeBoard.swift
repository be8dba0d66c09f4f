import Board
import Foundation
import LinuxIO
import TestRun
import Testing

/// The folder of this repository.
let repository = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../..").standardizedFileURL

/// Returns the text of a file of this repository.
func readFile(_ path: String) throws -> String {
  try String(contentsOf: repository.appending(path: path), encoding: .utf8)
}

/// Returns the output of a program, which must succeed.
func output(of program: String, _ arguments: [String]) throws -> String {
  let pipe = Pipe()
  let child = try ChildProcess(program, arguments, output: .pipe(pipe))
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  #expect(child.waitUntilEnd() == 0, "\(program) \(arguments)")
  return String(decoding: output, as: UTF8.self)
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A folder for one test, which goes with its owner.
class TestFolder {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: folder) }

  var root: Path { Path([UInt8](folder.path.utf8)) }
  func url(_ name: String) -> URL { folder.appending(path: name) }
  func path(_ name: String) -> Path { root / [UInt8](name.utf8) }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(at: url(name), withIntermediateDirectories: true)
  }

  func write(_ text: String, to name: String) throws { try write([UInt8](text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let file = url(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(at: url(name)) }

  func text(of name: String) -> String? {
    (try? Data(contentsOf: url(name))).map { String(decoding: $0, as: UTF8.self) }
  }

  func mode(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url(name).path)[.posixPermissions] as? Int
  }

  func setMode(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url(name).path)
  }

  /// Only root can do this.
  func give(_ name: String, to user: uid_t, _ group: gid_t) throws {
    guard unsafe chown(url(name).path, user, group) == 0 else { throw POSIXError(.EPERM) }
  }
}

/// The files of a kernel, for one test: a folder that stands for sysfs.
final class FakeBoard: TestFolder {
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
