import Foundation
import Testing

extension WholeAgent {
  /// `homeward sensors`, on a board with a kernel of its own.
  @Suite struct Sensors {}
}

extension WholeAgent.Sensors {
  private func board(_ settings: String = "") throws -> Board {
    let board = try Board(
      reportingTo: "http://127.0.0.1:1", token: nil, battery: "auto", settings: settings)
    try board.write("bme280\n", to: "sys/bus/iio/devices/iio:device0/name")
    try board.write("25080\n", to: "sys/bus/iio/devices/iio:device0/in_temp_input")
    return board
  }

  private func ending(on board: Board, _ options: String...) async throws -> RunningAgent.Ending {
    try await board.run("sensors", options: options)
  }

  @Test func whatThereIsIsShownWithItsValueAndItsLine() async throws {
    let ending = try await ending(on: board())
    #expect(ending.status == 0)
    #expect(ending.log == [])
    let lines = ending.output
    let index = try #require(lines.firstIndex(of: "  bme280/temp: 25.1 °C"), "\(lines)")
    #expect(lines[index + 1] == "    - { iio: bme280/temp, name: bme280 temperature }")
    #expect(lines.contains("  BAT7: capacity 83 %"))
    #expect(!lines.contains { $0.contains("\u{1B}") })
  }

  @Test func whatIsReportedIsMarked() async throws {
    let board = try board("sensors: [{ iio: bme280/temp, name: Cabin }]")
    #expect(try await ending(on: board).output.contains("    in the configuration as \"Cabin\""))
  }

  @Test(arguments: ["sensors", "pins"])
  func aNamedConfigurationThatIsMissingIsToldWithTheNextStep(command: String) async throws {
    let board = try board()
    let none = board.path("none.yaml")
    let ending = try await RunningAgent(on: board, [command, "--config", none]).ending()
    #expect(ending.status == 66)
    #expect(ending.output == [])
    #expect(
      ending.lines(with: "to create it, run: sudo homeward pair --config \(none)").count == 1,
      "\(ending.log)")
  }

  @Test func theNextStepNamesTheConfiguration() async throws {
    let board = try board()
    #expect(
      try await ending(on: board).output.last?.hasSuffix(
        "then: sudo homeward check --config \(board.configuration)") == true)
  }

  @Test func scriptsGetOneLine() async throws {
    let ending = try await ending(on: board(), "--json")
    #expect(ending.status == 0)
    #expect(ending.output.count == 1)
    #expect(ending.output.first?.hasPrefix("{\"kinds\":[{\"key\":\"battery\",") == true)
  }

  @Test func aConfigurationThatIsWrongIsTold() async throws {
    let board = try board("sensors: [{ iio: bme280/temp }]")
    let ending = try await ending(on: board)
    #expect(ending.status == 78)
    #expect(ending.lines(with: "\"name\" is missing").count == 1)
  }
}
