import Board
import Bytes
import CLinux
import LinuxIO

/// When a board that is switched off after a run of `--once` has to be on again, and whether the
/// clock that is to wake it knows.
///
/// Who has an alarm set switches the board off afterwards: so the moment is told only where the
/// clock has the alarm, and it is the same for the alarm, for a program and for who reads it.
struct NextWake {
  private let moment: WallTime
  /// Nil where a script sees to it.
  private let clock: Path?
  private let failure: WakeFailure?

  /// - Parameters:
  ///   - moment: when it has to be on again.
  ///   - clock: what switches it on; nil where a script sees to that.
  init(_ moment: WallTime, settingAlarmOf clock: WakeClock?) {
    self.moment = moment
    self.clock = clock?.device
    var failure: WakeFailure?
    do throws(WakeFailure) { try clock?.wake(at: moment) } catch { failure = error }
    self.failure = failure
  }

  /// Nil where no clock will wake the board.
  var told: WallTime? { failure == nil ? moment : nil }

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
    guard let clock else { return code }
    if let failure {
      log.error("\(failure.words(of: clock)). No alarm is set: leave the board on")
      return .systemFile
    }
    log.notice("\(clock) switches this board on again: \(localTime: moment)")
    return code
  }
}
