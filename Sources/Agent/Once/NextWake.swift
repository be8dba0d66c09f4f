import Board
import Bytes
import CLinux
import LinuxIO
import Outbox

/// When a board that is switched off after a run of `--once` has to be on again, and whether the
/// clock that is to wake it knows.
///
/// Who has an alarm set switches the board off afterwards: so the moment is told only where the
/// clock has the alarm, and it is the same for the alarm, for a program and for who reads it. Where
/// a script sets the alarm of another clock, it is told only where the time is known to be right.
struct NextWake {
  private let moment: WakeMoment
  private let options: OnceOptions
  private let failure: WakeFailure?

  /// - Parameters:
  ///   - moment: when it has to be on again.
  ///   - options: what the person asked for.
  ///   - clock: what switches it on; nil where a script sees to that.
  init(_ moment: WakeMoment, _ options: OnceOptions, settingAlarmOf clock: WakeClock?) {
    self.moment = moment
    self.options = options
    var failure: WakeFailure?
    do throws(WakeFailure) { try clock?.wake(at: moment.boardTime) } catch { failure = error }
    self.failure = failure
  }

  /// Nil where nothing will wake the board, or not at that moment.
  var told: WallTime? {
    guard options.clock != nil else { return moment.certainTime }
    return failure == nil ? moment.time : nil
  }

  func write(into line: inout ByteBuffer) {
    guard let told else { return }
    line.appendMember("next_wake", Text(iso8601: told).bytes.span)
  }

  /// In seconds since 1970, as rtcwake(8) and `wakealarm` of sysfs take it.
  func print() {
    guard let told else { return }
    let line: MessageText = "\(Int(told.nanoseconds / 1_000_000_000))\n"
    writeToTerminal(line.bytes, STDOUT_FILENO)
  }

  /// How a run ends that ended with `code`, where this is told.
  func code(after code: ExitCode, _ log: Log) -> ExitCode {
    if let clock = options.clock {
      if let failure {
        log.error("\(failure.words(of: clock)). No alarm is set: leave the board on")
        return .systemFile
      }
      log.notice("\(clock) switches this board on again: \(localTime: moment.time)")
    } else if let doubt = moment.doubt, options.printsNextWake {
      log.error("\(doubt.words). No alarm can be set: leave the board on")
      return .systemFile
    }
    return code
  }
}

extension WakeMoment.Doubt {
  /// What is wrong, and what to do.
  fileprivate var words: MessageText {
    switch self {
    case .unknownTime:
      "it is not known whether the clock of this board is right, so no moment is told: neither the"
        + " network nor a GPS receiver has told the time. Let NTP reach a server (timedatectl shows"
        + " whether it did); or where the clock of a power HAT sets the board's at each start, add"
        + " --trust-clock"
    case .impossibleTime:
      "the clock of this board cannot be right, so no moment is told: date shows it. Set it, or look"
        + " at the battery of the clock that sets it"
    }
  }
}
