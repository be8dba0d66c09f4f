import Board
import Foundation
import LinuxIO
import Sensing
import Testing
import YAML

@testable import Drivers
@testable import Tools

private let file = """
  name: My board
  compatible: [maker-board]
  chips: [{ name: main, labels: [main-chip] }, { name: side }]
  functions: [{ name: i2c1, nodes: [/soc/old, /soc/new] }]
  headers:
    - name: J1
      pins:
        - { pin: 1, name: 3V3 }
        - { pin: 2, name: GPIO2, also: [SDA1], line: main/2, function: i2c1 SDA }
        - { pin: 3, name: S_3, also: ["S_3 [uart]"], line: side/7 }
        - { pin: 4, name: GPIO4, line: main/4 }
        - { pin: 5, name: A_NAME_THAT_IS_LONG, line: main/5 }
  """

private func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

/// What the kernel says, and what the configuration wants.
private struct Machine {
  var surroundings = PinReport.Surroundings()

  func configured(_ address: GPIOLineAddress, _ name: String) -> Machine {
    var machine = self
    machine.surroundings.configured.append((address, bytes(name)))
    return machine
  }

  func configured(_ pin: String, _ name: String) -> Machine {
    configured(.name(bytes(pin)), name)
  }

  /// A line of the kernel.
  func line(_ chip: String, _ offset: UInt32, name: String = "", consumer: String) -> Machine {
    var machine = self
    let line = GPIOLineUse(
      chip: bytes(chip), offset: offset, name: bytes(name), isTaken: true, consumer: bytes(consumer)
    )
    machine.surroundings.lines = GPIOLineUses(
      lines: surroundings.lines.lines + [line], isIncomplete: false)
    return machine
  }

  func tree(of board: FakeBoard) throws -> Machine {
    var machine = self
    machine.surroundings.tree = try DeviceTree(of: board.root)
    return machine
  }

  func report() throws -> BoardReport {
    BoardReport(try BoardFile.parse(bytes(file)), in: surroundings)
  }

  func words(_ pin: Int) throws -> String { text(try report().headers[0].pins[pin - 1].words) }

  func conflict(_ pin: Int) throws -> String? {
    try report().headers[0].pins[pin - 1].conflict.map { text($0.bytes) }
  }
}

