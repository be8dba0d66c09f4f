import Bytes
import HomeAssistant
import Testing

@testable import Outbox

/// An import at work with a home.
struct StatisticsImportRig {
  static let first: Int64 = 498_682
  static let bilge = sensor("bilge")
  static let server = ServerVersion("2026.11.0")

  static func sensor(_ name: String, unit: String = "°C") -> StatisticsSensor {
    StatisticsSensor(uniqueID: [UInt8](name.utf8), unit: [UInt8](unit.utf8))
  }

  static func start(_ index: Int64) -> WallTime {
    WallTime(nanoseconds: (first + index) * 3_600_000_000_000)
  }

  static func imported(_ hours: Int, _ name: String = "bilge") -> StatisticsImport.Event {
    .imported(uniqueID: [UInt8](name.utf8), hours: hours)
  }

  var transfer = StatisticsImport(WaitingHours(), seed: 1)
  var home = StatisticsHome()
  var now = Instant(nanoseconds: 0)
  private var told: [StatisticsImport.Event] = []

  mutating func wait(_ count: Int64, of sensor: StatisticsSensor = Self.bilge) {
    for index in 0..<count {
      let mean = 20 + Double(index) / 3
      transfer.add(
        SensorHour(
          number: Self.first + index, .measured(mean: mean, lowest: mean - 1, highest: mean + 1)),
        of: sensor)
    }
  }

  /// Two hours of the bilge, and three of another sensor that Home Assistant knows.
  mutating func waitOfTwoSensors() {
    home.entities["sensor.under_the_deck"] = "hook_cabin"
    home.statistics["sensor.under_the_deck"] = .init(unit: "%")
    wait(2)
    wait(3, of: Self.sensor("cabin", unit: "%"))
  }

  mutating func begin() {
    transfer.connectionReady(
      Self.server, deviceID: "d", webhookID: [UInt8]("hook".utf8), time: Self.start(5), now: now)
  }

  /// One pass after a delay, with all that it waits for.
  mutating func pass(
    after delay: Duration = .zero, hoursLater: Int64 = 400, deviceID: Text? = "d",
    webhookID: String = "hook"
  ) throws {
    now = now + delay
    transfer.connectionReady(
      Self.server, deviceID: deviceID, webhookID: [UInt8](webhookID.utf8),
      time: Self.start(hoursLater), now: now)
    var isDone = false
    while !isDone {
      while let question = nextQuestion() { try home.answer(question, to: &transfer, now: now) }
      try #require(home.asked.count < 1000, "a pass ends")
      if let deadline = transfer.deadline {
        now = deadline
        transfer.deadlineReached(now: now)
      } else {
        isDone = true
      }
    }
  }

  /// What is to be asked; what is told before is taken.
  mutating func nextQuestion() -> RawRequest? {
    while let action = transfer.nextAction() {
      switch action {
      case .ask(let question): return question
      case .tell(.statistics(let event)): told.append(event)
      default: break
      }
    }
    return nil
  }

  /// What was told since this was looked at last.
  mutating func events() -> [StatisticsImport.Event] {
    let question = nextQuestion()
    #expect(question?.command == nil)
    defer { told = [] }
    return told
  }
}

extension SensorHour {
  /// Not a number of a counter.
  var mean: Double { if case .measured(let mean, _, _) = figures { mean } else { .nan } }
  var lowest: Double { if case .measured(_, let lowest, _) = figures { lowest } else { .nan } }
  var highest: Double { if case .measured(_, _, let highest) = figures { highest } else { .nan } }
}
