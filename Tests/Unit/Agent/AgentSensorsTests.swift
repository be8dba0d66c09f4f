import Bytes
import Drivers
import Foundation
import LinuxIO
import Sensing
import TestRun
import Testing

@testable import Agent
@testable import Board

/// A driver of an agent that keeps its state in a folder.
private func uplinkDriver(
  of configuration: Configuration, in folder: URL, reporter: Reporter
) throws -> UplinkDriver {
  let state = StateDirectory(Path([UInt8](folder.path.utf8)))
  try #require(state.open() == .open)
  return try UplinkFactory(
    configuration: configuration, state: state, registration: nil, onceTimeout: nil,
    loop: try EventLoop(), reporter: reporter
  ).driver(now: Moment.now.instant)
}

@Suite struct UplinkDriverTests {
  private let folder = TestRun.newPlace()

  /// A socket without room for its clients is tried again in each cycle, and not with every turn.
  @Test func aCycleThatBeganIsToldOnce() throws {
    let configuration = try Configuration.least("durability: memory\n")
    let reporter = Reporter.withoutEvents(configuration)
    let driver = try uplinkDriver(of: configuration, in: folder, reporter: reporter)
    // It is told by the supervisor as long as there is one.
    let reports = SourceReports(driver: driver, reporter: reporter)
    let supervisor = Supervisor(owner: reports)
    #expect(!driver.takeCycle())
    driver.start(
      sampling: supervisor, commanding: CommandExecutor(outputs: [], anchor: nil))
    driver.deadlineReached(now: driver.deadline)
    #expect(driver.takeCycle())
    #expect(!driver.takeCycle())
    withExtendedLifetime(reports) {}
  }
}

/// Which level of the power policy holds, as a sensor.
@Suite struct AgentSensorsTests {
  private let folder = TestRun.newPlace()
  private let sink = RecordingSink()
  private let driver: UplinkDriver
  private let status: AgentSensors
  private let charge: SensorIndex

  init() throws {
    let configuration = try Configuration.least(
      "durability: memory\nbattery: auto\npower: [{ below: 30%, every: 2h }]\n")
    driver = try uplinkDriver(
      of: configuration, in: folder, reporter: .withoutEvents(configuration))
    status = AgentSensors(driver: driver, sink: sink)
    charge = try #require(
      driver.declare(SupplySensor.capacity.description(of: [UInt8]("house".utf8))))
  }

  private func charge(_ percent: Int64) {
    driver.record(
      Reading(sensor: charge, value: .number(FixedPoint(percent)), time: Moment.now.wallTime))
  }

  /// The next cycle may be hours away.
  @Test func aNewLevelIsToldWithoutACycle() throws {
    status.recordChangedLevel(at: .now)
    #expect(sink.words.isEmpty)
    charge(29)
    for _ in 0..<3 { status.recordChangedLevel(at: .now) }
    #expect(sink.words == ["below 30 %"])
    charge(90)
    status.recordChangedLevel(at: .now)
    #expect(sink.words == ["below 30 %", "normal"])
    #expect(sink.descriptions.map(\.isUrgent) == [true], "it does not wait for an upload")
  }

  @Test func eachCycleTellsTheLevelThatHolds() throws {
    for _ in 0..<2 { try status.sample(at: .now) }
    charge(29)
    try status.sample(at: .now)
    status.recordChangedLevel(at: .now)
    #expect(sink.words == ["normal", "normal", "below 30 %"])
  }
}

/// Keeps the words that it gets.
private final class RecordingSink: ReadingSink {
  private(set) var descriptions: [SensorDescription] = []
  private(set) var words: [String] = []

  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    descriptions.append(sensor)
    return SensorIndex(descriptions.count - 1)
  }

  func record(_ reading: Reading) {
    if case .text(let text) = reading.value {
      words.append(String(decoding: [UInt8](text.bytes), as: UTF8.self))
    }
  }

  func record(_ fix: Fix) {}
}
