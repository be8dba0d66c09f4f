import Foundation
import Testing

extension WholeAgent {
  /// `homeward pins`, on a board with a device tree of its own.
  @Suite struct Pins {}
}

extension WholeAgent.Pins {
  private static let boardFile = """
    name: My board
    compatible: [maker-board]
    chips: [{ name: main, labels: [main-chip] }]
    functions: [{ name: i2c1, nodes: [/soc/i2c@0] }]
    headers:
      - name: J1
        pins:
          - { pin: 1, name: 3V3 }
          - { pin: 2, name: GPIO2, line: main/2, function: i2c1 SDA }
          - { pin: 3, name: GPIO3, line: main/3 }

    """

  private func configure(_ board: Board, _ settings: String) throws {
    try board.write(
      """
      home_assistant: { url: "http://127.0.0.1:1" }
      host: { sys: \(board.path("sys")), boards: \(board.path("boards")) }
      \(settings)
      """, to: "homeward.yaml")
  }

  private func board(_ compatible: String = "maker-board") throws -> Board {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try configure(board, "sensors: [{ gpio: PIN3, name: Bilge }]")
    try board.write(Self.boardFile, to: "boards/my.yaml")
    let tree = "sys/firmware/devicetree/base"
    try board.write("\(compatible)\0chip\0", to: "\(tree)/compatible")
    try board.write("i2c\0", to: "\(tree)/soc/i2c@0/name")
    return board
  }

  private func ending(on board: Board, _ options: String...) async throws -> RunningAgent.Ending {
    try await board.run("pins", options: options)
  }

  @Test func theBoardIsFoundAndDrawnWithWhatUsesIt() async throws {
    let ending = try await ending(on: board())
    #expect(ending.status == 0)
    #expect(ending.output.first == "My board")
    #expect(ending.output.contains { $0.hasSuffix("3V3   1 | 2   GPIO2         i2c1 SDA") })
    #expect(ending.output.contains { $0.contains("Bilge") && $0.contains("GPIO3   3 |") })
  }

  /// It got colours although `NO_COLOR` was set, and a terminal that has none got them, too.
  @Test(arguments: [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"]])
  func aTerminalWithoutColoursGetsNone(screen: [String: String]) async throws {
    let board = try board()
    let arguments = ["pins", "--config", board.configuration]
    let ending = try await TypedCommand(on: board, arguments, screen: screen).ending()
    #expect(ending.status == 0)
    #expect(ending.screen.contains("3V3") && !ending.screen.contains("\u{1B}"))
  }

  @Test func anotherBoardIsDrawnWithWhatTheConfigurationThatIsNamedUses() async throws {
    let board = try board("another")
    for name in ["my", board.path("boards/my.yaml")] {
      let ending = try await ending(on: board, "--board", name)
      #expect(ending.status == 0)
      #expect(ending.output.contains { $0.hasSuffix("(i2c1 SDA)") })
      #expect(ending.output.contains { $0.contains("Bilge") && $0.contains("GPIO3   3 |") })
    }
  }

  @Test func twoNamesOfOneLineAreRefusedWithTheirPlace() async throws {
    let board = try board()
    try configure(
      board,
      """
      sensors:
        - { gpio: PIN3, name: Bilge }
        - { pulses: GPIO3, name: Rain }
      """)
    for command in ["pins", "check", "run"] {
      let ending = try await board.run(command)
      #expect(ending.status == 78)
      let words =
        #"homeward.yaml:5:15: sensors[1].pulses: "GPIO3" is "PIN3", already used on line 4"#
      #expect((ending.log + ending.output).contains { $0.contains(words) }, "\(ending.log)")
    }
  }

  @Test func aPinThatIsNoLineSaysWhatItIs() async throws {
    let board = try board()
    try configure(
      board,
      """
      state_directory: \(board.path("state"))
      system: off
      battery: off
      sensors: [{ gpio: PIN1, name: Bilge }]
      """)
    let ending = try await board.run("check")
    let words = "\"PIN1\" is 3V3, not a GPIO line; sudo homeward pins shows the pins of this board"
    #expect(ending.output.contains("WRONG  configuration  Bilge: \(words)"), "\(ending.output)")
    #expect(ending.output.contains("         what to do   \(words)"))
    #expect(!ending.output.contains { $0.contains("gpioinfo") })
  }

  @Test func anUnknownBoardSaysWhatItIsAndWhatToDo() async throws {
    let ending = try await ending(on: board("another"))
    #expect(ending.status == 66)
    #expect(ending.output == [])
    #expect(ending.lines(with: "device tree contains another, chip; ").count == 1, "\(ending.log)")
    #expect(ending.lines(with: "how to write one into /etc/homeward/boards").count == 1)
  }

  @Test func anUnknownNameIsPutRight() async throws {
    let ending = try await ending(on: board(), "--board", "mi")
    #expect(ending.status == 66)
    #expect(
      ending.lines(with: "\"mi\" does not exist; did you mean \"my\"?").count == 1, "\(ending.log)")
  }

  @Test func aDamagedBoardFileIsToldWithItsPlace() async throws {
    let board = try board()
    try board.write(Self.boardFile + "more: 1\n", to: "boards/my.yaml")
    let ending = try await ending(on: board)
    #expect(ending.status == 78)
    #expect(ending.lines(with: "boards/my.yaml:11:1: unknown key \"more\"").count == 1)
  }

  @Test func aBoardWithoutAConfigurationHasPinsToo() async throws {
    let board = try board()
    let ending = try await RunningAgent(
      on: board, ["pins", "--board", board.path("boards/my.yaml"), "--json"]
    ).ending()
    #expect(ending.status == 0)
    #expect(ending.output.first?.hasPrefix("{\"board\":\"My board\",\"headers\":[") == true)
  }
}
