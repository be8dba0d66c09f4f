@testable import Board
import Sensing
import Testing
import YAML

private let file = """
  name: My board
  compatible: [maker-board]
  chips: [{ name: main, labels: [main-chip, old-chip] }, { name: side }]
  headers:
    - name: J1
      pins:
        - { pin: 1, name: 3V3 }
        - { pin: 2, name: GPIO2, also: [SDA1], line: main/2 }
        - { pin: 3, name: S_3, also: ["S_3 [uart]"], line: side/7 }
        - { pin: 4, name: GPIO2, line: main/2 }
  """
private let second = "\n  - { name: J2, pins: [{ pin: 1, name: GPIO9, line: main/9 }] }"

@Suite struct BoardPinsTests {
  private func addresses(_ name: String, in text: String = file) throws -> [String] {
    let pins = BoardPins(try BoardFile.parse([UInt8](text.utf8)))
    return try pins.addresses(of: .name([UInt8](name.utf8))).map {
      String(decoding: $0.text, as: UTF8.self)
    }
  }

  @Test func theKernelsNameComesFirstAndThenTheChip() throws {
    #expect(try addresses("GPIO2") == ["GPIO2", "main-chip/2", "old-chip/2"])
    #expect(try addresses("SDA1") == ["SDA1", "main-chip/2", "old-chip/2"])
  }

  @Test func aPinOfTheOnlyHeaderIsFoundByItsNumber() throws {
    #expect(try addresses("PIN2") == ["PIN2", "main-chip/2", "old-chip/2"])
    #expect(try addresses("J1_2") == ["J1_2", "main-chip/2", "old-chip/2"])
    #expect(try addresses("PIN5") == ["PIN5"])
    #expect(try addresses("PIN02") == ["PIN02"])
  }

  @Test func aNumberAloneIsNoPinWhereThereAreTwoHeaders() throws {
    #expect(try addresses("PIN2", in: file + second) == ["PIN2"])
    #expect(try addresses("J2_1", in: file + second) == ["J2_1", "main-chip/9", "old-chip/9"])
  }

  @Test func aLineOfAChipWithoutALabelIsFoundByItsOtherNames() throws {
    #expect(try addresses("S_3") == ["S_3", "S_3 [uart]"])
    #expect(try addresses("PIN3") == ["PIN3", "S_3", "S_3 [uart]"])
  }

  @Test(arguments: [
    ("GPIO 2", "GPIO2"), ("gpio2", "GPIO2"), ("Gpio_2", "GPIO2"), ("BCM2", "GPIO2"),
    ("bcm 2", "GPIO2"),
    ("sda-1", "GPIO2"), ("pin 2", "GPIO2"), ("Pin2", "GPIO2"), ("j1-2", "GPIO2"), ("J1.3", "S_3"),
    ("pin 1", nil), ("GPIO3", nil), ("BCM", nil), ("", nil), ("°", nil), ("2", nil),
  ])
  func aNameThatIsWrittenInAnotherWayIsMeant(_ written: String, _ expected: String?) throws {
    let board = try BoardFile.parse([UInt8](file.utf8))
    #expect(
      board.nameMeant(by: [UInt8](written.utf8)).map { String(decoding: $0, as: UTF8.self) }
        == expected)
  }

  @Test func aPinThatIsNoLineIsRefused() throws {
    let pins = BoardPins(try BoardFile.parse([UInt8](file.utf8)))
    do {
      _ = try pins.addresses(of: .name([UInt8]("PIN1".utf8)))
      Issue.record("3V3 was taken for a line")
    } catch {
      #expect(
        String(decoding: error.problem.bytes, as: UTF8.self) == "\"PIN1\" is 3V3, not a GPIO line")
    }
  }

  @Test func whatIsNotOfTheBoardIsTheKernelsBusiness() throws {
    #expect(try addresses("GPIO99") == ["GPIO99"])
    #expect(try addresses("3V3") == ["3V3"])
    let chip = GPIOLineAddress.chip(label: [UInt8]("main-chip".utf8), offset: 2)
    #expect(try BoardPins(BoardFile.parse([UInt8](file.utf8))).addresses(of: chip) == [chip])
    #expect(try BoardPins(nil).addresses(of: .name([UInt8]("PIN2".utf8))).count == 1)
  }

  @Test func aLineIsAtAllItsPins() throws {
    let board = try BoardFile.parse([UInt8](file.utf8))
    func pins(_ address: GPIOLineAddress) -> [Int] { board.places(of: address).map { $0.pin + 1 } }
    #expect(pins(.name([UInt8]("SDA1".utf8))) == [2, 4])
    #expect(pins(.name([UInt8]("PIN4".utf8))) == [2, 4])
    #expect(pins(.name([UInt8]("PIN1".utf8))) == [1])
    #expect(pins(.chip(label: [UInt8]("old-chip".utf8), offset: 2)) == [2, 4])
    #expect(pins(.chip(label: [UInt8]("old-chip".utf8), offset: 3)) == [])
    #expect(pins(.chip(label: [UInt8]("side".utf8), offset: 7)) == [])
  }
}
