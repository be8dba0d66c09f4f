import Bytes
import LinuxIO

/// What the service manager is told of an agent at its work, and when: that it is ready, what Home
/// Assistant has, and that the loop turns. It is asked once in each turn of the loop, so that no
/// sign of life comes from anything else.
struct ServiceNotices: ~Copyable {
  /// What Home Assistant has.
  enum Condition: Equatable {
    case untried
    /// All up to this moment.
    case proven(Instant)
    /// When the last proof came, if there was one.
    case outage(Instant?)

    fileprivate var isOutage: Bool { if case .outage = self { true } else { false } }
  }

  /// Proofs come with each cycle. The time of the newest is told no more often.
  static let conditionPause: Duration = .seconds(60)
  /// When what was not taken is told again.
  static let retryPause: Duration = .seconds(1)

  /// What `prepare` found due: lines of `sd_notify(3)`.
  private(set) var lines = ByteBuffer(capacity: 160)
  /// Nil where no sign of life is wanted.
  private let watchdogTimeout: Duration?
  /// When the last sign of life was given; nil until the agent has said that it is ready.
  private var aliveAt: Instant?
  private var told: (condition: Condition, at: Instant)?
  /// When the loop has to turn for what is to be told; nil where it need not.
  private(set) var deadline: Instant?

  init(watchdogTimeout: Duration?, now: Instant) {
    self.watchdogTimeout = watchdogTimeout
    deadline = now
  }

  /// Writes `lines`, and says whether there are any. Where the service manager takes them `told`
  /// follows, else `notTold`.
  mutating func prepare(_ condition: Condition, now: Moment) -> Bool {
    lines.removeAll()
    if aliveAt == nil { lines.append("READY=1\n") }
    if isSignOfLifeDue(now: now.instant) { lines.append("WATCHDOG=1\n") }
    if isDue(condition, now: now.instant) {
      lines.append("STATUS=")
      append(condition, now: now)
      lines.append("\n")
    }
    return !lines.isEmpty
  }

  mutating func told(_ condition: Condition, now: Instant) {
    if isDue(condition, now: now) { told = (condition, now) }
    guard aliveAt == nil || isSignOfLifeDue(now: now) else { return }
    aliveAt = now
    deadline = watchdogTimeout.map { now + .nanoseconds($0.nanoseconds / 2) }
  }

  /// So that a loop does not spin where a deadline has passed.
  mutating func notTold(now: Instant) {
    if let due = deadline { deadline = max(due, now + Self.retryPause) }
  }

  /// A loop that turns anyway gives its sign of life early, and is not woken for it.
  private func isSignOfLifeDue(now: Instant) -> Bool {
    guard let watchdogTimeout else { return false }
    return aliveAt.map { now >= $0 + .nanoseconds(watchdogTimeout.nanoseconds / 4) } ?? true
  }

  private func isDue(_ condition: Condition, now: Instant) -> Bool {
    guard let told else { return true }
    guard condition != told.condition else { return false }
    return told.condition == .untried || condition.isOutage != told.condition.isOutage
      || now >= told.at + Self.conditionPause
  }

  private mutating func append(_ condition: Condition, now: Moment) {
    switch condition {
    case .untried: lines.append("Nothing was sent to Home Assistant yet")
    case .proven(let instant):
      lines.append("Home Assistant has everything up to ")
      lines.append(iso8601: now.wallTime(of: instant))
    case .outage(nil): lines.append("Home Assistant has nothing of this run yet")
    case .outage(let instant?):
      lines.append("Home Assistant has nothing since ")
      lines.append(iso8601: now.wallTime(of: instant))
    }
  }

  // MARK: Around the work of the loop

  /// The agent waits before its work, and lives: no loop that reports turns yet.
  mutating func prepareWaiting(_ pause: Duration) {
    lines.removeAll()
    // Besides the time that a start has anyway.
    lines.append("EXTEND_TIMEOUT_USEC=")
    lines.append(decimal: (pause.nanoseconds + 60_000_000_000) / 1000)
    lines.append("\nSTATUS=Waits before it starts; its log shows why\n")
    if watchdogTimeout != nil { lines.append("WATCHDOG=1\n") }
  }

  /// The configuration is read again. The next `prepare` says that the agent is ready.
  /// `asleep` is how long the board slept since the kernel started: systemd's moments are of the
  /// clock that does not count it.
  mutating func prepareReloading(now: Instant, asleep: Duration) {
    lines.removeAll()
    lines.append("RELOADING=1\nMONOTONIC_USEC=")
    lines.append(decimal: (now.nanoseconds - asleep.nanoseconds) / 1000)
    lines.append("\n")
    aliveAt = nil
    deadline = now
  }

  mutating func prepareStopping() {
    lines.removeAll()
    lines.append("STOPPING=1\nSTATUS=Stores what Home Assistant does not have yet\n")
  }
}
