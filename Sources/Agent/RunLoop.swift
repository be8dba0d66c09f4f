import Board
import Bytes
import Drivers
import LinuxIO
import Outbox

/// The agent at its work: one thread that sleeps until a descriptor is ready or a deadline has
/// come.
final class RunLoop {
  private let loop: EventLoop
  private let supervisor: Supervisor
  private let driver: UplinkDriver
  private let signals: Signals
  private let startedAt: Instant
  /// Who answers `homeward status`, if that is possible.
  var desk: StatusDesk?
  /// Where starts are counted, until this one has proven good.
  var starts: StartCount?

  init(
    loop: EventLoop, supervisor: Supervisor, driver: UplinkDriver, signals: Signals, now: Instant
  ) {
    self.loop = loop
    self.supervisor = supervisor
    self.driver = driver
    self.signals = signals
    startedAt = now
  }

  /// Works until the process is asked to stop or to read its configuration again, or until `isDone`
  /// says so, which is asked at `end` at the latest.
  func run(until isDone: () -> Bool, asking end: Instant? = nil) throws(Errno) {
    while !signals.isStopRequested, !signals.hasReloadRequest, !isDone() {
      // Before an edge is recorded with the time of a clock that was set during the sleep.
      try loop.turn(until: earliest(deadline, end)) { driver.clockRead(.now) }
      let moment = Moment.now
      supervisor.deadlineReached(at: moment)
      driver.deadlineReached(now: moment.instant)
      if !supervisor.isGathering { driver.sourcesReady(now: moment.instant) }
      if driver.takeCycle() { cycleBegan(now: moment.instant) }
    }
  }

  private var deadline: Instant {
    supervisor.deadline.map { min($0, driver.deadline) } ?? driver.deadline
  }

  private func cycleBegan(now: Instant) {
    desk?.cycleDue()
    if let starts, now - startedAt >= StartCount.goodRun {
      starts.clear()
      self.starts = nil
    }
  }
}

extension RunLoop: StatusKeeper {
  func writeStatus(at moment: Moment, into document: inout ByteBuffer) {
    driver.status(at: moment, startedAt: startedAt).write(driver.uplink.delivery, into: &document)
  }
}
