import Bytes
import FakeGPIO
import LinuxIO
import Sensing
import Testing

@testable import Drivers

/// What a line is asked for as, and what becomes of it when it has too many edges.
@Suite final class GPIOLineKernelTests: DriverSuite {
  private func makeLine(
    _ name: StaticString = "GPIO17", debounce: Duration = .milliseconds(20),
    isActiveLow: Bool = false, bias: GPIOBias = .asIs
  ) -> GPIOLine {
    let settings = GPIOLineSettings(
      address: .name([UInt8](name)), entity: EntitySettings(name: [UInt8](name)),
      debounce: debounce, isActiveLow: isActiveLow, bias: bias)
    return GPIOLine(settings, SourceContext(in: tree.path, loop, sink, supervisor))
  }

  /// Edges at one moment, until the line rests.
  private func storm(_ fake: FakeLine, _ line: GPIOLine) throws {
    var level = true
    for _ in 0..<100_000 {
      let now = Moment.now.instant
      if let deadline = line.deadline, deadline < now + .seconds(1) { return }
      fake.edge(to: level, at: now)
      level.toggle()
      try turn()
    }
    Issue.record("it never rests")
  }

  @Test(
    arguments: [
      (GPIOBias.asIs, 0), (.pullUp, flag(GPIO_V2_LINE_FLAG_BIAS_PULL_UP)),
      (.pullDown, flag(GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN)),
      (.disabled, flag(GPIO_V2_LINE_FLAG_BIAS_DISABLED)),
    ] as [(GPIOBias, UInt64)])
  func anInputIsAskedForWithBothEdges(bias: GPIOBias, wanted: UInt64) throws {
    let fake = FakeLine(tree.path / "gpiochip0")
    makeLine(bias: bias).sample(at: at(seconds: 1))
    let input =
      flag(GPIO_V2_LINE_FLAG_INPUT) | flag(GPIO_V2_LINE_FLAG_EDGE_RISING)
      | flag(GPIO_V2_LINE_FLAG_EDGE_FALLING)
    #expect(fake.flags == input | wanted)
    #expect(fake.eventCountMax == 16)
    let other = FakeLine(tree.path / "gpiochip1", name: "GPIO5")
    makeLine("GPIO5", isActiveLow: true).sample(at: at(seconds: 1))
    #expect(other.flags == input | flag(GPIO_V2_LINE_FLAG_ACTIVE_LOW))
  }

  /// The kernel counts in ticks of up to 10 ms.
  @Test(arguments: [(0, 0), (19, 0), (20, 10_000), (10_000, 10_000)])
  func theKernelQuietsALineWhoseLevelsLast(milliseconds: Int, quiet: UInt32) throws {
    let fake = FakeLine(tree.path / "gpiochip0")
    makeLine(debounce: .milliseconds(milliseconds)).sample(at: at(seconds: 1))
    #expect(fake.debounceMicroseconds == quiet)
    #expect(sink.reports.isEmpty)
  }

  @Test func aKernelThatCannotQuietALineIsAskedWithout() throws {
    let fake = FakeLine(tree.path / "gpiochip0")
    fake.refuseDebounce()
    let line = makeLine()
    line.sample(at: Moment.now)
    #expect(sink.reports.isEmpty)
    #expect(fake.debounceMicroseconds == 0)
    // The debouncer is ours then.
    let edgeAt = Moment.now.instant
    fake.edge(to: true, at: edgeAt)
    try turn()
    #expect(line.deadline == edgeAt + .milliseconds(20))
  }

  @Test func aLineWithTooManyEdgesIsLeftAloneAndTheOthersAreHeard() throws {
    let fake = FakeLine(tree.path / "gpiochip0")
    let other = FakeLine(tree.path / "gpiochip1", name: "GPIO5")
    let line = makeLine(debounce: .seconds(10))
    let otherLine = makeLine("GPIO5", debounce: .seconds(10))
    line.sample(at: .now)
    otherLine.sample(at: .now)
    try storm(fake, line)
    // What comes now waits in the kernel.
    fake.edge(to: true, at: Moment.now.instant)
    other.edge(to: true, at: Moment.now.instant)
    for _ in 0..<3 { try turn() }
    #expect(fake.unreadByteCount == 48)
    #expect(other.unreadByteCount == 0)
    #expect(otherLine.deadline != nil)

    let resumed = Moment(instant: try #require(line.deadline), wallTime: at(seconds: 1).wallTime)
    line.deadlineReached(at: resumed)
    #expect(fake.unreadByteCount == 0)
    fake.edge(to: false, at: Moment.now.instant)
    try turn()
    #expect(fake.unreadByteCount == 0, "it is listened to again")
  }

  @Test func tooManyEdgesAreToldAndThatTheyAreOver() throws {
    let fake = FakeLine(tree.path / "gpiochip0")
    let line = makeLine(debounce: .seconds(10))
    supervisor.add(line)
    supervisor.sample(at: .now)
    try storm(fake, line)
    fake.loseEdges(5000)
    fake.edge(to: true, at: Moment.now.instant)
    let resumed = Moment(instant: try #require(line.deadline), wallTime: at(seconds: 1).wallTime)
    line.deadlineReached(at: resumed)
    let report = try #require(sink.reports.first)
    #expect(report.hasPrefix("GPIO17: flooded GPIO17 "))
    #expect(sink.values["gpio_gpio17"] == .boolean(false), "what it says is worth something")
    supervisor.sample(at: .now)
    #expect(sink.reports.count == 1)
    supervisor.sample(at: .now)
    #expect(sink.reports.last == "GPIO17: recovered")
  }

  @Test func aChipThatGoesWhileALineRestsIsNoticed() throws {
    let fake = FakeLine(tree.path / "gpiochip0")
    let line = makeLine(debounce: .seconds(10))
    line.sample(at: .now)
    try storm(fake, line)
    fake.hangUp()
    try turn()
    #expect(sink.values["gpio_gpio17"] == .unavailable)
    #expect(line.deadline == nil)
  }

  @Test func aLineThatIsOpenedAnewIsListenedTo() throws {
    let line = makeLine(debounce: .seconds(10))
    do {
      let fake = FakeLine(tree.path / "gpiochip0")
      line.sample(at: .now)
      try storm(fake, line)
      fake.hangUp()
      try turn()
    }
    let fake = FakeLine(tree.path / "gpiochip0")
    line.sample(at: .now)
    fake.edge(to: true, at: Moment.now.instant)
    try turn()
    #expect(fake.unreadByteCount == 0)
    #expect(line.deadline != nil)
  }
}
