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

  @Test func aSpoolThatWasNeverThereIsEmptyAndIsNotMade() {
    #expect(failure() == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
