import Drivers
import LinuxIO
import Sensing
import Testing

@Suite final class GPIOLineUsesTests {
  private let tree: FakeTree

  init() throws { tree = try FakeTree() }

  private var uses: GPIOLineUses { GPIOLineUses(in: tree.path) }

  private func makeLine(chip: Int, name: String = "GPIO17") throws -> FakeLine {
    try tree.write("", to: "gpiochip\(chip)")
    return FakeLine(tree.path / [UInt8]("gpiochip\(chip)".utf8), name: name)
  }

  @Test func aLineIsTakenWhileItIsHeldAndSaysByWhom() throws {
    let fake = try makeLine(chip: 3)
    func line(isTaken: Bool, consumer: String) -> GPIOLineUse {
      GPIOLineUse(
        chip: [UInt8]("pinctrl-fake".utf8), offset: 17, name: [UInt8]("GPIO17".utf8),
        isTaken: isTaken, consumer: [UInt8](consumer.utf8))
    }
    #expect(uses.lines.count == 18, "the lines before it have no names")
    #expect(uses.line(at: .name([UInt8]("GPIO17".utf8))) == line(isTaken: false, consumer: ""))
    fake.hold(as: "pump")
    let address = GPIOLineAddress.chip(label: [UInt8]("pinctrl-fake".utf8), offset: 17)
    #expect(uses.line(at: address) == line(isTaken: true, consumer: "pump"))
    #expect(!uses.isIncomplete)
  }

  @Test func aChipThatMayNotBeOpenedIsKnownToBeLeftOut() throws {
    let fake = try makeLine(chip: 3)
    fake.refuseToOpen(13)  // EACCES
    #expect(uses.lines.isEmpty)
    #expect(uses.isIncomplete)
    fake.refuseToOpen(2)  // ENOENT: it left meanwhile.
    #expect(!uses.isIncomplete)
  }

  /// For the examples in a configuration.
  @Test func theNamesOfTheBoardsLinesAreThoseThatCanBeTyped() throws {
    let chips = [(9, "ID_SDA"), (10, "GPIO17"), (2, "two words"), (3, "-"), (4, "a/b"), (5, "°C")]
    let fakes = try chips.map { try makeLine(chip: $0, name: $1) }
    try tree.write("", to: "gpiochip1")  // This file is no chip.
    func names(countMax: Int) -> [String] { uses.names(countMax: countMax).map(string) }
    #expect(names(countMax: 8) == ["ID_SDA", "GPIO17"])
    #expect(names(countMax: 1) == ["ID_SDA"])
    withExtendedLifetime(fakes) {}
  }
}
