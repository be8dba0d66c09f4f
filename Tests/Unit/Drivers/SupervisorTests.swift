import Bytes
import Drivers
import LinuxIO
import Sensing
import Testing

/// A source that does what the test says.
private final class ScriptedSource: Source {
  let name: InlineText
  var failure: SourceFailure?
  var listening: Listening
  var isOptional = false
  var isGathering = false
  var shortfall: SourceFailure?
  var deadline: Instant?
  var guardsTheWorld = false
  var deviceKinds: DeviceKinds = []
  /// The seconds at which it was asked.
  private(set) var askedAt: [Int64] = []
  private(set) var deadlineCount = 0
  /// Whether it is late for its next deadline, too.
  var isBehind = false
  var stopped: () -> Void = {}

  init(_ name: String, listening: Listening = .never) {
    self.name = InlineText([UInt8](name.utf8).span)
    self.listening = listening
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    askedAt.append(moment.instant.nanoseconds / 1_000_000_000)
    if let failure { throw failure }
  }

  func deadlineReached(at moment: Moment) {
    deadlineCount += 1
    if !isBehind { deadline = nil }
  }

  func stop(at moment: Moment) { stopped() }
}

/// The one place that counts failures, waits, and repeats nothing.
@Suite final class SupervisorTests {
  private let sink = RecordingSink()
  private let supervisor: Supervisor
  private let source = ScriptedSource("gauge")
  private let listener = ScriptedSource("line", listening: .closed)
  private var missing: SourceFailure { .missing(InlineText("gauge")) }

  init() {
    supervisor = Supervisor(owner: sink)
    supervisor.add(source)
    supervisor.add(listener)
  }

  /// A cycle in each of these seconds.
  private func cycles(_ seconds: ClosedRange<Int64>) {
    for second in seconds { supervisor.sample(at: at(seconds: second)) }
  }

  @Test func aSourceThatWorksIsAskedInEveryCycleAndNoWordIsSaid() {
    cycles(0...3)
    #expect(source.askedAt == [0, 1, 2, 3])
    #expect(supervisor.deadline == nil)
    #expect(sink.reports.isEmpty)
  }

  @Test func aSourceThatThrowsIsAskedEverMoreSeldomUpToAMinute() {
    source.failure = missing
    cycles(0...200)
    #expect(source.askedAt == [0, 5, 15, 35, 75, 135, 195])
    #expect(sink.reports == ["gauge: missing gauge"])
    #expect(supervisor.deadline == nil, "it wakes no board between the cycles")
  }

