import Bytes
import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Agent
@testable import Tools

/// Time is in seconds. The wall clock showed 2023-11-14 22:13:20 at 0.
@Suite struct ServiceNoticesTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  private func moment(_ seconds: Int64) -> Moment {
    Moment(
      instant: at(seconds),
      wallTime: WallTime(nanoseconds: (1_700_000_000 + seconds) * 1_000_000_000))
  }

  private func makeNotices(watchdog: Duration? = nil) -> ServiceNotices {
    ServiceNotices(watchdogTimeout: watchdog, now: at(0))
  }

  /// What a turn of the loop tells, line by line.
  private func turn(
    _ notices: inout ServiceNotices, _ condition: ServiceNotices.Condition, at seconds: Int64,
    isTaken: Bool = true
  ) -> [String] {
    guard notices.prepare(condition, now: moment(seconds)) else { return [] }
    if isTaken {
      notices.told(condition, now: at(seconds))
    } else {
      notices.notTold(now: at(seconds))
    }
    return lines(notices)
  }

  private func lines(_ notices: borrowing ServiceNotices) -> [String] {
    String(decoding: [UInt8](notices.lines.bytes), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  private let untold = "STATUS=Nothing was sent to Home Assistant yet"

  @Test func anAgentIsReadyOnceItsLoopHasTurned() {
    var notices = makeNotices()
    #expect(notices.deadline == at(0))
    #expect(turn(&notices, .untried, at: 1) == ["READY=1", untold])
    #expect(turn(&notices, .untried, at: 2) == [])
    #expect(notices.deadline == nil, "nothing wakes the loop")
  }

  @Test func theLastProofIsTold() {
    var notices = makeNotices()
    _ = turn(&notices, .untried, at: 0)
    #expect(
      turn(&notices, .proven(at(5)), at: 10) == [
        "STATUS=Home Assistant has everything up to 2023-11-14T22:13:25+00:00"
      ])
    // A proof comes with each cycle; not each is worth waking the service manager.
    #expect(turn(&notices, .proven(at(65)), at: 69) == [])
    #expect(
      turn(&notices, .proven(at(65)), at: 70) == [
        "STATUS=Home Assistant has everything up to 2023-11-14T22:14:25+00:00"
      ])
    #expect(turn(&notices, .proven(at(65)), at: 1000) == [], "it is told already")
  }

  @Test func anOutageAndItsEndAreToldAtOnce() {
    var notices = makeNotices()
    _ = turn(&notices, .proven(at(0)), at: 0)
    #expect(
      turn(&notices, .outage(at(0)), at: 1) == [
        "STATUS=Home Assistant has nothing since 2023-11-14T22:13:20+00:00"
      ])
    #expect(turn(&notices, .outage(at(0)), at: 500) == [])
    #expect(
      turn(&notices, .proven(at(500)), at: 501) == [
        "STATUS=Home Assistant has everything up to 2023-11-14T22:21:40+00:00"
      ])
    #expect(
      turn(&notices, .outage(nil), at: 502) == [
        "STATUS=Home Assistant has nothing of this run yet"
      ])
  }

  @Test func aWatchdogGetsASignOfLifeInHalfItsTimeAndFromALoopThatTurnsAnyway() {
    var notices = makeNotices(watchdog: .seconds(1800))
    #expect(turn(&notices, .untried, at: 0) == ["READY=1", "WATCHDOG=1", untold])
    #expect(notices.deadline == at(900))
    #expect(turn(&notices, .untried, at: 449) == [])
    #expect(turn(&notices, .untried, at: 450) == ["WATCHDOG=1"])
    #expect(notices.deadline == at(1350))
  }

  /// Else the loop would spin: its deadline has passed.
  @Test func whatWasNotTakenIsToldAgainAfterAPause() {
    var notices = makeNotices(watchdog: .seconds(40))
    #expect(turn(&notices, .untried, at: 0, isTaken: false).first == "READY=1")
    #expect(notices.deadline == at(1))
    #expect(turn(&notices, .untried, at: 1).first == "READY=1")
    #expect(notices.deadline == at(21))
    #expect(turn(&notices, .untried, at: 21, isTaken: false) == ["WATCHDOG=1"])
    #expect(notices.deadline == at(22))
  }

  @Test func aReloadEndsWithTheAgentBeingReady() {
    var notices = makeNotices(watchdog: .seconds(40))
    _ = turn(&notices, .untried, at: 0)
    // systemd's clock stands still while the board sleeps.
    notices.prepareReloading(now: at(3), asleep: .milliseconds(500))
    #expect(lines(notices) == ["RELOADING=1", "MONOTONIC_USEC=2500000"])
    #expect(notices.deadline == at(3))
    #expect(turn(&notices, .untried, at: 3) == ["READY=1", "WATCHDOG=1"])
    #expect(notices.deadline == at(23))
  }

  /// A pause that is longer than the time for a start would end it.
  @Test func anAgentThatWaitsBeforeItsWorkAsksForTheTime() {
    let words = [
      "EXTEND_TIMEOUT_USEC=930000000", "STATUS=Waits before it starts; its log shows why",
    ]
    var notices = makeNotices()
    notices.prepareWaiting(.seconds(870))
    #expect(lines(notices) == words)
    var watched = makeNotices(watchdog: .seconds(40))
    watched.prepareWaiting(.seconds(870))
    #expect(lines(watched) == words + ["WATCHDOG=1"])
  }
}

/// Where `pair` may start the agent as a service of systemd.
@Suite struct ServiceTests {
  private static let needed = [
    "run/systemd/system", "usr/lib/systemd/system/homeward.service", "etc/homeward/homeward.yaml",
  ]

  /// Whether it starts for `user` on a board with these files.
  private func canStart(as user: uid_t = 0, with names: [String]) throws -> Bool {
    let root = TestRun.newPlace()
    for name in names {
      try FileManager.default.createDirectory(
        at: root.appending(path: name), withIntermediateDirectories: true)
    }
    return Service.canStart(as: user, below: Path([UInt8](root.path.utf8)))
  }

  @Test func rootStartsAServiceThatIsThereWithAllThatItNeeds() throws {
    #expect(try canStart(with: Self.needed))
    #expect(try !canStart(as: 1000, with: Self.needed), "systemctl would ask for a password")
  }

  @Test(arguments: needed)
  func whereAPartIsMissingNoServiceIsStarted(name: String) throws {
    #expect(try !canStart(with: Self.needed.filter { $0 != name }))
  }
}
