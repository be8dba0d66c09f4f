import Board
import Bytes
import CLinux
import LinuxIO
import Outbox
import Sensing

/// The options of a run that reads and sends everything once.
public struct OnceOptions {
  /// Default time limit of such a run.
  public static let standardTimeout: Duration = .seconds(90)

  /// Time limit from the start of the run, also without a network.
  public var timeout = standardTimeout
  /// Whether standard output contains only the time at which the board has to be on again.
  public var printsNextWake = false
  /// Whether the user trusts the board's clock, which another clock has set.
  public var isClockTrusted = false

  public init() {}

  /// Time limit for the answer of a source. A receiver that was without power has time to start, if
  /// a third of the run remains to send the readings.
  var answerTimeout: Duration {
    let third: Duration = .nanoseconds(timeout.nanoseconds / 3)
    return max(third, min(GPSDSession.startTimeout, third * 2))
  }
}

/// The time at which a board that is switched off after `--once` has to be on again.
///
/// A script sets an alarm by it and then switches the board off, so the time is printed only if the
/// clock is known to be right.
struct NextWake {
  private let moment: WakeMoment
  private let options: OnceOptions

  init(of uplink: Uplink, _ options: OnceOptions) {
    let now = Moment.now.wallTime
    moment = WakePlan.moment(
      every: uplink.reportInterval, at: now,
      aheadBy: uplink.delivery.history.corrected(now) - now,
      isTrusted: uplink.delivery.history.isClockTrusted, isVouchedFor: options.isClockTrusted)
    self.options = options
  }

  func write(into line: inout ByteBuffer) {
    guard let time = moment.certainTime else { return }
    line.appendMember("next_wake", Text(iso8601: time).bytes.span)
  }

  /// Prints the time in seconds since 1970, the form of rtcwake(8) and of `wakealarm` in sysfs.
  func print() {
    guard let time = moment.certainTime else { return }
    let line: MessageText = "\(time.nanoseconds / 1_000_000_000)\n"
    writeToTerminal(line.bytes, STDOUT_FILENO)
  }

  /// Returns the exit code of a run that ended with `code`: an error if a script waits for a time
  /// that is not known.
  func code(after code: ExitCode, _ log: Log) -> ExitCode {
    guard let doubt = moment.doubt, options.printsNextWake else { return code }
    log.error("\(doubt.words). No alarm can be set: leave the board on")
    return .systemFile
  }
}

extension WakeMoment.Doubt {
  /// Problem and remedy.
  fileprivate var words: MessageText {
    switch self {
    case .unknownTime:
      "the clock of this board is not confirmed by the network or a GPS receiver, so no wake time"
        + " is printed. Let NTP reach a server (timedatectl shows whether it did); or, if a"
        + " real-time clock or a power HAT sets the board's clock at each start, add --trust-clock"
    case .impossibleTime:
      "the clock of this board is wrong (date shows it), so no wake time is printed. Set it, or"
        + " check the battery of the clock that sets it"
    }
  }
}
