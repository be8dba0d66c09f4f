import Board
import Bytes
import Drivers
import LinuxIO
import Outbox

/// The agent at its work: one thread that sleeps until a descriptor is ready or a deadline has
/// come. In every cycle the sources are asked, what they are still waiting for is awaited, and the
/// courier sets out.
final class RunLoop {
  private let loop: EventLoop
  private let supervisor: Supervisor
  private let courier: Courier
  private let every: Duration
  private let signals: Signals
  private let startedAt: Instant
  private var nextCycleAt: Instant
  private var isGathering = false
  /// Who answers `homeward status`, if that is possible.
  var desk: StatusDesk?
  /// Where starts are counted, until this one has proven good.
  var starts: StartCount?

  init(
    loop: EventLoop, supervisor: Supervisor, courier: Courier, every: Duration, signals: Signals,
    now: Instant
  ) {
    self.loop = loop
    self.supervisor = supervisor
    self.courier = courier
    self.every = every
    self.signals = signals
    startedAt = now
    nextCycleAt = now
  }

  /// Works until the process is asked to stop or to read its configuration again, or until `isDone`
  /// says so, which is asked at `end` at the latest.
  func run(until isDone: () -> Bool, asking end: Instant? = nil) throws(Errno) {
    while !signals.isStopRequested, !signals.hasReloadRequest, !isDone() {
      try loop.turn(until: earliest(deadline, end))
      let moment = Moment.now
      courier.clockRead(moment)
      supervisor.deadlineReached(at: moment)
      courier.deadlineReached(now: moment.instant)
      cycle(at: moment)
    }
  }

  private var deadline: Instant {
    let next = earliest(supervisor.deadline, courier.deadline)
    return next.map { min($0, nextCycleAt) } ?? nextCycleAt
  }

  private func cycle(at moment: Moment) {
    if moment.instant >= nextCycleAt {
      supervisor.sample(at: moment)
      isGathering = true
      desk?.cycleDue()
      if let starts, moment.instant - startedAt >= StartCount.goodRun {
        starts.clear()
        self.starts = nil
      }
      nextCycleAt = nextCycleAt + every
      // After a suspension the cycles that were slept through are not made up for.
      if nextCycleAt <= moment.instant { nextCycleAt = moment.instant + every }
    }
    // What is urgent goes at once, but not moments before a fix that is on its way.
    guard !supervisor.isGathering else { return }
    if isGathering {
      isGathering = false
      courier.cycleDue(now: moment.instant)
    } else if courier.delivery.batch.hasUrgentChange {
      courier.urgentChange(now: moment.instant)
    }
  }
}

extension RunLoop: StatusKeeper {
  func writeStatus(at moment: Moment, into document: inout ByteBuffer) {
    courier.status(at: moment, startedAt: startedAt, nextCycleAt: nextCycleAt)
      .write(courier.delivery, into: &document)
  }
}
