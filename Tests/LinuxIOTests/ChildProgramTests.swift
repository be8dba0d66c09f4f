import Bytes
import CLinux
import Foundation
import LinuxIO
import Testing

/// Programs that the agent starts.
@Suite struct ChildProgramTests {
  private static let limit: Duration = .seconds(20)

  private func shell(
    _ script: String, _ arguments: [String] = [], environment: [String] = []
  ) throws -> ChildProgram {
    try ChildProgram(
      starting: Path("/bin/sh"),
      arguments: (["-c", script] + arguments).map { [UInt8]($0.utf8) },
      environment: environment.map { [UInt8]($0.utf8) })
  }

  /// What it writes until it ends. Each test takes that end, too: while one is left, the testing
  /// library waits in vain for the processes of all its exit tests.
  private func output(of program: ChildProgram) throws -> String {
    var text: [UInt8] = []
    var buffer = ByteBuffer(capacity: 4096)
    #expect(program.hasEnded(within: Self.limit))
    while case .bytes = try program.output.read(into: &buffer) {
      text += [UInt8](buffer.bytes)
      buffer.removeAll()
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func argumentsArriveAsTheyAre() throws {
    let program = try shell("printf '<%s>' \"$@\"", ["sh", "two words", "$HOME; `id`", "", "ü"])
    #expect(try output(of: program) == "<two words><$HOME; `id`><><ü>")
    #expect(program.takeEnding() == .exited(status: 0))
    #expect(program.takeEnding() == nil)
  }

  @Test func nothingOfTheEnvironmentPassesToIt() throws {
    unsafe setenv("HOMEWARD_TEST_SECRET", "hunter2", 1)
    let program = try ChildProgram(
      starting: Path("/usr/bin/env"), arguments: [], environment: [[UInt8]("ONE=1".utf8)])
    #expect(try output(of: program) == "ONE=1\n")
    #expect(program.takeEnding() == .exited(status: 0))
  }

  /// Also none that is not marked to be closed.
  @Test func noDescriptorPassesToIt() throws {
    let open = Descriptor(owning: dup(STDERR_FILENO))
    defer { withExtendedLifetime(open.number) {} }
    let program = try ChildProgram(
      starting: Path("/bin/ls"), arguments: [[UInt8]("-l".utf8), [UInt8]("/proc/self/fd/".utf8)],
      environment: [])
    let lines = try output(of: program).split(separator: "\n").filter { $0.contains(" -> ") }
    // The last one is the folder that it lists.
    #expect(lines.count == 4, "\(lines)")
    #expect(lines.first?.hasSuffix("/dev/null") == true, "\(lines)")
    #expect(lines[1...2].allSatisfy { $0.contains(" -> pipe:") }, "\(lines)")
    #expect(program.takeEnding() == .exited(status: 0))
  }

  @Test func itHasASessionOfItsOwnInTheRootAndNoSignalIsIgnored() throws {
    let program = try shell(
      "pwd; cut -d ' ' -f 1,5,6 /proc/$$/stat; exec grep -E '^Sig(Blk|Ign)' /proc/self/status")
    let lines = try output(of: program).split(separator: "\n").map(String.init)
    #expect(program.takeEnding() == .exited(status: 0))
    #expect(lines.first == "/")
    let numbers = try #require(lines.dropFirst().first).split(separator: " ")
    #expect(Set(numbers).count == 1, "\(lines)")
    // The signals 32 and 33 are those of the C library between its threads.
    let signals = lines.dropFirst(2).map { UInt64($0.suffix(16), radix: 16) }
    #expect(signals == [0, 0x1_8000_0000], "\(lines)")
  }

  @Test func whatItStartedEndsWithIt() throws {
    let program = try shell("sleep 1000 & echo $!")
    let text = try output(of: program)
    let child = try #require(pid_t(text.split(separator: "\n").first ?? ""))
    #expect(kill(child, 0) == 0)
    #expect(program.takeEnding() == .exited(status: 0))
    // The pipe has no end before each process with it is gone.
    var buffer = ByteBuffer(capacity: 16)
    #expect(clinux_wait_readable(program.output.number, 20_000) == 1)
    #expect(try program.output.read(into: &buffer) == .end)
  }

  @Test func oneThatDoesNotListenIsEndedByForce() throws {
    let program = try shell("trap '' TERM; echo ready; while :; do sleep 1; done")
    #expect(clinux_wait_readable(program.output.number, 20_000) == 1)
    program.terminate()
    #expect(!program.hasEnded(within: .milliseconds(50)))
    #expect(program.takeEnding() == nil)
    program.kill()
    #expect(program.hasEnded(within: Self.limit))
    #expect(program.takeEnding() == .signaled(SIGKILL))
  }

  /// The kernel would tell of no end, and the loop be called for it for ever.
  @Test func theEndIsTakenAlsoWhereTheStarterOfTheAgentIgnoresChildren() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGCHLD, SIG_IGN)
      _ = clinux_signalfd(false)
      let program = try ChildProgram(
        starting: Path("/bin/sh"), arguments: ["-c", "exit 7"].map { [UInt8]($0.utf8) },
        environment: [])
      _ = program.hasEnded(within: .seconds(20))
      guard case .exited(let status)? = program.takeEnding() else { _exit(1) }
      _exit(status)
    }
  }

  @Test func whatIsNoProgramIsTheKernelsError() throws {
    let directory = try TestDirectory()
    try directory.write([UInt8]("text".utf8), to: "text")
    #expect(throws: Errno.noSuchFile) {
      try ChildProgram(starting: directory.path("none"), arguments: [], environment: [])
    }
    #expect(throws: Errno.notPermitted) {
      try ChildProgram(starting: directory.path("text"), arguments: [], environment: [])
    }
    try check(unsafe chmod(directory.name + "/text", 0o755))
    #expect(throws: Errno.notAProgram) {
      try ChildProgram(starting: directory.path("text"), arguments: [], environment: [])
    }
  }

  @Test func aProgramThatOthersCouldReplaceIsNone() throws {
    let directory = try TestDirectory()
    let path = directory.path("program")
    let user = userOfProcess
    #expect(flaw(ofProgramAt: path, runBy: user) == .kernel(.noSuchFile))
    #expect(flaw(ofProgramAt: directory.path, runBy: user) == .notAFile)
    try directory.write([], to: "program")
    try check(unsafe chmod(directory.name + "/program", 0o755))
    #expect(flaw(ofProgramAt: path, runBy: user) == nil)
    try check(unsafe chmod(directory.name + "/program", 0o757))
    #expect(flaw(ofProgramAt: path, runBy: user) == .writableByAll)
    if user == 0 {
      try check(unsafe chmod(directory.name + "/program", 0o755))
      try check(unsafe chown(directory.name + "/program", 12345, 0))
      #expect(flaw(ofProgramAt: path, runBy: user) == .foreignOwner(12345))
      #expect(flaw(ofProgramAt: path, runBy: 12345) == nil)
    }
  }

  /// The file is good; who may write its directory puts another one in its place.
  @Test func aProgramThatOthersCouldExchangeIsNone() throws {
    let directory = try TestDirectory()
    let user = userOfProcess
    try check(unsafe mkdir(directory.name + "/shared", 0o755))
    try check(unsafe mkdir(directory.name + "/shared/bin", 0o755))
    let (shared, path) = (directory.path("shared"), directory.path("shared/bin/program"))
    try directory.write([], to: "shared/bin/program")
    try check(unsafe chmod(directory.name + "/shared/bin/program", 0o755))
    #expect(flaw(ofProgramAt: path, runBy: user) == nil)
    try check(unsafe chmod(directory.name + "/shared", 0o777))
    #expect(flaw(ofProgramAt: path, runBy: user) == .openDirectory(shared))
    // A link from a good place leads there all the same.
    try check(unsafe symlink(directory.name + "/shared/bin/program", directory.name + "/link"))
    #expect(flaw(ofProgramAt: directory.path("link"), runBy: user) == .openDirectory(shared))
    try check(unsafe chmod(directory.name + "/shared", 0o1777))
    #expect(flaw(ofProgramAt: path, runBy: user) == nil)
    if user == 0 {
      try check(unsafe chown(directory.name + "/shared", 12345, 0))
      #expect(
        flaw(ofProgramAt: path, runBy: user) == .foreignDirectory(shared, owner: 12345))
      #expect(flaw(ofProgramAt: path, runBy: 12345) == nil)
    }
  }
}

@Suite struct RealTimeClockTests {
  @Test func aDeviceThatIsNoClockSaysSo() throws {
    let clock = try RealTimeClock(opening: Path("/dev/null"))
    #expect(throws: Errno.notATerminal) { try clock.seconds() }
    #expect(throws: Errno.notATerminal) { try clock.setAlarm(at: 4_000_000_000) }
    #expect(throws: Errno.notATerminal) { try clock.alarm() }
  }

  @Test func aMomentWithoutAYearIsRefused() throws {
    let clock = try RealTimeClock(opening: Path("/dev/null"))
    #expect(throws: Errno.overflow) { try clock.setAlarm(at: .max) }
  }
}