@Suite struct PinsTests {
  @Test func aBoardIsDrawnWithItsPinNumbersInTheMiddle() throws {
    let drawing = text(try Machine().report().lines(isColoured: false))
    #expect(
      drawing == """
        My board

        J1
                                       3V3   1 | 2   GPIO2         (i2c1 SDA)
                                       S_3   3 | 4   GPIO4
                              A_NAME_THAT…   5 |

        """)
  }

  @Test func aLineFitsATerminal() throws {
    let long = String(repeating: "Ä", count: 64)
    let machine = Machine().configured("GPIO2", long).configured("S_3", long)
    let drawing = text(try machine.report().lines(isColoured: false))
    let rows = drawing.split(separator: "\n").filter { $0.contains("|") }
    #expect(rows.count == 3)
    for row in rows { #expect(row.count <= 80) }
    #expect(drawing.contains("Ä… "))
  }

  @Test func aPinIsUsedByWhatTheConfigurationHasThereAndByThatWhichHoldsItsLine() throws {
    let free = Machine()
    let chip = GPIOLineAddress.chip(label: bytes("main-chip"), offset: 4)
    for (machine, pin, words) in [
      (free.configured("PIN4", "Bilge"), 4, "Bilge"),
      (free.configured("GPIO4", "Bilge"), 4, "Bilge"), (free.configured(chip, "Bilge"), 4, "Bilge"),
      (free.configured("GPIO2", "Bilge"), 4, ""),
      (free.line("main-chip", 4, consumer: "onewire@0"), 4, "onewire@0"),
      (free.line("main-chip", 4, consumer: ""), 4, "taken"),
      (free.line("other-chip", 4, consumer: "cd"), 4, ""),
      (free.line("main-chip", 5, consumer: "cd"), 4, ""),
      // A line of a chip without a label is found by its name.
      (free.line("gpio-0-31", 7, name: "S_3 [uart]", consumer: "cd"), 3, "cd"),
    ] { #expect(try machine.words(pin) == words) }
  }

  @Test func theAgentsOwnHoldIsNothingBesides() throws {
    let machine = Machine().configured("GPIO4", "Bilge")
    let held = machine.line("main-chip", 4, consumer: "homeward")
    #expect(try held.words(4) == "Bilge")
    #expect(try held.conflict(4) == nil)
    let other = machine.line("main-chip", 4, consumer: "cd")
    #expect(try other.words(4) == "Bilge, cd")
    #expect(try other.conflict(4) == "pin 4: \"Bilge\" cannot be read while \"cd\" uses the line")
    #expect(try Machine().line("main-chip", 4, consumer: "homeward").words(4) == "homeward")
  }

  @Test func anEnabledControllerUsesItsLines() throws {
    let board = FakeBoard()
    let node = "firmware/devicetree/base/soc/new"
    try board.write("i2c\0", to: "\(node)/name")
    try board.write("disabled\0", to: "\(node)/status")
    let machine = try Machine().tree(of: board)
    #expect(try machine.words(2) == "(i2c1 SDA)")
    let wanted = machine.configured("GPIO2", "Bilge")
    #expect(try wanted.words(2) == "Bilge")
    #expect(try wanted.conflict(2) == nil)
    try board.write("okay\0", to: "\(node)/status")
    #expect(try machine.words(2) == "i2c1 SDA")
    #expect(try wanted.words(2) == "Bilge, i2c1 SDA")
    #expect(try wanted.conflict(2) == "pin 2: \"Bilge\" uses a line of i2c1 SDA, which is enabled")
  }

  @Test func whatTwoWantIsSaid() throws {
    let twice = Machine().configured("GPIO4", "Bilge").configured("PIN4", "Hatch")
    #expect(try twice.conflict(4) == "pin 4: \"Bilge\" and \"Hatch\" use the same line")
    #expect(
      text(try twice.report().lines(isColoured: false)).hasSuffix(
        "\nJ1 pin 4: \"Bilge\" and \"Hatch\" use the same line\n"))
    let supply = Machine().configured("PIN1", "Bilge")
    #expect(try supply.conflict(1) == "pin 1: \"Bilge\" is at 3V3, which is not a GPIO line")
    #expect(try Machine().configured("GPIO4", "Bilge").conflict(4) == nil)
  }

  @Test func aTerminalIsShownColours() throws {
    let drawing = text(try Machine().configured("GPIO4", "Bilge").report().lines(isColoured: true))
    #expect(drawing.contains("\u{1B}[31m3V3\u{1B}[0m"))
    #expect(drawing.contains("\u{1B}[1mGPIO4\u{1B}[0m"))
    #expect(drawing.contains("| 2   GPIO2"))
    #expect(!text(try Machine().report().lines(isColoured: false)).contains("\u{1B}"))
  }

  @Test func scriptsGetAllOfIt() throws {
    let machine = Machine().configured("GPIO4", "Bilge").line("main-chip", 4, consumer: "cd")
    let json = try machine.report().json
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    #expect(object["board"] as? String == "My board")
    let headers = try #require(object["headers"] as? [[String: Any]])
    #expect(headers[0]["name"] as? String == "J1")
    let pins = try #require(headers[0]["pins"] as? [[String: Any]])
    #expect(pins[0].keys.sorted() == ["names", "pin"])
    #expect(pins[1]["names"] as? [String] == ["GPIO2", "SDA1"])
    #expect(pins[1]["function"] as? String == "i2c1 SDA")
    #expect(pins[1]["is_function_enabled"] is NSNull)
    #expect(pins[3]["chip"] as? String == "main-chip")
    #expect(pins[3]["line"] as? Int == 4)
    #expect(pins[3]["configured"] as? [String] == ["Bilge"])
    #expect(pins[3]["is_taken"] as? Bool == true)
    #expect(pins[3]["consumer"] as? String == "cd")
    #expect(pins[2]["chip"] == nil)
  }
}
