import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Tools

/// A spool that is read while the agent works in it.
@Suite struct SpoolFolderTests {
  private let place = TestRun.newPlace()

  /// What the agent deletes is with Home Assistant by then, and the track of it has no hole.
  @Test func aFileThatTheAgentDeletesMeanwhileIsReadToItsEnd() throws {
    defer { try? FileManager.default.removeItem(at: place) }
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
