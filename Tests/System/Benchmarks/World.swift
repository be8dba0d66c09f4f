import Foundation

/// The board that is measured on: a battery, a charger, a thermal zone and the kernel's figures,
/// as files whose values all change from cycle to cycle. So every cycle sends every value, and
/// what is counted does not depend on the machine.
struct World {
  /// What the files below give: 5 of the battery, 1 of the charger, the temperature, 3 loads,
  /// memory, uptime, and the disk.
  static let sensors = 13
  static let cycleSeconds = 10

  let directory: URL
  /// Whether the board has sensors of all kinds besides.
  let isMixed: Bool
  /// Whether its plug is pulled and set in each cycle; that is urgent, and waits for no upload.
  private let isPlugMoving: Bool
  var sensors: Int { isMixed ? Self.mixedSensors : Self.sensors }
  var proc: URL { directory.appending(path: "proc") }
  var sys: URL { directory.appending(path: "sys") }
  var token: URL { directory.appending(path: "token") }

  init(in directory: URL, isMixed: Bool = false, isPlugMoving: Bool = true) throws {
    self.directory = directory
    self.isMixed = isMixed
    self.isPlugMoving = isPlugMoving
    // The home is another one each time, and does not know the agent of the last one.
    try? FileManager.default.removeItem(at: directory.appending(path: "state"))
    try write("practice", to: token)
    try write("Battery\n", to: battery("type"))
    try write("Mains\n", to: charger("type"))
    try write("cpu-thermal\n", to: zone("type"))
    if isMixed { try makeMixedDevices() }
    try turn(to: 0)
  }

  /// Gives every file the values of cycle `number`, in place, as a kernel does.
  func turn(to number: Int) throws {
    let step = number % 40
    try write("\(90 - step)\n", to: battery("capacity"))
    let isOdd = !step.isMultiple(of: 2)
    try write(isPlugMoving && isOdd ? "Not charging\n" : "Discharging\n", to: battery("status"))
    try write("\(12_900_000 - step * 20_000)\n", to: battery("voltage_now"))
    try write("\(1_250_000 + step * 100_000)\n", to: battery("current_now"))
    try write("\(60_000_000 - step * 200_000)\n", to: battery("energy_now"))
    try write(isPlugMoving && !isOdd ? "1\n" : "0\n", to: charger("online"))
    try write("\(41_000 + step * 1_100)\n", to: zone("temp"))
    let load =
      "\(step / 10).\(step % 10)0 1\(step / 10).\(step % 10)0 2\(step / 10).\(step % 10)0 1/80 11206\n"
    try write(load, to: proc.appending(path: "loadavg"))
    try write(
      """
      MemTotal:         948304 kB
      MemFree:          107316 kB
      MemAvailable:     \(508_000 + step * 10_000) kB
      Buffers:           54664 kB

      """, to: proc.appending(path: "meminfo"))
    let uptime = 350_735 + number * Self.cycleSeconds
    try write("\(uptime).47 234388.90\n", to: proc.appending(path: "uptime"))
    if isMixed { try turnMixedDevices(to: step) }
  }

  /// Writes a configuration of the agent, with a state of its own, and tells where it is.
  func makeConfiguration(_ lines: String, home: String, gpsdPort: Int?) throws -> URL {
    let file = directory.appending(path: "homeward.yaml")
    try write(
      """
      \(lines)
      state_directory: \(directory.appending(path: "state").path)
      home_assistant: { \(home), token_file: \(token.path) }
      device: { name: \(Contestant.agent.device) }
      location: \(gpsdPort.map { "{ source: gpsd, port: \($0) }" } ?? "off")
      battery: auto
      host: { proc: \(proc.path), sys: \(sys.path) }

      """, to: file)
    return file
  }

  private func battery(_ attribute: String) -> URL {
    sys.appending(path: "class/power_supply/BAT0/\(attribute)")
  }

  private func charger(_ attribute: String) -> URL {
    sys.appending(path: "class/power_supply/AC/\(attribute)")
  }

  private func zone(_ attribute: String) -> URL {
    sys.appending(path: "class/thermal/thermal_zone0/\(attribute)")
  }

  func write(_ text: String, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}
