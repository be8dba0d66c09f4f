import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class GPIOLineUsesTests: DriverSuite {
  private var uses: GPIOLineUses {
    GPIOLineUses(in: GPIOChips(devices: tree.path, sys: tree.path))
  }

  private func makeLine(chip: Int, name: String = "GPIO17") -> FakeLine {
    FakeLine(tree.path / [UInt8]("gpiochip\(chip)".utf8), name: name)
  }

  @Test func aLineIsTakenWhileItIsHeldAndSaysByWhom() {
    let fake = makeLine(chip: 3)
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

  @Test func aLineIsFoundByTheParentOfItsChip() throws {
    let fakes = [makeLine(chip: 2, name: "A"), makeLine(chip: 3, name: "B")]
    try tree.addExpander(2, at: "1-0020")
    try tree.addExpander(3, at: "1-0021")
    let address = GPIOLineAddress.chip(label: [UInt8]("1-0021".utf8), offset: 17)
    #expect(uses.line(at: address)?.name == [UInt8]("B".utf8))
    #expect(uses.line(at: address)?.parent == [UInt8]("1-0021".utf8))
    withExtendedLifetime(fakes) {}
  }

  @Test func aChipThatMayNotBeOpenedIsKnownToBeLeftOut() {
    let fake = makeLine(chip: 3)
    fake.refuseToOpen(13)  // EACCES
    #expect(uses.lines.isEmpty)
    #expect(uses.isIncomplete)
    fake.refuseToOpen(2)  // ENOENT: it left meanwhile.
    #expect(!uses.isIncomplete)
  }

  @Test func aLineThatTheKernelDoesNotTellOfIsKnownToBeLeftOut() {
    let fake = makeLine(chip: 3)
    fake.refuseToTell(19)  // ENODEV
    #expect(uses.lines.count == 17)
    #expect(uses.isIncomplete)
    fake.refuseToTell(0)
    #expect(uses.lines.count == 18)
    #expect(!uses.isIncomplete)
  }
}
