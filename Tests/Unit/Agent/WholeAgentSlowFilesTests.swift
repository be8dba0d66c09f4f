import Foundation
import PracticeHome
import TestRun
import Testing

extension WholeAgent {
  /// Drivers, buses and disks that do not answer.
  @Suite struct SlowFiles {}
}

extension WholeAgent.SlowFiles {
  /// A kind of file, one of which does not answer at first.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the path of the files holds.
    let word: String
    /// The files of the board, by their paths below it.
    let files: [String: String]
    /// More of the configuration, where FOLDER stands for the board's.
    var settings = ""
    var battery = "[BAT7, MARK]"
    var system = "off"
    /// What Home Assistant shows once they answer.
    let entity: String
    let state: String

    var testDescription: String { name }
  }

  static let kinds = [
    Kind(
      name: "a gauge", word: "power_supply/BAT9",
      files: [
        "sys/class/power_supply/BAT9/type": "Battery\n",
        "sys/class/power_supply/BAT9/capacity": "50\n",
      ],
      battery: "[BAT9, BAT7, MARK]", entity: "sensor.boat_bat9_capacity", state: "50"),
    Kind(
      name: "a thermal zone", word: "class/thermal",
      files: [
        "sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
        "sys/class/thermal/thermal_zone0/temp": "48000\n",
      ],
      system: "[cpu_temperature]", entity: "sensor.boat_processor_temperature", state: "48.0"),
    Kind(
      name: "a hardware monitor", word: "class/hwmon",
      files: [
        "sys/class/hwmon/hwmon0/name": "sht3x\n", "sys/class/hwmon/hwmon0/temp1_input": "21500\n",
      ],
      settings: "sensors: [{ hwmon: sht3x/temp1, name: Cabin }]", entity: "sensor.boat_cabin",
      state: "21.5"),
    Kind(
      name: "a converter", word: "bus/iio",
      files: [
        "sys/bus/iio/devices/iio:device0/name": "bme280\n",
        "sys/bus/iio/devices/iio:device0/in_temp_input": "21500\n",
      ],
      settings: "sensors: [{ iio: bme280/temp, name: Cabin }]", entity: "sensor.boat_cabin",
      state: "21.5"),
    Kind(
      name: "a thermometer", word: "bus/w1",
      files: ["sys/bus/w1/devices/28-0316a2796cff/temperature": "21500\n"],
      settings: "sensors: [{ one_wire: 28-0316a2796cff, name: Cabin }]",
      entity: "sensor.boat_cabin", state: "21.5"),
    Kind(
      name: "a network interface", word: "class/net",
      files: [
        "sys/class/net/wwan0/statistics/rx_bytes": "1000000\n",
        "sys/class/net/wwan0/statistics/tx_bytes": "2000000\n",
      ],
      settings: "sensors: [{ network: wwan0, name: LTE }]", entity: "sensor.boat_lte_sent",
      state: "2"),
    Kind(
      name: "a text file", word: "/tank", files: ["tank": "42\n"],
      settings: "sensors: [{ file: FOLDER/tank, name: Tank, unit: L, decimals: 0 }]",
      entity: "sensor.boat_tank", state: "42"),
    Kind(
      name: "procfs", word: "/proc-of-board",
      files: ["proc-of-board/loadavg": "0.20 1.18 10.02 1/80 11206\n"], system: "[load]",
      entity: "sensor.boat_load_5_minutes", state: "1.18"),
  ]

  /// The agent answers while no file of the kind does, and tells what it reads elsewhere.
  @Test(arguments: kinds)
  func whatDoesNotAnswerHoldsNothingElseUp(_ kind: Kind) async throws {
    let (home, board) = try homeAndBoard(battery: kind.battery)
    for (path, text) in kind.files { try board.write(text, to: path) }
    try board.configure("proc: /proc", "proc: \(board.path("proc-of-board"))")
    let settings = kind.settings.replacing("FOLDER", with: board.folder.path)
    try board.configure("system: off", "system: \(kind.system)\n\(settings)")
    try board.write("hang \(kind.word)\n", to: "orders")
    let agent = try RunningAgent(on: board, environment: try board.environmentWithSlowFiles())

    while shownCharge(in: home) != "83" { try await agent.event("proven") }
    #expect(try await AskedStatus(on: board, "--json").document.is_well)
    #expect(home.state(of: kind.entity) == nil)
    try await agent.expectToDeliver(charge: 82, to: home)

    try board.write("0 -\n", to: "orders")
    while home.state(of: kind.entity)?.state != kind.state { try await agent.event("proven") }
    #expect(await agent.stop().status == 0)
  }
}

extension Board {
  /// With this environment, programs wait for files as the file `orders` says.
  func environmentWithSlowFiles() throws -> [String: String] {
    let library = path("slowfiles.so")
    let object = RunningAgent.executable.deletingLastPathComponent()
      .appending(path: "SlowFiles.build/slowfiles.c.o")
    let arguments = ["-shared", "-o", library, object.path]
    try #require(try ChildProcess.run("cc", arguments, errors: .inherited) == 0)
    return ["LD_PRELOAD": library, "SLOWFILES": path("orders")]
  }
}