  @Test func theEndOfATroubleIsToldOnceAndTheNextOneBeginsAnew() {
    source.failure = missing
    cycles(0...10)
    source.failure = nil
    cycles(11...17)
    source.failure = missing
    cycles(18...22)
    #expect(source.askedAt == [0, 5, 15, 16, 17, 18])
    #expect(
      sink.reports == ["gauge: missing gauge", "gauge: recovered", "gauge: missing gauge"])
  }

  @Test func aFailingSourceSilencesNoOther() {
    let other = ScriptedSource("other")
    supervisor.add(other)
    source.failure = missing
    cycles(0...3)
    #expect(source.askedAt == [0])
    #expect(other.askedAt == [0, 1, 2, 3])
  }

  @Test func aSourceThatListensIsAskedAgainBetweenTheCycles() {
    cycles(0...0)
    supervisor.failed(listener.name, missing, now: at(seconds: 0).instant)
    #expect(supervisor.deadline == at(seconds: 5).instant)
    supervisor.deadlineReached(at: at(seconds: 4))
    #expect(listener.askedAt == [0])
    supervisor.deadlineReached(at: at(seconds: 5))
    #expect(listener.askedAt == [0, 5])
    #expect(sink.reports == ["line: missing gauge"], "being asked is no recovery")
    supervisor.worked(listener.name)
    supervisor.worked(listener.name)
    #expect(sink.reports == ["line: missing gauge", "line: recovered"])
    #expect(supervisor.deadline == nil)
  }

  @Test func anAnswerIsWaitedForFromTheRequestUntilItComesHoweverLate() {
    let gauge = ScriptedSource("slow", listening: .answering)
    supervisor.add(gauge)
    (gauge.isGathering, gauge.deadline, gauge.shortfall) = (true, at(seconds: 5).instant, missing)
    #expect(!supervisor.isGathering && supervisor.deadline == nil, "it was not asked yet")
    cycles(0...0)
    #expect(supervisor.isGathering && supervisor.deadline == at(seconds: 5).instant)
    supervisor.deadlineReached(at: at(seconds: 5))
    gauge.isGathering = false
    cycles(10...10)
    // The late answer made it ask its device again.
    (gauge.isGathering, gauge.deadline) = (true, at(seconds: 16).instant)
    #expect(supervisor.isGathering && supervisor.deadline == at(seconds: 16).instant)
    (gauge.isGathering, gauge.deadline, gauge.shortfall) = (false, nil, nil)
    cycles(20...20)
    #expect(!supervisor.isGathering && supervisor.deadline == nil)
    #expect(gauge.deadlineCount == 1)
  }

  @Test func whileWhatItListensToIsOpenASourceIsAskedInEveryCycle() {
    listener.listening = .open
    supervisor.failed(listener.name, missing, now: at(seconds: 0).instant)
    cycles(1...3)
    #expect(listener.askedAt == [1, 2, 3])
    #expect(supervisor.deadline == nil, "it is not opened again")
  }

  @Test func aSourceThatAnswersLaterIsPausedAsOthersAreAndTellsByItself() {
    let sensor = ScriptedSource("sensor", listening: .answering)
    supervisor.add(sensor)
    cycles(0...0)
    supervisor.failed(sensor.name, missing, now: at(seconds: 0).instant)
    cycles(1...6)
    #expect(sensor.askedAt == [0, 5, 6])
    #expect(supervisor.deadline == nil, "its pause wakes no board")
    #expect(sink.reports == ["sensor: missing gauge"], "being asked is no recovery")
    sensor.deadline = at(seconds: 9).instant
    sensor.isGathering = true
    cycles(7...7)
    #expect(supervisor.deadline == at(seconds: 9).instant)
    #expect(supervisor.isGathering)
    supervisor.deadlineReached(at: at(seconds: 9))
    #expect(sensor.deadlineCount == 1)
    supervisor.worked(sensor.name)
    #expect(sink.reports.last == "sensor: recovered")
  }

  /// A pump's limit that passed while the board slept comes before all else; a receiver that slept
  /// with the board is given time to speak.
  @Test func afterASleepTheLimitsOfOutputsComeFirstAndSilenceDoesNotCount() {
    let pump = ScriptedSource("pump", listening: .open)
    pump.guardsTheWorld = true
    supervisor.add(pump)
    pump.deadline = at(seconds: 10).instant
    listener.listening = .open
    listener.deadline = at(seconds: 10).instant
    supervisor.boardWoke(at: at(seconds: 9))
    #expect(pump.deadlineCount == 0, "it is not due yet")
    supervisor.boardWoke(at: at(seconds: 30))
    #expect((pump.deadlineCount, listener.deadlineCount) == (1, 0))
    #expect(supervisor.deadline == at(seconds: 30).instant + Supervisor.wakingTime)
    supervisor.deadlineReached(at: at(seconds: 34))
    #expect(listener.deadlineCount == 0)
    supervisor.deadlineReached(at: at(seconds: 35))
    #expect(listener.deadlineCount == 1)
    listener.deadline = at(seconds: 31).instant
    #expect(supervisor.deadline == at(seconds: 31).instant, "what came after it is not put off")
  }

  @Test func aPumpIsSwitchedOffBeforeAnotherSourceWaitsForADisk() {
    let pump = ScriptedSource("pump", listening: .open)
    pump.guardsTheWorld = true
    supervisor.add(pump)
    var stopped: [String] = []
    pump.stopped = { stopped.append("pump") }
    source.stopped = { stopped.append("gauge") }
    listener.stopped = { stopped.append("line") }
    supervisor.stop(at: at(seconds: 0))
    #expect(stopped == ["pump", "gauge", "line"])
  }

  /// It is left alone between two cycles anyway, and each attempt keeps its device awake.
  @Test func whatRestsUntilTheNextCycleIsAskedAFewTimesAndThenOnlyWithTheCycles() {
    listener.listening = .resting
    listener.failure = missing
    supervisor.sample(at: at(seconds: 0))
    while let deadline = supervisor.deadline, listener.askedAt.count < 20 {
      supervisor.deadlineReached(at: Moment(instant: deadline, wallTime: at(seconds: 0).wallTime))
    }
    #expect(listener.askedAt == [0, 5, 15, 35, 75])
    supervisor.sample(at: at(seconds: 3600))
    #expect(listener.askedAt.last == 3600)
    #expect(supervisor.deadline == nil)
  }

  @Test func whatRestsAndWorkedAgainIsAskedAFewTimesAnew() {
    listener.listening = .resting
    listener.failure = missing
    for cycle in Int64(0)..<6 { supervisor.sample(at: at(seconds: cycle * 3600)) }
    supervisor.worked(listener.name)
    supervisor.sample(at: at(seconds: 6 * 3600))
    #expect(supervisor.deadline == at(seconds: 6 * 3600 + 5).instant)
  }

  @Test func whatFailsIsAskedAgainAsSoonAsTheKernelAnnouncesADeviceOfItsKind() {
    source.deviceKinds = .hardwareMonitor
    listener.deviceKinds = .oneWire
    source.failure = missing
    cycles(0...0)
    supervisor.devicesChanged(.industrialIO, at: at(seconds: 1))
    #expect(source.askedAt == [0])
    source.failure = nil
    supervisor.devicesChanged([.hardwareMonitor, .oneWire], at: at(seconds: 2))
    #expect(source.askedAt == [0, 2])
    #expect(listener.askedAt == [0], "it works")
    #expect(sink.reports == ["gauge: missing gauge", "gauge: recovered"])
    supervisor.devicesChanged(.hardwareMonitor, at: at(seconds: 3))
    #expect(source.askedAt == [0, 2])
  }

  @Test func powerSuppliesAreReadWithEachAnnouncementOfOne() {
    source.deviceKinds = .powerSupply
    supervisor.devicesChanged(.powerSupply, at: at(seconds: 1))
    supervisor.devicesChanged(.network, at: at(seconds: 2))
    supervisor.devicesChanged(.all, at: at(seconds: 3))
    #expect(source.askedAt == [1, 3])
  }

  @Test func theSourcesOwnDeadlineComesBeforeThePause() {
    listener.deadline = at(seconds: 7).instant
    supervisor.failed(listener.name, missing, now: at(seconds: 0).instant)
    #expect(supervisor.deadline == at(seconds: 7).instant)
    supervisor.deadlineReached(at: at(seconds: 6))
    #expect(listener.askedAt.isEmpty && listener.deadlineCount == 0)
    supervisor.deadlineReached(at: at(seconds: 7))
    #expect(listener.deadlineCount == 1)
    #expect(listener.askedAt.isEmpty)
    supervisor.deadlineReached(at: at(seconds: 7))
    #expect(listener.askedAt == [7], "the pause is over, too")
  }

  /// A bad cable: every other reading fails.
  @Test func aSourceThatComesAndGoesIsToldOnceAndItsEndAfterAnHour() {
    for round in Int64(0)..<20 {
      source.failure = .silent(source.name)
      cycles(round * 10...round * 10)
      source.failure = nil
      cycles(round * 10 + 5...round * 10 + 5)
    }
    #expect(
      sink.reports == [
        "gauge: silent gauge", "gauge: recovered", "gauge: silent gauge", "gauge: recovered",
        "gauge: comes and goes, silent gauge",
      ])
    cycles(190 + 3599...190 + 3599)
    #expect(sink.reports.count == 5)
    cycles(190 + 3600...190 + 3605)
    #expect(sink.reports.count == 6 && sink.reports.last == "gauge: recovered")
  }

  @Test func aSupplyThatIsPulledOutAgainAndAgainIsNoBadCable() {
    let part = InlineText("AC")
    for round in Int64(0)..<5 {
      supervisor.failed(part, .missing(part), now: at(seconds: round).instant)
      supervisor.worked(part)
    }
    #expect(sink.reports.filter { $0 == "AC: missing AC" }.count == 5)
  }

  @Test func aPartFailsUnderItsOwnNameAndItsSourceGoesOn() {
    let part = InlineText("BAT0")
    for second in Int64(0)...3 {
      cycles(second...second)
      supervisor.failed(part, .missing(part), now: at(seconds: second).instant)
    }
    supervisor.worked(InlineText("BAT1"))
    #expect(source.askedAt == [0, 1, 2, 3])
    #expect(sink.reports == ["BAT0: missing BAT0"])
    supervisor.worked(part)
    #expect(sink.reports == ["BAT0: missing BAT0", "BAT0: recovered"])
  }

  @Test func whatNeedNotBeThereIsLookedForSeldomAndNotMissed() {
    source.isOptional = true
    source.failure = missing
    cycles(0...20)
    #expect(source.askedAt == [0, 5, 15])
    source.failure = nil
    cycles(35...36)
    #expect(sink.reports.isEmpty)
    source.failure = missing
    cycles(37...37)
    #expect(sink.reports == ["gauge: missing gauge"], "it was there")
  }

  @Test func anotherFailureOfWhatNeedNotBeThereIsOne() {
    source.isOptional = true
    source.failure = missing
    cycles(0...0)
    source.failure = .busy(InlineText("gauge"))
    cycles(5...5)
    source.failure = missing
    cycles(15...15)
    source.failure = nil
    cycles(35...35)
    #expect(sink.reports == ["gauge: busy gauge", "gauge: recovered"])
  }

  @Test func theCycleWaitsForASourceThatGathers() {
    #expect(!supervisor.isGathering)
    listener.isGathering = true
    #expect(supervisor.isGathering)
  }

  /// Days of cycles would make it a thousand.
  @Test func aSourceThatGathersInEveryCycleIsOneListener() {
    let gauge = ScriptedSource("slow", listening: .answering)
    supervisor.add(gauge)
    (gauge.isGathering, gauge.deadline, gauge.shortfall) = (true, at(seconds: 5).instant, missing)
    gauge.isBehind = true
    cycles(0...4)
    supervisor.deadlineReached(at: at(seconds: 5))
    #expect(gauge.deadlineCount == 1)
  }

  @Test func whatAConnectedGPSDSaysOfItsReceiversIsToldAsItIs() {
    let name = InlineText("gpsd")
    supervisor.receiversReported(.failed(.silent(name)), of: name)
    supervisor.receiversReported(.chose(InlineText("/dev/ttyACM0")), of: name)
    supervisor.receiversReported(.recovered, of: name)
    #expect(sink.reports == ["gpsd: silent gpsd", "gpsd: chose /dev/ttyACM0", "gpsd: recovered"])
  }
}
