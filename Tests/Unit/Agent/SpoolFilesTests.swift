import Bytes
import Foundation
import LinuxIO
import Outbox
import TestRun
import Testing

@testable import Agent
@testable import Board
@testable import Tools

@Suite struct SpoolFilesTests {
  private let folder = TestRun.newPlace()
  private var spool: URL { folder.appending(path: "spool") }

  private func makeSpool() throws {
    try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: true)
  }

  /// Why the spool does not get at its disk, after all that it wants was done.
  private func failure() -> DiskFailure? {
    let files = SpoolFiles(in: Path([UInt8](folder.path.utf8)))
    let spool = Spool(device: DeviceFingerprint(low: 1, high: 2), seed: 1)
    let now = Instant(nanoseconds: 0)
    while let action = spool.nextAction() { files.perform(action, for: spool, now: now) }
    return spool.failure
  }

  @Test func aLinkThatLeadsNowhereIsNoReasonToForgetTheOtherFiles() throws {
    try makeSpool()
    try FileManager.default.createSymbolicLink(
      at: spool.appending(path: "latest"), withDestinationURL: folder.appending(path: "nowhere"))
    #expect(failure() == nil)
  }

  @Test func aNameThatCannotBeLookedAtIsNoReasonToForgetTheOtherFiles() throws {
    try makeSpool()
    let loop = spool.appending(path: "0000000000000007.spool")
    try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
    #expect(failure() == nil)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: loop.path) == loop.path)
  }

  @Test func aFileThatIsNotTheSpoolsGetsAnotherNameAndReplacesNone() throws {
    try makeSpool()
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

/// A spool that is read while the agent works in it.
@Suite struct SpoolFolderTests {
  private let place = TestRun.newPlace()

  /// What the agent deletes is with Home Assistant by then, and the track of it has no hole.
  @Test func aFileThatTheAgentDeletesMeanwhileIsReadToItsEnd() throws {
    // More than is read at once.
    let spool = try WrittenSpool(in: place)
    for second in 0..<4000 {
      spool.record(.evening(Double(second)))
      if second % 500 == 499 { try spool.closeBatch() }
    }
    let spoolPath = place.appending(path: "spool").path
    try #require(try FileManager.default.contentsOfDirectory(atPath: spoolPath).count == 1)

    var folder = try SpoolFolder(Path([UInt8](spoolPath.utf8)), isOptional: false)
    var count = 0
    while folder.next() != nil {
      count += 1
      if count == 1 { try FileManager.default.removeItem(at: place) }
    }
    #expect(count == 4000)
    #expect(folder.archive.exitCode == .success)
  }
}
