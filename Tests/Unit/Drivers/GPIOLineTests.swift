import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class GPIOLineTests: DriverSuite {
  private func makeLine(
    _ address: GPIOLineAddress = .name([UInt8]("GPIO17")), debounce: Duration = .milliseconds(20)
  ) -> GPIOLine {
    let settings = GPIOLineSettings(
      address: address,
      entity: EntitySettings(name: [UInt8]("Bilge"), deviceClass: [UInt8]("moisture")),
      debounce: debounce, isUrgent: true)
    return GPIOLine(settings, SourceContext(in: tree.path, loop, sink, supervisor))
  }

  /// A line, and its source after the first cycle.
  private func start(debounce: Duration = .milliseconds(20)) -> (fake: FakeLine, line: GPIOLine) {
    let (fake, line) = (FakeLine(device), makeLine(debounce: debounce))
    line.sample(at: .now)
    return (fake, line)
  }

  private var device: Path { tree.path / "gpiochip3" }
  private var recorded: Value? { sink.values["gpio_gpio17"] }

  @Test func aMachineWithoutChipsIsSaidOnceAndTheSensorIsUnavailable() throws {
    let line = makeLine()
    supervisor.add(line)
    #expect(line.deadline == nil)
    #expect(sink.sensors.isEmpty)
    supervisor.sample(at: at(seconds: 1))
    #expect(recorded == .unavailable)
    #expect(sink.reports == ["GPIO17: missing a chip for GPIO17"])
    let sensor = try #require(sink.sensors.first)
    #expect(sensor.kind == .binarySensor)
    #expect(sensor.isUrgent)
    #expect(sensor.deviceClass == [UInt8]("moisture"))

    supervisor.deadlineReached(at: at(seconds: 10))
    #expect(sink.readingCount == 2)
    #expect(sink.reports.count == 1)
  }

  @Test func whoHoldsALineIsKnownByName() throws {
    let line = makeLine()
    #expect(line.holder == nil, "there is no chip")
    let fake = FakeLine(device)
    #expect(line.holder == nil)
    fake.hold(as: "pump")
    line.sample(at: at(seconds: 1))
    #expect(sink.reports == ["GPIO17: busy GPIO17"])
    #expect(line.holder == InlineText("pump"))
    fake.hold(as: "")
    line.sample(at: at(seconds: 10))
    #expect(line.holder == InlineText("homeward"))
  }

  @Test func theLevelAtStartIsReportedAtOnce() throws {
    let fake = FakeLine(device)
    fake.level = true
    let line = makeLine()
    line.sample(at: at(seconds: 1))
    #expect(recorded == .boolean(true))
    #expect(sink.times["gpio_gpio17"] == at(seconds: 1).wallTime)
    #expect(sink.reports.isEmpty)
    supervisor.add(line)
    #expect(supervisor.deadline == nil, "nothing wakes for a line that rests")
  }

  @Test(arguments: [
    (GPIOLineAddress.name([UInt8]("GPIO17")), true),
    (.name([UInt8]("GPIO1")), false),
    (.chip(label: [UInt8]("pinctrl-fake"), offset: 17), true),
    (.chip(label: [UInt8]("pinctrl-fake"), offset: 18), false),
    (.chip(label: [UInt8]("pinctrl"), offset: 17), false),
  ])
  func aLineIsFoundByItsWholeName(address: GPIOLineAddress, isFound: Bool) throws {
    let fake = FakeLine(device)
    let line = makeLine(address)
    line.sample(at: at(seconds: 1))
    #expect(sink.reports.isEmpty == isFound)
    #expect((sink.values.values.first == .boolean(false)) == isFound)
    withExtendedLifetime(fake) {}
  }

  // MARK: Two chips

  private func makeExpanders() throws -> [FakeLine] {
    try [2, 3].map { number in
      try tree.addExpander(number, at: "1-002\(number - 2)")
      return FakeLine(tree.path / [UInt8]("gpiochip\(number)".utf8), label: "mcp23017")
    }
  }

  /// Which of two expanders has the lower number changes with each start.
  @Test(arguments: [
    GPIOLineAddress.name([UInt8]("GPIO17")), .chip(label: [UInt8]("mcp23017"), offset: 17),
  ])
  func aLineOfTwoChipsIsRefusedUnderBothNames(address: GPIOLineAddress) throws {
    let fakes = try makeExpanders()
    makeLine(address).sample(at: at(seconds: 1))
    let name = string(address.text)
    #expect(sink.reports == ["\(name): ambiguous \(name) '1-0020/17 1-0021/17'"])
    #expect(fakes.allSatisfy { $0.flags == 0 }, "neither was requested")
  }

  @Test func aChipIsFoundByThePlaceOfItsParent() throws {
    let fakes = try makeExpanders()
    fakes[1].level = true
    makeLine(.chip(label: [UInt8]("1-0021"), offset: 17)).sample(at: at(seconds: 1))
    #expect(sink.reports.isEmpty)
    #expect(sink.values.values.first == .boolean(true))
    #expect(fakes.map { $0.flags == 0 } == [true, false])
  }

  /// The banks of one controller may have a label and a parent.
  @Test func chipsWithOneParentAreNamedByTheirDevices() throws {
    let fakes = try makeExpanders()
    try tree.remove("bus/gpio/devices/gpiochip3")
    try tree.addExpander(3, at: "1-0020")
    makeLine().sample(at: at(seconds: 1))
    #expect(sink.reports == ["GPIO17: ambiguous GPIO17 'gpiochip2 gpiochip3'"])
    withExtendedLifetime(fakes) {}
  }

  /// Raspberry Pi OS has `/dev/gpiochip4` as another name of `/dev/gpiochip0`.
  @Test func aSecondNodeOfAChipIsNoOtherChip() throws {
    let fakes = try makeExpanders()
    fakes[1].isSecondNode(of: fakes[0])
    makeLine().sample(at: at(seconds: 1))
    #expect(sink.reports.isEmpty)
    #expect(recorded == .boolean(false))
  }

  @Test func aChipWithTheHighestNumberIsFound() throws {
    let fake = FakeLine(tree.path / "gpiochip255")
    makeLine().sample(at: at(seconds: 1))
    #expect(recorded == .boolean(false))
    withExtendedLifetime(fake) {}
  }

  /// The level may be ahead of the events that the kernel still has: then it is not read.
  @Test(arguments: [true, false])
  func aChangeCountsOnceItHasLastedAndFromItsOwnTime(level: Bool) throws {
    let (fake, line) = start()
    let edgeAt = Moment.now.instant
    fake.edge(to: true, at: edgeAt)
    fake.level = level
    try turn()
    #expect(recorded == .boolean(false))
    #expect(line.deadline == edgeAt + .milliseconds(20))
    let later = Moment(
      instant: edgeAt + .seconds(3), wallTime: WallTime(nanoseconds: 1_000_000_000_000))
    line.deadlineReached(at: later)
    #expect(recorded == .boolean(true))
    #expect(sink.times["gpio_gpio17"] == WallTime(nanoseconds: 997_000_000_000))
    #expect(line.deadline == nil)
  }

  /// The kernel may wake a process for nothing (`epoll(7)`, `select(2)`).
  @Test func aWakeUpWithoutAnEdgeIsNoFailureOfTheLine() throws {
    let (fake, line) = start(debounce: .zero)
    line.descriptorReady(-1, .input)
    #expect(sink.reports.isEmpty)
    #expect(recorded == .boolean(false))
    fake.edge(to: true, at: Moment.now.instant)
    try turn()
    line.deadlineReached(at: Moment.now)
    #expect(recorded == .boolean(true), "its edges are still heard")
  }

  /// A hang-up without an event, half an event, and a chip that goes before the next cycle.
  @Test(
    arguments: [
      { fake, line, _ in
        line.descriptorReady(-1, [.input, .failure])
      },
      { fake, _, loop in
        fake.halfAnEvent()
        try loop.turn(until: Instant(nanoseconds: 0))
      },
      { fake, line, _ in
        fake.hangUp()
        line.sample(at: Moment.now)
      },
    ] as [@Sendable (FakeLine, GPIOLine, EventLoop) throws -> Void])
  func aLineThatIsGoneIsUnavailable(
    leave: @Sendable (FakeLine, GPIOLine, EventLoop) throws -> Void
  ) throws {
    let (fake, line) = start()
    try leave(fake, line, loop)
    #expect(recorded == .unavailable)
    #expect(sink.reports == ["GPIO17: missing GPIO17"])
  }

  /// The numbers of the edges tell.
  @Test func aDroppedEdgeDoesNotLeaveALineOnTheWrongLevel() throws {
    let (fake, line) = start(debounce: .zero)
    let start = Moment.now.instant
    fake.edge(to: true, at: start)
    fake.loseEdges(1)
    fake.edge(to: true, at: start + .nanoseconds(1))
    fake.level = false
    try turn()
    line.deadlineReached(at: Moment.now)
    #expect(recorded == .boolean(false))
  }

  @Test func aStormIsTakenInPiecesAndEndsOnTheRightLevel() throws {
    let (fake, line) = start(debounce: .zero)
    let start = Moment.now.instant
    for number in 1...Int64(LineInput.eventsPerReadMax) + 5 {
      fake.edge(to: number % 2 == 1, at: start + .nanoseconds(number))
    }
    let before = sink.readingCount
    try turn()
    #expect(sink.readingCount - before <= LineInput.eventsPerReadMax + 1)
    try turn()
    line.deadlineReached(at: Moment.now)
    #expect(recorded == .boolean(true))
  }

  @Test func aLevelWhoseEdgeWasLostIsFoundByTheNextCycle() throws {
    let fake = FakeLine(device)
    let line = makeLine()
    line.sample(at: at(seconds: 1))
    fake.level = true
    line.sample(at: at(seconds: 2))
    line.deadlineReached(at: at(seconds: 3))
    #expect(recorded == .boolean(true))
  }

  @Test(arguments: [
    (EBUSY, "busy GPIO17"), (EACCES, "not permitted GPIO17"),
    (EPERM, "not permitted GPIO17"), (EIO, "failed GPIO17 \(EIO)"),
    (ENXIO, "unsupported GPIO17, choose a line whose chip can report edges"),
    (ENODEV, "missing GPIO17"),
  ])
  func aRefusedRequestSaysWhy(error: Int32, report: String) throws {
    let fake = FakeLine(device)
    fake.refuse(error)
    supervisor.add(makeLine())
    supervisor.sample(at: at(seconds: 1))
    #expect(recorded == .unavailable)
    #expect(sink.reports == ["GPIO17: \(report)"])
    fake.refuse(0)
    supervisor.deadlineReached(at: at(seconds: 6))
    #expect(recorded == .boolean(false))
    #expect(sink.reports.last == "GPIO17: recovered")
  }

  @Test(arguments: [(EACCES, "not permitted"), (EPERM, "not permitted"), (EMFILE, "failed")])
  func aChipThatCannotBeOpenedIsNamed(error: Int32, word: String) throws {
    let other = FakeLine(tree.path / "gpiochip5", name: "GPIO5")
    let fake = FakeLine(device)
    fake.refuseToOpen(error)
    supervisor.add(makeLine())
    supervisor.sample(at: at(seconds: 1))
    let device = string(InlineText(device.bytes.span))
    #expect(sink.reports.first?.hasPrefix("GPIO17: \(word) \(device)") == true)
    fake.refuseToOpen(0)
    supervisor.deadlineReached(at: at(seconds: 6))
    #expect(recorded == .boolean(false))
    withExtendedLifetime(other) {}
  }

  @Test func aChipThatCannotBeOpenedHidesNoOther() throws {
    let closed = FakeLine(tree.path / "gpiochip0", name: "GPIO0")
    closed.refuseToOpen(EACCES)
    let fake = FakeLine(device)
    makeLine().sample(at: at(seconds: 1))
    #expect(recorded == .boolean(false))
    withExtendedLifetime(fake) {}
  }

  @Test func aChipThatIsPulledOutIsUnavailableUntilItIsBack() throws {
    supervisor.add(makeLine())
    do {
      let fake = FakeLine(device)
      supervisor.sample(at: Moment.now)
      fake.hangUp()
      try turn()
      #expect(recorded == .unavailable)
      #expect(sink.reports == ["GPIO17: missing GPIO17"])
    }
    // It is not asked for events again: the loop has nothing to tell.
    let readingCount = sink.readingCount
    try turn()
    #expect(sink.readingCount == readingCount)

    let fake = FakeLine(tree.path / "gpiochip5")
    fake.level = true
    let retryAt = try #require(supervisor.deadline)
    supervisor.deadlineReached(at: Moment(instant: retryAt, wallTime: at(seconds: 9).wallTime))
    #expect(recorded == .boolean(true))
    #expect(sink.reports.last == "GPIO17: recovered")
  }

  @Test func aLooseCableDoesNotUseUpTheLoop() throws {
    let line = makeLine()
    for _ in 0...EventLoop.watchesMax {
      let fake = FakeLine(device)
      line.sample(at: Moment.now)
      #expect(recorded == .boolean(false))
      fake.hangUp()
      try turn()
      #expect(line.listening == .closed)
    }
  }

  /// A file that happens to have the name of a chip, and a device that is none.
  @Test func whatIsNoChipIsPassedOver() throws {
    let fake = FakeLine(device)
    _ = try Descriptor(opening: tree.path / "gpiochip0", mode: .writeNewPrivate)
    let link = tree.path / "gpiochip1"
    #expect(unsafe link.withCString { unsafe symlink("/dev/null", $0) } == 0)
    makeLine().sample(at: at(seconds: 1))
    #expect(recorded == .boolean(false))
    #expect(sink.reports.isEmpty)
    withExtendedLifetime(fake) {}
  }
}
