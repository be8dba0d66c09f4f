import Drivers
import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Agent
@testable import Board

@Suite struct UplinkDriverTests {
  private let folder = TestRun.newPlace()

  /// A socket without room for its clients is tried again in each cycle, and not with every turn.
  @Test func aCycleThatBeganIsToldOnce() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = try Configuration.least("durability: memory\n")
    let state = StateDirectory(Path([UInt8](folder.path.utf8)))
    try #require(state.open() == .open)
    let reporter = Reporter(
      log: Log(), events: EventStream(isOn: false, waits: false),
      advice: SourceAdvice(configuration))
    let driver = try UplinkFactory(
      configuration: configuration, state: state, registration: nil, onceTimeout: nil,
      loop: try EventLoop(), reporter: reporter
    ).driver(now: Moment.now.instant)
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
