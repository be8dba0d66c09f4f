import Board
import Bytes
import CLinux
import LinuxIO
import Outbox
import Sensing

/// What a run is to do that reads everything once, brings it, and ends.
public struct OnceOptions {
  /// How long such a run may take.
  public static let standardTimeout: Duration = .seconds(90)

  /// How long it may take from its start, also without a network.
  public var timeout = standardTimeout
  /// Whether standard output has the moment at which the board has to be on again, and nothing
  /// else.
  public var printsNextWake = false
  /// Whether the person vouches for the board's clock, which another one has set.
  public var isClockTrusted = false

  public init() {}

  /// How long a source may take for its answer. A receiver that was without power has its time to
  /// start, where a third of the run is left to bring what was read.
  var answerTimeout: Duration {
    let third: Duration = .nanoseconds(timeout.nanoseconds / 3)
    return max(third, min(GPSDSession.startTimeout, third * 2))
  }
}

/// When a board that is switched off after a run of `--once` has to be on again.
///
/// A script that sets an alarm by it switches the board off afterwards: so the moment is told only
/// if the time is known to be right.
struct NextWake {
  private let moment: WakeMoment
  private let options: OnceOptions

  /// - Parameters:
  ///   - uplink: what knows the interval, and how right the clock is.
  ///   - options: what the person asked for.
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

  /// In seconds since 1970, as rtcwake(8) and `wakealarm` of sysfs take it.
  func print() {
    guard let time = moment.certainTime else { return }
    let line: MessageText = "\(Int(time.nanoseconds / 1_000_000_000))\n"
    writeToTerminal(line.bytes, STDOUT_FILENO)
  }

  /// How a run ends that ended with `code`, if a script waits for the moment.
  func code(after code: ExitCode, _ log: Log) -> ExitCode {
    guard let doubt = moment.doubt, options.printsNextWake else { return code }
    log.error("\(doubt.words). No alarm can be set: leave the board on")
    return .systemFile
  }
}

extension WakeMoment.Doubt {
  /// What is wrong, and what to do.
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
