import Bytes
import Foundation
import LinuxIO
import Outbox
import TestRun
import Testing

@testable import Agent
@testable import Board

@Suite struct SpoolFilesTests {
  private let folder = TestRun.newPlace()

  /// Why the spool does not get at its disk, after all that it wants was done.
  private func failure() -> DiskFailure? {
    let files = SpoolFiles(in: Path([UInt8](folder.path.utf8)))
    let spool = Spool(device: DeviceFingerprint(low: 1, high: 2), seed: 1)
    let now = Instant(nanoseconds: 0)
    while let action = spool.nextAction() { files.perform(action, for: spool, now: now) }
    return spool.failure
  }

  @Test func aLinkThatLeadsNowhereIsNoReasonToForgetTheOtherFiles() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let spool = folder.appending(path: "spool")
    try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: spool.appending(path: "latest"), withDestinationURL: folder.appending(path: "nowhere"))
    #expect(failure() == nil)
  }

  @Test func aNameThatCannotBeLookedAtIsNoReasonToForgetTheOtherFiles() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let spool = folder.appending(path: "spool")
    try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: true)
    let loop = spool.appending(path: "0000000000000007.spool")
    try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
    #expect(failure() == nil)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: loop.path) == loop.path)
  }

  @Test func aFileThatIsNotTheSpoolsGetsAnotherNameAndReplacesNone() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let spool = folder.appending(path: "spool")
    try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: true)
    let file = spool.appending(path: "0000000000000007.spool")
    let aside = spool.appending(path: "0000000000000007.aside")
    let letters = [Data(repeating: 97, count: 300), Data(repeating: 98, count: 300)]
    try letters[0].write(to: file)
    #expect(failure() == nil)
    #expect(try Data(contentsOf: aside) == letters[0])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try letters[1].write(to: file)
    #expect(failure() == nil)
    #expect(try Data(contentsOf: aside) == letters[0])
    #expect(try Data(contentsOf: file) == letters[1])
  }

  @Test func aSpoolThatWasNeverThereIsEmptyAndIsNotMade() {
    #expect(failure() == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
