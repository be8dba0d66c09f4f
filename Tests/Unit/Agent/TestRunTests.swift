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

  @Test func whatWasStartedAndHasNotEndedEndsWithTheRun() async throws {
    let ended = try ChildProcess("sleep", ["1000"])
    let forgotten = try ChildProcess("sleep", ["1000"])
    do {
      let attendant = Attendant()
      for process in [ended, forgotten] { attendant.watch(process.processIdentifier) }
      attendant.forget(forgotten.processIdentifier)
    }
    #expect(await ended.ending() == SIGKILL)
    #expect(forgotten.isRunning)
    forgotten.send(signal: SIGKILL)
    #expect(await forgotten.ending() == SIGKILL)
  }

  @Test func aProgramThatHangsIsKilled() async throws {
    let process = try ChildProcess("sleep", ["1000"], timeout: .milliseconds(1))
    #expect(await process.ending() == SIGKILL)
  }

  @Test func aProgramHasItsStreamsAndNothingElse() async throws {
    let (input, output) = (Pipe(), Pipe())
    let process = try ChildProcess(
      "sh", ["-c", "read -r line; echo $line $WORD $PWD; ls /proc/$$/fd; exit 7"],
      environment: ["WORD": "and"], in: URL(filePath: "/"), input: .pipe(input),
      output: .pipe(output), errors: .nothing)
    try input.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
    var lines: [String] = []
    for await line in output.lines() { lines.append(line) }
    #expect(lines == ["one and /", "0", "1", "2"])
    #expect(await process.ending() == 7)
  }

  @Test func writingToAProgramThatHasEndedFailsAndEndsNothing() async throws {
    // A `Pipe` has ends that each program inherits that the agent starts in another test.
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing) = (
      FileHandle(fileDescriptor: ends[0]), FileHandle(fileDescriptor: ends[1])
    )
    defer { try? writing.close() }
    let process = try ChildProcess("true", [], input: .file(reading))
    try reading.close()
    #expect(await process.ending() == 0)
    // A program that another test starts at this moment has the end until it begins.
    while (try? writing.write(contentsOf: Data("late".utf8))) != nil { await Task.yield() }
  }

  @Test func aProgramThatIsNotThereIsNamed() throws {
    let failure = try #require(throws: ChildProcess.StartFailure.self) {
      _ = try ChildProcess("no-such-program", [])
    }
    #expect(failure.program == "no-such-program" && failure.error.code == .ENOENT)
  }
}
