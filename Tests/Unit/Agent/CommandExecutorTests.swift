import Bytes
import Foundation
import LinuxIO
import Outbox
import TestRun
import Testing

@testable import Agent

/// What the board does about a command beside the machine.
@Suite struct CommandExecutorTests {
  private let folder = TestRun.newPlace()
  private let late = Instant(nanoseconds: RebootRequest.uptimeMin.nanoseconds)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> Path {
    Path([UInt8](folder.appending(path: name).path.utf8))
  }

  private func request(isEnabled: Bool = true) throws -> RebootRequest {
    if isEnabled {
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: "unit").path, withDestinationPath: "/usr/lib/unit")
    }
    return RebootRequest(
      directory: Path([UInt8](folder.path.utf8)), enabledUnit: path("unit"))
  }

  @Test func theServiceManagerIsAskedForARebootWithAFile() throws {
    let executor = CommandExecutor(outputs: [], anchor: nil, rebootRequest: try request())
    let moment = Moment(instant: late, wallTime: WallTime(nanoseconds: 0))
    #expect(executor.perform(.prepareReboot, at: moment) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["unit"])
    #expect(executor.reboot() == nil)
    #expect(FileManager.default.fileExists(atPath: folder.appending(path: "reboot").path))
  }

  /// Two that reboot it because it rebooted would have it do nothing else.
  @Test func aBoardThatHasJustStartedIsNotRebooted() throws {
    let request = try request()
    #expect(request.problem(now: Instant(nanoseconds: late.nanoseconds - 1)) == .tooSoon)
    #expect(request.problem(now: late) == nil)
  }

  /// Else a unit that is started hours later would reboot the board at once.
  @Test func aRequestThatNoUnitSawIsTakenBack() throws {
    let request = try request()
    #expect(request.make() == nil)
    #expect(request.problem(now: late) == .noReboot)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["unit"])
    #expect(request.problem(now: late) == nil)
  }

  @Test func withoutTheUnitTheBoardIsNotRebooted() throws {
    #expect(try request(isEnabled: false).problem(now: late) == .noReboot)
    #expect(
      RebootRequest(directory: nil, enabledUnit: path("unit")).problem(now: late) == .noReboot)
  }

  @Test func aRebootThatCannotBeAskedForSaysWhy() throws {
    let request = try request()
    try FileManager.default.removeItem(at: folder)
    #expect(request.make() == .noSuchFile)
  }

  @Test func whatTheConfigurationDoesNotHaveIsRefused() throws {
    let executor = CommandExecutor(outputs: [], anchor: nil, rebootRequest: try request())
    #expect(executor.perform(.output([UInt8]("Pump".utf8), .on), at: .now) == .unknownOutput)
    #expect(executor.perform(.anchor(isSet: true), at: .now) == .noAnchorWatch)
  }
}
