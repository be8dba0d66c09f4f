import Board
import Bytes
import LinuxIO
import Outbox

/// Why the clock that is to wake the board has no alarm.
enum WakeFailure: Error, Equatable {
  case missing
  case notPermitted
  /// Another program has it open, also some seconds later.
  case busy
  /// The same, and the run was asked to stop meanwhile.
  case stopped
  case notAClock
  /// It does not know the time.
  case neverSet
  /// Its driver, or its wiring, has none.
  case withoutAlarm
  case tooNear(Duration)
  /// What it says of its alarm is not what it was told.
  case notKept
  case kernel(Errno)

  init(opening error: Errno) {
    self =
      switch error {
      case .noSuchFile, .noSuchDevice, .noSuchAddress: .missing
      case .notPermitted, .operationNotPermitted: .notPermitted
      case .busy: .busy
      default: .kernel(error)
      }
  }

  init(reading error: Errno) {
    self =
      switch error {
      case .invalidArgument: .neverSet
      case .notATerminal: .notAClock
      default: .kernel(error)
      }
  }

  init(setting error: Errno) {
    self =
      switch error {
      case .invalidArgument, .notATerminal: .withoutAlarm
      case .timeIsOver: .tooNear(.zero)
      default: .kernel(error)
      }
  }

  init(_ refusal: WakeAlarm.Refusal) {
    self =
      switch refusal {
      case .tooNear(let ahead): .tooNear(ahead)
      case .beyondTime: .kernel(.overflow)
      }
  }

  /// What is wrong, and what to do.
  func words(of clock: Path) -> MessageText {
    switch self {
    case .missing:
      "there is no clock \(clock): ls /dev/rtc* shows those of this board; load the driver of yours,"
        + " or name it with --rtc"
    case .notPermitted: "\(clock) may not be opened: run this as root"
    case .busy:
      "another program has \(clock) open, such as a daemon that keeps time: fuser \(clock) names it"
    case .stopped: "\(clock) is busy, and this run was asked to stop before it was free"
    case .notAClock: "\(clock) is no real-time clock: name one with --rtc"
    case .neverSet:
      "\(clock) does not know the time, it was never set or lost its power: look at its battery, and"
        + " set it: hwclock --systohc --rtc \(clock)"
    case .withoutAlarm:
      "\(clock) has no alarm: another clock may have one (--rtc), or its driver lacks its interrupt"
        + " (an overlay of the device tree needs wakeup-source)"
    case .tooNear(let ahead):
      "only \(max(ahead, .zero)) are left until the alarm, which may pass before the board is off:"
        + " run this again"
    case .notKept: "\(clock) does not keep its alarm: look at its wiring and its driver"
    case .kernel(let error): "the alarm of \(clock) cannot be set: \(error)"
    }
  }
}

/// Has a clock switch the board on again.
struct WakeClock {
  static let standardDevice: StaticString = "/dev/rtc0"

  let device: Path
  /// By which it waits where another program has the clock open, and which sees `signals`.
  let loop: EventLoop
  let signals: Signals
  let log: Log

  /// Sets the alarm, and looks whether the clock has it.
  func wake(at wake: WallTime) throws(WakeFailure) {
    let clock = try opened()
    let present: Int64
    do throws(Errno) { present = try clock.seconds() } catch { throw WakeFailure(reading: error) }
    let alarm: WakeAlarm
    do throws(WakeAlarm.Refusal) {
      alarm = try WakeAlarm(for: wake, at: Moment.now.wallTime, clockSeconds: present)
    } catch { throw WakeFailure(error) }
    do throws(Errno) { try clock.setAlarm(at: alarm.seconds) } catch {
      throw WakeFailure(setting: error)
    }
    let kept: RealTimeClock.Alarm
    do throws(Errno) { kept = try clock.alarm() } catch { throw .kernel(error) }
    guard alarm.isKept(seconds: kept.seconds, isEnabled: kept.isEnabled) else { throw .notKept }
  }

  private func opened() throws(WakeFailure) -> RealTimeClock {
    let retry = ClockRetry(now: Moment.now.instant)
    var isTold = false
    while true {
      do throws(Errno) { return try RealTimeClock(opening: device) } catch {
        guard error == .busy else { throw WakeFailure(opening: error) }
        let isStopRequested = signals.isStopRequested
        guard let next = retry.nextTry(after: Moment.now.instant, isStopRequested: isStopRequested)
        else { throw isStopRequested ? .stopped : .busy }
        if !isTold {
          log.notice("\(device) is busy: it is tried again for \(ClockRetry.patience) at most")
          isTold = true
        }
        try wait(until: next)
      }
    }
  }

  private func wait(until end: Instant) throws(WakeFailure) {
    do throws(Errno) {
      while Moment.now.instant < end, !signals.isStopRequested { try loop.turn(until: end) }
    } catch { throw .kernel(error) }
  }
}
