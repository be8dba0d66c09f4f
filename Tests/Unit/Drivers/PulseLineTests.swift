import Bytes
import FakeGPIO
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class PulseLineTests: DriverSuite {
  private func makeCounts(_ directory: Path? = nil) -> CountsFile {
    CountsFile(in: directory ?? tree.path, supervisor: supervisor)
  }

  private func makeLine(
    _ counts: CountsFile? = nil, minWidth: Duration = .zero, rate: PulseRateSettings? = nil,
    perPulse: FixedPoint = FixedPoint(2794, decimals: 4)
  ) -> PulseLine {
    let settings = PulseSettings(
      address: .name([UInt8]("GPIO27")),
      entity: EntitySettings(
        name: [UInt8]("Rain"), deviceClass: [UInt8]("precipitation"), unit: [UInt8]("mm")),
      perPulse: perPulse, minWidth: minWidth, isActiveLow: true, bias: .pullUp, rate: rate)
    return PulseLine(
      settings, SourceContext(in: tree.path, loop, sink, supervisor, counts: counts))
  }

  /// At rest: its contact is open, and the board pulls it up.
  private func makeFake() -> FakeLine {
    let fake = FakeLine(tree.path / "gpiochip3", name: "GPIO27")
    fake.level = true
    return fake
  }

  /// A line at rest that is counted since the second 0.
  private func start(
    _ counts: CountsFile? = nil, minWidth: Duration = .zero, rate: PulseRateSettings? = nil,
    perPulse: FixedPoint = FixedPoint(2794, decimals: 4)
  ) -> (fake: FakeLine, line: PulseLine) {
    let fake = makeFake()
    let line = makeLine(counts, minWidth: minWidth, rate: rate, perPulse: perPulse)
    line.sample(at: at(seconds: 0))
    return (fake, line)
  }

  private var total: Value? { sink.values["pulses_gpio27"] }
  private func millimetres(_ tenThousandths: Int64) -> Value {
    .number(FixedPoint(tenThousandths, decimals: 4))
  }
  private func keptBytes() -> [UInt8] {
    (try? readFile(at: tree.path / CountsFile.fileName, byteCountMax: 10_000)) ?? []
  }

  private func pulse(_ fake: FakeLine, seconds: Int64) {
    fake.edge(to: true, at: at(seconds: seconds).instant)
  }

  @Test func aTotalIsExactAndTheSensorIsARainGauge() throws {
    let (fake, line) = start()
    #expect(total == millimetres(0))
    for second: Int64 in 2...4 { pulse(fake, seconds: second) }
    line.sample(at: at(seconds: 60))
    #expect(total == millimetres(8382))
    let sensor = try #require(sink.sensors.first)
    #expect(sensor.stateClass == [UInt8]("total_increasing"))
    #expect(sensor.unit == [UInt8]("mm"))
    #expect(sink.sensors.count == 1)
    #expect(sink.reports.isEmpty)
  }

  @Test func withoutAWidthOnlyRisingEdgesAreAskedFor() {
    let fake = makeFake()
    makeLine().sample(at: at(seconds: 1))
    let flags =
      flag(GPIO_V2_LINE_FLAG_INPUT) | flag(GPIO_V2_LINE_FLAG_EDGE_RISING)
      | flag(GPIO_V2_LINE_FLAG_ACTIVE_LOW) | flag(GPIO_V2_LINE_FLAG_BIAS_PULL_UP)
    #expect(fake.flags == flags)
    #expect(fake.eventCountMax == 1024)
    #expect(fake.debounceMicroseconds == 0)
  }

  @Test(arguments: [(5, 0), (30, 10_000)])
  func aWidthTakesBothEdgesAndTheKernelsQuiet(milliseconds: Int, quiet: UInt32) {
    let fake = makeFake()
    makeLine(minWidth: .milliseconds(milliseconds)).sample(at: at(seconds: 1))
    #expect(fake.flags & flag(GPIO_V2_LINE_FLAG_EDGE_FALLING) != 0)
    #expect(fake.debounceMicroseconds == quiet)
  }

  @Test func aBounceIsNoPulse() {
    let (fake, line) = start(minWidth: .milliseconds(5))
    let start = at(seconds: 2).instant
    for (level, milliseconds) in [(true, 0), (false, 1), (true, 2), (false, 100)] {
      fake.edge(to: level, at: start + .milliseconds(milliseconds))
    }
    line.sample(at: at(seconds: 60))
    #expect(total == millimetres(2794))
  }

  @Test func aRateIsASensorOfItsOwn() throws {
    let rate = PulseRateSettings(
      span: .seconds(3600),
      entity: EntitySettings(name: [UInt8]("Rain rate"), unit: [UInt8]("mm/h")))
    let (fake, line) = start(rate: rate)
    #expect(sink.values["pulses_gpio27_rate"] == .number(FixedPoint(0, decimals: 3)))
    pulse(fake, seconds: 100)
    pulse(fake, seconds: 700)
    line.sample(at: at(seconds: 720))
    #expect(sink.values["pulses_gpio27_rate"] == .number(FixedPoint(1676, decimals: 3)))
    fake.hangUp()
    line.sample(at: at(seconds: 780))
    #expect(sink.values["pulses_gpio27_rate"] == .unavailable)
  }

  @Test func aTotalThatIsTooLargeIsUnknown() {
    let (fake, line) = start(perPulse: FixedPoint(.max))
    pulse(fake, seconds: 2)
    pulse(fake, seconds: 3)
    line.sample(at: at(seconds: 60))
    #expect(total == .unknown)
  }

  // MARK: Many edges

  /// 10,000 edges a second, of which the kernel keeps the last 1024.
  @Test func aStormIsReadInPiecesAndCountedToTheLastEdge() throws {
    let fake = makeFake()
    let line = makeLine(perPulse: FixedPoint(1))
    supervisor.add(line)
    supervisor.sample(at: at(seconds: 0))
    var now = at(seconds: 0)
    for _ in 0..<50 {
      for _ in 0..<1000 { fake.edge(to: true, at: now.instant + .milliseconds(99)) }
      now = Moment(instant: now.instant + .milliseconds(100), wallTime: now.wallTime)
      if let deadline = supervisor.deadline {
        #expect(deadline >= now.instant, "it is not read more often than ten times a second")
        supervisor.deadlineReached(at: Moment(instant: deadline, wallTime: now.wallTime))
      } else {
        supervisor.sample(at: now)
      }
      #expect(fake.unreadByteCount == 0)
    }
    supervisor.sample(at: now)
    #expect(total == .number(FixedPoint(50_000)))
    #expect(sink.reports == ["GPIO27: flooded GPIO27 10000"])
    supervisor.sample(at: Moment(instant: now.instant + .seconds(60), wallTime: now.wallTime))
    #expect(sink.reports.last == "GPIO27: recovered")
  }

  @Test func noMoreIsReadAtOneTimeThanTheKernelKeeps() throws {
    let (fake, line) = start(perPulse: FixedPoint(1))
    for _ in 0..<1100 { fake.edge(to: true, at: at(seconds: 1).instant) }
    line.sample(at: at(seconds: 10))
    #expect(total == .number(FixedPoint(1024)))
    #expect(fake.unreadByteCount == 76 * 48)
  }

  // MARK: What fails

  @Test func aChipThatIsUnpluggedAndBackKeepsTheTotal() throws {
    supervisor.add(makeLine())
    do {
      let fake = makeFake()
      supervisor.sample(at: at(seconds: 0))
      pulse(fake, seconds: 1)
      supervisor.sample(at: at(seconds: 60))
      fake.hangUp()
      supervisor.sample(at: at(seconds: 120))
      #expect(total == .unavailable)
      #expect(sink.reports == ["GPIO27: missing GPIO27"])
    }
    let fake = makeFake()
    let retryAt = try #require(supervisor.deadline)
    supervisor.deadlineReached(at: Moment(instant: retryAt, wallTime: at(seconds: 130).wallTime))
    #expect(total == millimetres(2794))
    pulse(fake, seconds: 131)
    supervisor.sample(at: at(seconds: 180))
    #expect(total == millimetres(2 * 2794))
    #expect(sink.reports.last == "GPIO27: recovered")
  }

  // MARK: What is kept

  @Test func aTotalOutlivesARestart() {
    do {
      let fake = makeFake()
      let line = makeLine()
      line.sample(at: at(seconds: 0))
      pulse(fake, seconds: 1)
      // Not sampled before the end.
      line.stop(at: at(seconds: 2))
    }
    let fake = makeFake()
    makeLine().sample(at: at(seconds: 100))
    #expect(total == millimetres(2794))
    withExtendedLifetime(fake) {}
  }

  /// 96 times a day at the most.
  @Test func aTotalIsWrittenOnceInFifteenMinutesAndOnlyWhenItChanged() throws {
    let (fake, line) = start()
    pulse(fake, seconds: 1)
    line.sample(at: at(seconds: 899))
    #expect(keptBytes().isEmpty)
    line.sample(at: at(seconds: 900))
    let first = keptBytes()
    #expect(!first.isEmpty)
    pulse(fake, seconds: 901)
    line.sample(at: at(seconds: 1799))
    #expect(keptBytes() == first)
    line.sample(at: at(seconds: 1800))
    #expect(keptBytes() != first)
    try tree.remove("pulses.counts")
    line.sample(at: at(seconds: 3600))
    line.stop(at: at(seconds: 3601))
    #expect(keptBytes().isEmpty, "nothing changed")
  }

  @Test func aDamagedFileIsToldAndTheTotalBeginsAnew() throws {
    try tree.write("HWCT and no more", to: "pulses.counts")
    let fake = makeFake()
    let line = makeLine()
    supervisor.add(line)
    supervisor.sample(at: at(seconds: 0))
    #expect(total == millimetres(0))
    let report = "pulses.counts: malformed pulses.counts 'a damaged file'"
    #expect(sink.reports == [report])
    pulse(fake, seconds: 1)
    supervisor.sample(at: at(seconds: 900))
    #expect(sink.reports == [report, "pulses.counts: recovered"])
    #expect(try KeptCounts(file: keptBytes().span)[[UInt8]("pulses_gpio27")] == 1)
  }

  @Test func aFileOfANewerVersionIsNotWrittenOver() throws {
    var bytes = [UInt8]("HWCT") + [9, 0]
    var checksum = CRC32C()
    checksum.update(bytes.span)
    let value = checksum.value
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    try Descriptor(opening: tree.path / CountsFile.fileName, mode: .writePrivate)
      .writeAll(bytes.span)
    let (fake, line) = start()
    pulse(fake, seconds: 1)
    line.stop(at: at(seconds: 2))
    #expect(keptBytes() == bytes)
    #expect(sink.reports.first?.hasPrefix("pulses.counts: malformed") == true)
    #expect(total == .unknown, "another total would be a new meter to Home Assistant")
  }

  /// One read error at the start, as of a card that is tired, costs nothing: neither what was
  /// counted before nor what comes after it.
  @Test func aFileThatCannotBeReadAtTheStartIsReadLaterAndKeptOn() throws {
    var kept = KeptCounts()
    kept.keep(1000, of: [UInt8]("pulses_gpio27"))
    try tree.fail("pulses.counts")
    let fake = makeFake()
    let rate = PulseRateSettings(
      span: .seconds(3600), entity: EntitySettings(name: [UInt8]("Rain rate")))
    let line = makeLine(rate: rate, perPulse: FixedPoint(1))
    supervisor.add(line)
    supervisor.sample(at: at(seconds: 0))
    pulse(fake, seconds: 1)
    supervisor.sample(at: at(seconds: 900))
    #expect(total == .unknown)
    #expect(sink.values["pulses_gpio27_rate"] != .unknown)
    #expect(sink.reports.count == 1)
    try tree.remove("pulses.counts")
    try replaceFile(named: CountsFile.fileName, in: tree.path, with: kept.file.bytes)
    supervisor.sample(at: at(seconds: 960))
    #expect(total == .number(FixedPoint(1001)))
    #expect(sink.reports.last == "pulses.counts: recovered")
    pulse(fake, seconds: 961)
    supervisor.sample(at: at(seconds: 1860))
    #expect(try KeptCounts(file: keptBytes().span)[[UInt8]("pulses_gpio27")] == 1002)
  }

  @Test func aDiskThatCannotBeWrittenIsTold() {
    let (fake, line) = start(makeCounts(tree.path / "nowhere"))
    pulse(fake, seconds: 1)
    line.sample(at: at(seconds: 900))
    #expect(sink.reports == ["pulses.counts: missing pulses.counts"])
    #expect(total == millimetres(2794))
  }

  /// As a check does, beside an agent that may be running.
  @Test func whoOnlyLooksWritesNothing() {
    let (fake, line) = start()
    pulse(fake, seconds: 1)
    line.sample(at: at(seconds: 2))
    #expect(total == millimetres(2794))
    #expect(keptBytes().isEmpty)
  }

  @Test func twoLinesShareOneFile() throws {
    let counts = makeCounts()
    counts.keep(5, of: [UInt8]("other"), now: at(seconds: 0).instant)
    let (fake, line) = start(counts)
    pulse(fake, seconds: 1)
    line.stop(at: at(seconds: 2))
    let kept = try KeptCounts(file: keptBytes().span)
    #expect(kept[[UInt8]("other")] == 5)
    #expect(kept[[UInt8]("pulses_gpio27")] == 1)
  }
}
