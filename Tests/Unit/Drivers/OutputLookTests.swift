import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// A check of an output, which must not start a pump.
@Suite final class OutputLookTests: DriverSuite {
  private lazy var context = SourceContext(in: tree.path, loop, sink, supervisor)

  private func makeFake() -> FakeLine { FakeLine(tree.path / "gpiochip3", name: "GPIO22") }

  private func makeLook(_ line: String = "GPIO22") -> OutputLook {
    OutputLook(
      OutputSettings(
        address: .name([UInt8](line.utf8)), entity: EntitySettings(name: [UInt8]("Pump")),
        safe: .active), context)
  }

  private var recorded: Value? { sink.values["output_gpio22"] }

  @Test func aLineThatIsFreeIsNeitherAskedForNorSwitched() {
    let fake = makeFake()
    let look = makeLook()
    #expect(look.failure() == nil)
    #expect(fake.flags == 0, "no program asked for the line")
    #expect(!fake.outputLevel, "its safe state is on, and it stays off")
    #expect(recorded == .text(InlineText("free; a check does not switch it")))
    #expect(look.holder == nil)
  }

  @Test func aLineThatIsHeldIsInUseByItsHolder() {
    let fake = makeFake()
    fake.hold(as: "pumpd")
    let look = makeLook()
    #expect(look.failure() == "busy GPIO22")
    #expect(recorded == .unavailable)
    #expect(look.holder == InlineText("pumpd"))
    #expect(fake.flags == 0)
  }

  @Test func aLineThatIsNotThereIsMissing() {
    let fake = makeFake()
    #expect(makeLook("GPIO23").failure() == "missing GPIO23")
    withExtendedLifetime(fake) {}
  }

  @Test func aChipThatMayNotBeAskedMayHaveTheLine() {
    let device = tree.path / "gpiochip3"
    let fake = FakeLine(device, name: "GPIO22")
    fake.refuseToOpen(EACCES)
    #expect(makeLook().failure() == "not permitted \(string(InlineText(device.bytes.span)))")
    #expect(recorded == .unavailable)
  }

  @Test func aContextThatChangesNothingMakesLooks() throws {
    let settings = OutputSettings(
      address: .name([UInt8]("GPIO22")), entity: EntitySettings(name: [UInt8]("Pump")))
    #expect(!context.changesNothing)
    #expect(settings.look(context).name == InlineText("GPIO22"))
  }
}
