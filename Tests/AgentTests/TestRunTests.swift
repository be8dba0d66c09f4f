import Foundation
import Testing

@testable import TestRun

/// What a run of the tests leaves behind where it is killed.
@Suite struct TestRunTests {
  private let directory = TestRun.newPlace()

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func exists(_ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.path)
  }

  @Test func theFolderOfARunThatLivesStays() throws {
    let folder = try #require(TestRun.makeFolder(in: directory))
    TestRun.removeFoldersOfDeadRuns(in: directory)
    #expect(exists(folder))
  }

  @Test func theFolderOfADeadRunGoesWithAllThatIsInIt() throws {
    // A process that is no more holds no lock.
    let dead = directory.appending(path: "\(TestRun.prefix)dead")
    try FileManager.default.createDirectory(
      at: dead.appending(path: "state"), withIntermediateDirectories: true)
    try Data().write(to: dead.appending(path: TestRun.lock))
    let beginning = directory.appending(path: "\(TestRun.prefix)beginning")
    try FileManager.default.createDirectory(at: beginning, withIntermediateDirectories: true)
    TestRun.removeFoldersOfDeadRuns(in: directory)
    #expect(!exists(dead))
    #expect(exists(beginning), "a run that begins has no lock yet")
  }

  private func sleeper() throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sleep")
    process.arguments = ["1000"]
    try process.run()
    return process
  }

  @Test func whatWasStartedAndHasNotEndedEndsWithTheRun() throws {
    let (ended, forgotten) = (try sleeper(), try sleeper())
    do {
      let attendant = Attendant()
      for process in [ended, forgotten] { attendant.watch(process.processIdentifier) }
      attendant.forget(forgotten.processIdentifier)
    }
    ended.waitUntilExit()
    #expect(ended.terminationReason == .uncaughtSignal && ended.terminationStatus == SIGKILL)
    #expect(forgotten.isRunning)
    kill(forgotten.processIdentifier, SIGKILL)
    forgotten.waitUntilExit()
  }
}
