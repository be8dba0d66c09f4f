import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Agent
@testable import Board
@testable import Bytes
@testable import Outbox

extension Configuration {
  /// The least that a file says, and more on the lines below it.
  static func least(_ more: String = "") throws -> Configuration {
    try Configuration.parse(
      [UInt8]("home_assistant: { url: \"http://192.168.1.5:8123\" }\n\(more)".utf8))
  }
}

extension Reporter {
  /// A reporter that writes no events.
  static func withoutEvents(_ configuration: Configuration) -> Reporter {
    Reporter(
      log: Log(), events: EventStream(isOn: false, waits: false),
      advice: SourceAdvice(configuration))
  }
}

@Suite struct HoursFileTests {
  private let folder = TestRun.newPlace()
  private let device = DeviceFingerprint(low: 1, high: 2)

  private func file() throws -> HoursFile {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return HoursFile(
      in: Path([UInt8](folder.path.utf8)), of: device, reporter: .withoutEvents(try .least()))
  }

  private var hours: WaitingHours {
    var hours = WaitingHours()
    hours.insert(
      SensorHour(number: 1, .measured(mean: 5, lowest: 1, highest: 9)),
      of: StatisticsSensor(uniqueID: [UInt8]("level".utf8), unit: [UInt8]("%".utf8)))
    return hours
  }

  @Test func hoursAreThereAfterARestartUntilTheyAreDelivered() throws {
    #expect(try file().write(hours) == nil)
    #expect(try file().read() == hours)
    #expect(try file().write(WaitingHours()) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func aFileOfHoursThatCannotBeReadIsNotWrittenOver() throws {
    let kept = try file()
    let path = folder.appending(path: "statistics.hours")
    // Longer than any that the agent writes, so that it is not read.
    let text = Data(repeating: 0x78, count: WaitingHours.fileByteCountMax + 1)
    try text.write(to: path)
    #expect(kept.read().isEmpty)
    #expect(kept.write(hours) == nil)
    #expect(try Data(contentsOf: path) == text)
  }
}
