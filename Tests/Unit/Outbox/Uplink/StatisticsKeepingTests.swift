import Bytes
import HomeAssistant
import Sensing
import Testing

@testable import Outbox

/// When hours are kept on the disk, when they are brought, and what is told of both.
@Suite struct StatisticsKeepingTests {
  private enum Done: Equatable {
    case keep
    case ask(Text)
    case tell(StatisticsImport.Event)
    case tellNotKept(Int32)

    init?(_ action: Uplink.Action) {
      switch action {
      case .keepHours: self = .keep
      case .ask(let request): self = .ask(request.command)
      case .tell(.statistics(let event)): self = .tell(event)
      case .tell(.hoursNotKept(let failure)): self = .tellNotKept(failure.code)
      default: return nil
      }
    }
  }

  private static let hour: Int64 = 498_682
  private static let full = DiskFailure(code: 28)
  private static let search: Text = "search/related"

  private let sensors = SensorTable()
  private var transfer: StatisticsImport
  private var now = Instant(nanoseconds: 0)

  init() { transfer = StatisticsImport(WaitingHours(), of: sensors, seed: 1) }

  private static func time(_ hours: Double) -> WallTime {
    WallTime(startOfHour: hour) + .seconds(Int64(hours * 3600))
  }

  private mutating func done() -> [Done] {
    var done: [Done] = []
    while let action = transfer.nextAction() { done += Done(action).map { [$0] } ?? [] }
    return done
  }

  /// An hour that Home Assistant lacks is left of earlier runs.
  private mutating func wait() {
    var waiting = WaitingHours()
    waiting.insert(
      SensorHour(number: Self.hour, .measured(mean: 2, lowest: 1, highest: 3)),
      of: StatisticsSensor(uniqueID: [UInt8]("level".utf8), unit: [UInt8]("%".utf8)))
    transfer = StatisticsImport(waiting, of: sensors, seed: 1)
  }

  /// A sensor says a number through an hour of outage.
  private mutating func measureAnHour() throws {
    let level = SensorDescription(
      uniqueID: [UInt8]("level".utf8), name: [UInt8]("Level".utf8), unit: [UInt8]("%".utf8),
      stateClass: [UInt8]("measurement".utf8), icon: [UInt8]("mdi:eye".utf8))
    let sensor = try #require(sensors.declare(level))
    transfer.clockRead(Self.time(0), isRight: true, isReached: false)
    transfer.record(Reading(sensor: sensor, value: .number(FixedPoint(7)), time: Self.time(0)))
    transfer.clockRead(Self.time(0.99), isRight: true, isReached: false)
    #expect(done() == [], "the hour is not over")
    transfer.clockRead(Self.time(1), isRight: true, isReached: false)
  }

  private mutating func connect(deviceID: Text? = "5fa3") {
    transfer.connectionReady(
      .unknown, deviceID: deviceID, webhookID: [UInt8]("hook".utf8), time: Self.time(400), now: now)
  }

  // MARK: Kept

  @Test mutating func anHourThatWasMeasuredIsKept() throws {
    try measureAnHour()
    #expect(done() == [.keep])
    #expect(transfer.waiting.count == 1)
    transfer.kept(nil)
    transfer.cycleDue()
    #expect(done() == [], "the disk has it")
  }

  @Test mutating func whatIsNotKeptIsTriedAgainWithTheNextCycleAndToldOnce() throws {
    try measureAnHour()
    _ = done()
    transfer.kept(Self.full)
    #expect(done() == [.tellNotKept(28)])
    transfer.cycleDue()
    #expect(done() == [.keep])
    transfer.kept(Self.full)
    #expect(done() == [])
    transfer.cycleDue()
    _ = done()
    transfer.kept(DiskFailure(code: 5))
    #expect(done() == [.tellNotKept(5)])
  }

  @Test mutating func afterItWasKeptTheSameFailureIsNewsAgain() throws {
    try measureAnHour()
    _ = done()
    transfer.kept(Self.full)
    _ = done()
    transfer.kept(nil)
    transfer.kept(Self.full)
    #expect(done() == [.tellNotKept(28)])
  }

  @Test mutating func nothingIsKeptWhereNothingHasChanged() {
    wait()
    transfer.cycleDue()
    #expect(done() == [])
  }

  // MARK: Brought

  /// The answer to a question is taken for that question, and once.
  @Test mutating func anAnswerThatIsNotAwaitedSaysNothing() {
    wait()
    transfer.answered(.success(["entity": ["sensor.level"]]), now: now)
    #expect(done() == [])
    connect()
    _ = done()
    transfer.answered(.failure(.disconnected), now: now)
    transfer.answered(.success(["entity": ["sensor.level"]]), now: now)
    #expect(done() == [])
  }

  @Test mutating func whereNoHourWaitsNothingIsAtWork() {
    #expect(!transfer.isAtWork)
    connect()
    #expect(done() == [])
    wait()
    #expect(transfer.isAtWork)
  }

  /// What Home Assistant has does not wait any more, which is kept.
  @Test mutating func hoursThatHaveArrivedAreForgottenOnTheDiskAsWell() {
    wait()
    connect()
    let commands: [(Text, JSON)] = [
      (Self.search, ["entity": ["sensor.level"]]),
      (
        "config/entity_registry/get_entries",
        ["sensor.level": ["entity_id": "sensor.level", "unique_id": "hook_level"]]
      ),
      ("recorder/statistics_during_period", ["sensor.level": [["start": 1]]]),
      (
        "recorder/get_statistics_metadata",
        [
          [
            "statistic_id": "sensor.level", "source": "recorder", "has_sum": false,
            "mean_type": 1, "statistics_unit_of_measurement": "%", "name": nil,
          ]
        ]
      ),
      (
        "recorder/statistics_during_period",
        [
          "sensor.level": [
            [
              "start": .number(JSONNumber(Self.hour * 3_600_000)),
              "end": .number(JSONNumber((Self.hour + 1) * 3_600_000)),
              "mean": 2, "min": 1, "max": 3,
            ]
          ]
        ]
      ),
    ]
    for (command, answer) in commands {
      #expect(done() == [.ask(command)])
      transfer.answered(.success(answer), now: now)
    }
    #expect(done() == [.keep, .tell(.imported(uniqueID: [UInt8]("level".utf8), hours: 1))])
    #expect(transfer.waiting.isEmpty && !transfer.isAtWork)
  }
}
