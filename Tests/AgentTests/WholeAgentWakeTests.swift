import Foundation
import PracticeHome
import Testing

@testable import Agent
@testable import LinuxIO

extension WholeAgent {
  /// A board that is switched off between two reports.
  @Suite struct Wake {}
}

extension WholeAgent.Wake {
  /// Seconds since 1970 that the run told, and whether they are what a script may wait for.
  private func moment(_ ending: RunningAgent.Ending) throws -> Int {
    #expect(ending.output.count == 1, "\(ending.output)")
    let line = try #require(ending.output.first)
    let wake = try #require(Int(line))
    let ahead = wake - Int(Date.now.timeIntervalSince1970)
    #expect(ahead > 100 && ahead <= 3600 + 120, "\(ahead)")
    #expect(wake % 3600 == 0)
    return wake
  }

  @Test func aScriptReadsTheMomentAndNothingElse() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home, settings: "upload: { every: 1h }")
    let ending = try await board.run("run", "--once", "--print-next-wake", "--trust-clock")
    #expect(ending.status == 0)
    _ = try moment(ending)
    #expect(ending.lines(with: "BAT7 capacity").count == 1, "\(ending.log)")
  }

  /// Else the board would stay on, or off for good, because a network is away.
  @Test func whereHomeAssistantIsNotReachedThereIsANextTimeToo() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home, settings: "upload: { every: 1h }")
    home.fault = .hang
    let ending = try await board.run(
      "run", "--once", "--print-next-wake", "--trust-clock", "--timeout=1s")
    #expect(ending.status == 75)
    _ = try moment(ending)
  }

  @Test func aLowBatteryIsAskedLessOften() async throws {
    let home = try practiceHome()
    let board = try Board(
      reportingTo: home,
      settings: "upload: { every: 1h }\npower: [{ below: 90%, upload: 6h }]")
    let ending = try await board.run("run", "--once", "--print-next-wake", "--trust-clock")
    #expect(ending.status == 0)
    let wake = try #require(ending.output.first.flatMap { Int($0) })
    #expect(wake % (6 * 3600) == 0)
    #expect(ending.lines(with: "power level: below 90 %; every 6 h").count == 1, "\(ending.log)")
  }

  /// Else it would end before it has reported what it does know.
  @Test func aReceiverWithoutAFixIsWaitedForNoLongerThanTheRunMayTake() async throws {
    let home = try practiceHome()
    let gpsd = FakeGPSD(reporting: TPV(mode: 1))
    let board = try Board(
      reportingTo: home, settings: "location: { source: gpsd, port: \(gpsd.port) }")
    let configuration = try String(contentsOfFile: board.configuration, encoding: .utf8)
    try board.write(
      configuration.replacingOccurrences(of: "every: 5s", with: "every: 6h"), to: "homeward.yaml")
    let ending = try await board.run("run", "--once", "--timeout=6s")
    #expect(ending.status == 75, "\(ending.log)")
    #expect(shownCharge(in: home) == "83")
  }

  @Test func whatIsForProgramsHoldsItToo() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home, settings: "upload: { every: 1h }")
    let ending = try await board.run("run", "--once", "--json", "--trust-clock")
    let last = try #require(ending.output.last)
    #expect(last.contains(#""next_wake":"2"#) && last.contains(#":00:00+00:00""#), "\(last)")
  }

  /// A power HAT was given a moment that had passed by its own clock: the board never woke.
  @Test(.enabled(if: !isClockSynchronized, "the network keeps the clock of this machine"))
  func aClockThatMayBeWrongTellsNoMoment() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home)
    let ending = try await board.run("run", "--once", "--print-next-wake")
    #expect(ending.status == 72)
    #expect(ending.output == [])
    #expect(ending.lines(with: "No alarm can be set: leave the board on").count == 1)
    #expect(ending.lines(with: "add --trust-clock").count == 1, "\(ending.log)")
    // What it was started for it did.
    #expect(shownCharge(in: home) == "83")

    let json = try await board.run("run", "--once", "--json")
    #expect(json.status == 0)
    #expect(!json.output.contains { $0.contains("next_wake") })
  }

  /// Who switches such a board off does not see it again.
  @Test(arguments: [
    ("/dev/null", "/dev/null is no real-time clock"),
    ("/dev/rtc99", "there is no clock /dev/rtc99"),
  ])
  func withoutAnAlarmNoMomentIsTold(device: String, words: String) async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home)
    let arguments = ["run", "--once", "--config", board.configuration, "--wake", "rtc"]
    let ending = try await RunningAgent(
      on: board, arguments + ["--rtc", device, "--print-next-wake"]
    ).ending()
    #expect(ending.status == 72)
    #expect(ending.output == [])
    #expect(ending.lines(with: words).count == 1, "\(ending.log)")
    #expect(ending.lines(with: "No alarm is set: leave the board on").count == 1)
    // What it was started for it did.
    #expect(shownCharge(in: home) == "83")

    let json = try await RunningAgent(on: board, arguments + ["--rtc", device, "--json"]).ending()
    #expect(json.status == 72)
    #expect(!json.output.contains { $0.contains("next_wake") })
  }

  /// A terminal that its program has to itself, to which the kernel says what it says of such a
  /// clock; but not to an administrator of the system.
  @Test func whoStopsARunWaitsForNoClock() async throws {
    let home = try practiceHome()
    let board = try Board(reportingTo: home)
    var (person, terminal): (Int32, Int32) = (-1, -1)
    try #require(unsafe openpty(&person, &terminal, nil, nil, nil) == 0)
    defer {
      close(person)
      close(terminal)
    }
    try #require(ioctl(terminal, UInt(TIOCEXCL)) == 0)
    let device = try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(terminal)")
    let words = ["run", "--once", "--config", board.configuration, "--wake", "rtc"]
    let agent = try RunningAgent(
      on: board,
      (geteuid() == 0 ? ["--bounding-set=-sys_admin"] : ["--no-new-privs"])
        + [RunningAgent.executable.path] + words + ["--rtc", device],
      startedBy: URL(filePath: "/usr/bin/setpriv"))
    #expect(await agent.says("\(device) is busy: it is tried again"))
    let ending = await agent.stop()
    #expect(ending.status == 72)
    #expect(ending.lines(with: "asked to stop").count == 1, "\(ending.log)")
    #expect(ending.lines(with: "No alarm is set: leave the board on").count == 1)
  }

  @Test func aRunThatCannotBeginSetsNoAlarmAndSaysSo() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    try board.write("every: 10\n", to: "homeward.yaml")
    let words = ["run", "--once", "--config", board.configuration]
    let ending = try await RunningAgent(on: board, words + ["--wake", "rtc"]).ending()
    #expect(ending.status == 72)
    #expect(ending.lines(with: "\"10\" has no unit").count == 1, "\(ending.log)")
    #expect(ending.lines(with: "No alarm is set: leave the board on").count == 1)
    #expect(try await RunningAgent(on: board, words + ["--print-next-wake"]).ending().status == 78)
  }

  @Test func whatDoesNotGoTogetherIsAMistake() async throws {
    let board = try Board(reportingTo: "http://127.0.0.1:1", token: nil)
    for (words, mistake) in [
      (["--print-next-wake"], "--print-next-wake goes with --once only"),
      (["--wake", "rtc"], "--wake goes with --once only"),
      (["--trust-clock"], "--trust-clock goes with --once only"),
      (["--once", "--wake", "hat"], "\"hat\" wakes no board that Homeward knows; write rtc"),
      (["--once", "--rtc", "/dev/rtc1"], "--rtc goes with --wake rtc only"),
      (["--once", "--wake", "rtc", "--rtc", "rtc1"], "\"rtc1\" is no device"),
    ] {
      let ending = try await RunningAgent(on: board, ["run"] + words).ending()
      #expect(ending.status == 64)
      #expect(ending.lines(with: mistake).count == 1, "\(ending.log)")
    }
  }

  @Test func eachErrorOfTheKernelIsTheMistakeThatItMeans() {
    #expect(WakeFailure(opening: .busy) == .busy)
    #expect(WakeFailure(opening: .notPermitted) == .notPermitted)
    #expect(WakeFailure(opening: .noSuchDevice) == .missing)
    #expect(WakeFailure(reading: .invalidArgument) == .neverSet)
    #expect(WakeFailure(setting: .invalidArgument) == .withoutAlarm)
    #expect(WakeFailure(setting: .timeIsOver) == .tooNear(.zero))
    #expect(WakeFailure(setting: .inputOutput) == .kernel(.inputOutput))
  }
}
