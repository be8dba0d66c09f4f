public import Bytes

/// When the program runs that the configuration wants after an upload, and when it is ended.
///
/// Invariants:
/// 1. Never two at once. Uploads that are proven while it runs have it run once more.
/// 2. What has not ended by its time limit is asked to, and `grace` later it is killed.
/// 3. What has not even ended `killGrace` after that is waited for no longer. While it is there, no
///    other is started.
public struct AfterUpload {
  /// What a program that is asked to end has to tidy up.
  public static let grace: Duration = .seconds(5)
  /// What the kernel has to end one that is killed: it does so once a disk or a device has answered
  /// that the program waits for, and some never do.
  static let killGrace: Duration = .seconds(5)

  /// How long a program with this time limit is waited for at most.
  public static func longest(withTimeout timeout: Duration) -> Duration {
    timeout + grace + killGrace
  }

  /// How the program ended.
  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    /// By a signal that the agent did not send.
    case signaled(Int32)
    /// It had not ended by its time limit.
    case timedOut
    /// It had not, and the kernel could not end it either: it is still there.
    case stuck
    /// The agent is about to end, and did not wait for it.
    case abandoned
  }

  public enum Action: Equatable, Sendable {
    /// Start it, and tell `started` or `startFailed`.
    case start
    /// Ask it to end, and all of its process group. What it started in a group of its own, as
    /// timeout(1) and setsid(1) do, is not reached.
    case terminate
    /// End it by force, and all of its process group.
    case kill
    case tell(Ending)
  }

  private enum State {
    case resting
    case starting
    case running(until: Instant)
    /// It was asked to end.
    case terminating(Ending, killAt: Instant)
    case killed(Ending, until: Instant)
    case stuck
  }

  private let timeout: Duration
  private var state = State.resting
  private var isOwed = false
  private var isStopping = false
  private var actions: [Action] = []

  public init(timeout: Duration) {
    self.timeout = timeout
    actions.reserveCapacity(4)
  }

  /// Whether there is a program, or is about to be one.
  public var isRunning: Bool { if case .resting = state { false } else { true } }

  /// Whether there is one whose end is to be waited for.
  public var isAwaited: Bool { if case .stuck = state { false } else { isRunning } }

  /// When `deadlineReached` is due; nil where nothing is waited for but the program.
  public var deadline: Instant? {
    switch state {
    case .resting, .starting, .stuck: nil
    case .running(let end): end
    case .terminating(_, let killAt): killAt
    case .killed(_, let end): end
    }
  }

  public mutating func nextAction() -> Action? {
    actions.isEmpty ? nil : actions.removeFirst()
  }

  /// Home Assistant was proven to have what was sent, and nothing more is under way.
  public mutating func uploadProven() {
    guard !isStopping else { return }
    guard !isRunning else { return isOwed = true }
    state = .starting
    actions.append(.start)
  }

  public mutating func started(now: Instant) { state = .running(until: now + timeout) }

  /// It cannot be started: the next upload tries again.
  public mutating func startFailed() {
    state = .resting
    isOwed = false
  }

  /// It ended by itself, or as it was told.
  public mutating func ended(_ ending: Ending) {
    switch state {
    case .resting: return
    case .starting, .running: actions.append(.tell(ending))
    case .terminating(let cause, _), .killed(let cause, _): actions.append(.tell(cause))
    // It was told already.
    case .stuck: break
    }
    state = .resting
    guard isOwed else { return }
    isOwed = false
    uploadProven()
  }

  public mutating func deadlineReached(now: Instant) {
    switch state {
    case .running(let limit) where now >= limit: beginEnd(because: .timedOut, now: now)
    case .terminating(let cause, let killAt) where now >= killAt:
      state = .killed(cause, until: now + Self.killGrace)
      actions.append(.kill)
    case .killed(_, let limit) where now >= limit:
      state = .stuck
      actions.append(.tell(.stuck))
    default: break
    }
  }

  /// The agent is about to end. No program is started any more.
  public mutating func stopping(now: Instant) {
    isStopping = true
    isOwed = false
    if case .running = state { beginEnd(because: .abandoned, now: now) }
  }

  private mutating func beginEnd(because cause: Ending, now: Instant) {
    state = .terminating(cause, killAt: now + Self.grace)
    actions.append(.terminate)
  }
}
