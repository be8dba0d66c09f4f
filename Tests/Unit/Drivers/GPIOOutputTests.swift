import Bytes
import CLinux
import FakeGPIO
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class GPIOOutputTests: DriverSuite {
  private func makeOutput(
    maxOn: Duration? = nil, isActiveLow: Bool = false, safe: Level = .inactive
  ) -> GPIOOutput {
    let settings = OutputSettings(
      address: .name([UInt8]("GPIO22")), entity: EntitySettings(name: [UInt8]("Pump")),
      maxOn: maxOn, isActiveLow: isActiveLow, safe: safe)
    let output = GPIOOutput(
      settings, chips: GPIOChips(devices: tree.path), sink: sink, supervisor: supervisor)
    supervisor.add(output)
    return output
  }

  private func makeFake() -> FakeLine { FakeLine(tree.path / "gpiochip3", name: "GPIO22") }

  /// A line and an output that has it.
  private func start(maxOn: Duration? = nil, safe: Level = .inactive) -> (FakeLine, GPIOOutput) {
    let (fake, output) = (makeFake(), makeOutput(maxOn: maxOn, safe: safe))
    supervisor.sample(at: at(seconds: 0))
    return (fake, output)
  }

  private var recorded: Value? { sink.values["output_gpio22"] }

  @Test(arguments: [(Level.inactive, false), (.active, true)])
  func aLineIsSafeFromItsFirstMoment(safe: Level, isOn: Bool) {
    let fake = makeFake()
    fake.level = !isOn
    _ = makeOutput(safe: safe)
    supervisor.sample(at: at(seconds: 0))
    #expect(fake.flags == flag(GPIO_V2_LINE_FLAG_OUTPUT))
    #expect(fake.outputLevel == isOn)
    #expect(recorded == .boolean(isOn))
    #expect(sink.sensors.first?.kind == .binarySensor)
    #expect(sink.reports.isEmpty)
  }

  @Test func anOutputThatIsActiveLowIsAskedForAsThat() {
    let fake = makeFake()
    _ = makeOutput(isActiveLow: true)
    supervisor.sample(at: at(seconds: 0))
    #expect(
      fake.flags == flag(GPIO_V2_LINE_FLAG_OUTPUT) | flag(GPIO_V2_LINE_FLAG_ACTIVE_LOW))
  }

  /// Another one is stopped, and its line goes to the safe level.
  @Test func anOutputThatNeverGotItsLineIsStillTheSame() {
    let former = makeOutput()
    #expect(makeOutput().takeLine(of: former))
    #expect(!makeOutput(safe: .active).takeLine(of: former))
  }

  @Test func aCommandIsDoneAndReadBackAtOnce() {
    let fake = makeFake()
    let output = makeOutput()
    #expect(!output.switchOn(at: at(seconds: 0)), "there is no line yet")
    supervisor.sample(at: at(seconds: 1))
    #expect(!fake.outputLevel)
    #expect(output.switchOn(at: at(seconds: 2)))
    #expect(fake.outputLevel)
    #expect(recorded == .boolean(true))
    #expect(output.switchOff(at: at(seconds: 3)))
    #expect(!fake.outputLevel)
    #expect(recorded == .boolean(false))
    #expect(sink.times["output_gpio22"] == at(seconds: 3).wallTime)
  }

  @Test func aPumpGoesOffByItself() throws {
    let (fake, output) = start(maxOn: .seconds(600))
    #expect(supervisor.deadline == nil)
    _ = output.switchOn(at: at(seconds: 10))
    #expect(supervisor.deadline == at(seconds: 610).instant)
    supervisor.deadlineReached(at: at(seconds: 610))
    #expect(!fake.outputLevel)
    #expect(recorded == .boolean(false))
    #expect(output.pulse(for: .seconds(5), at: at(seconds: 700)))
    #expect(fake.outputLevel)
    #expect(supervisor.deadline == at(seconds: 705).instant)
  }

  @Test(arguments: [Level.inactive, .active])
  func whenTheAgentEndsTheLineIsSafeAndFree(safe: Level) {
    let (fake, output) = start(safe: safe)
    _ = safe == .active ? output.switchOff(at: at(seconds: 1)) : output.switchOn(at: at(seconds: 1))
    #expect(output.holder == InlineText("homeward"))
    supervisor.stop(at: at(seconds: 2))
    #expect(fake.outputLevel == (safe == .active))
    #expect(output.holder == nil)
    #expect(!output.switchOn(at: at(seconds: 3)))
  }

  @Test func anOutputThatDoesNotFollowIsToldAsItIs() {
    let (fake, output) = start()
    fake.short()
    #expect(!output.switchOn(at: at(seconds: 1)))
    #expect(recorded == .boolean(false))
    #expect(sink.reports == ["GPIO22: malformed GPIO22 'off while it is switched on'"])
    fake.level = true
    supervisor.sample(at: at(seconds: 2))
    #expect(recorded == .boolean(true))
    #expect(sink.reports.last == "GPIO22: recovered")
  }

  /// What drives the line was away for a moment, such as an expander on I2C.
  @Test func anOutputThatDidNotFollowIsSetAgain() {
    let (fake, output) = start()
    #expect(output.switchOn(at: at(seconds: 1)))
    fake.level = false
    supervisor.sample(at: at(seconds: 2))
    #expect(recorded == .boolean(false) && !fake.outputLevel)
    supervisor.sample(at: at(seconds: 7))
    #expect(recorded == .boolean(true) && fake.outputLevel)
  }

  @Test func aChipThatIsUnpluggedAndBackIsSafe() throws {
    let output = makeOutput(maxOn: .seconds(600))
    do {
      let fake = makeFake()
      supervisor.sample(at: at(seconds: 0))
      _ = output.switchOn(at: at(seconds: 1))
      fake.hangUp()
      supervisor.sample(at: at(seconds: 2))
      #expect(recorded == .unavailable)
      #expect(sink.reports == ["GPIO22: missing GPIO22"])
      #expect(!output.switchOff(at: at(seconds: 3)))
    }
    let fake = makeFake()
    fake.level = true
    let retryAt = try #require(supervisor.deadline)
    #expect(retryAt == at(seconds: 2).instant + Supervision.firstDelay)
    supervisor.deadlineReached(at: Moment(instant: retryAt, wallTime: at(seconds: 9).wallTime))
    #expect(!fake.outputLevel)
    #expect(recorded == .boolean(false))
    #expect(sink.reports.last == "GPIO22: recovered")
  }

  @Test func aCommandThatTheKernelRefusesIsNotDone() {
    let (fake, output) = start()
    fake.hangUp()
    #expect(!output.switchOn(at: at(seconds: 1)))
    #expect(recorded == .unavailable)
    #expect(output.deadline == nil)
  }
}
