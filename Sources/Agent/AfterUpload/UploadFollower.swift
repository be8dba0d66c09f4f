import Board
import Bytes
import LinuxIO
import Outbox

/// What follows an upload: a program, where the configuration wants one, and the moment at which a
/// board that is switched off then has to be on again.
final class UploadFollower {
  private let plan: WakePlan
  private let program: AfterUploadProgram?
  /// How many uploads the program was told of.
  private var followedCount = 0

  init(_ settings: AfterUploadSettings?, loop: EventLoop, reporter: Reporter) {
    program = settings.map { AfterUploadProgram($0, loop: loop, reporter: reporter) }
    // The program, and what ends it, take their time once the moment is decided.
    let staysOn = settings.map { AfterUpload.longest(withTimeout: $0.timeout) } ?? .zero
    plan = WakePlan(staysOn: staysOn)
  }

  var deadline: Instant? { program?.machine.deadline }
  /// Whether there is a program whose end is to be waited for.
  var isAtWork: Bool { program?.machine.isAwaited == true }

  /// When a board that is switched off now has to be on again. `isClockTrusted`: a person vouches
  /// for the board's clock.
  func nextWake(_ uplink: Uplink, isClockTrusted: Bool = false) -> WakeMoment {
    let now = Moment.now.wallTime
    return plan.moment(
      every: uplink.reportInterval, at: now,
      aheadBy: uplink.delivery.history.corrected(now) - now,
      isTrusted: isClockTrusted || uplink.delivery.history.isClockTrusted)
  }

  /// Looks whether an upload was proven since it last did.
  // Of the driver: the machine itself would be copied at each turn of the loop, 5 KB.
  func follow(_ driver: UplinkDriver) {
    guard program != nil, let count = driver.uplink.settledUploadCount, count > followedCount
    else { return }
    followedCount = count
    uploadProven(nextWake: nextWake(driver.uplink).certainTime)
  }

  /// - Parameter nextWake: when a board that is switched off now has to be on again; nil where
  ///   nothing would switch it on then.
  func uploadProven(nextWake: WallTime?) { program?.uploadProven(nextWake: nextWake) }

  func deadlineReached(now: Instant) { program?.deadlineReached(now: now) }

  /// The agent is about to end.
  func stop() { program?.stop() }
}
