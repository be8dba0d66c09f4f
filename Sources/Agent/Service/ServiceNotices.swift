import Bytes
import LinuxIO

/// The notices to the service manager and their times: that the agent is ready, what Home Assistant
/// has, and that the loop turns. They are prepared once in each turn of the loop, so that no other
/// code gives a sign of life.
struct ServiceNotices: ~Copyable {
  /// Data that Home Assistant has.
  enum Condition: Equatable {
    case untried
    /// All data up to this instant.
    case proven(Instant)
    /// Nothing since the last proof, if there was one.
    case outage(Instant?)

    fileprivate var isOutage: Bool { if case .outage = self { true } else { false } }
  }

  /// Minimum time between two notices of new proofs, which come with each cycle.
  static let conditionPause: Duration = .seconds(60)
  /// Time until a rejected notice is sent again.
  static let retryPause: Duration = .seconds(1)

  /// Due notices after `prepare`, as lines of `sd_notify(3)`.
  private(set) var lines = ByteBuffer(capacity: 160)
  /// Nil if no sign of life is wanted.
  private let watchdogTimeout: Duration?
  /// Time of the last sign of life; nil until the agent has reported that it is ready.
  private var aliveAt: Instant?
  private var told: (condition: Condition, at: Instant)?
  /// Instant at which the loop has to turn for a notice; nil if it need not.
  private(set) var deadline: Instant?

  init(watchdogTimeout: Duration?, now: Instant) {
    self.watchdogTimeout = watchdogTimeout
    deadline = now
  }

  /// Writes `lines`. Returns whether there are any. Then call `told` if the service manager accepts
  /// them, otherwise `notTold`.
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

  /// Delays the deadline, so that the loop does not spin.
  mutating func notTold(now: Instant) {
    if let due = deadline { deadline = max(due, now + Self.retryPause) }
  }

  /// Whether a sign of life is due. A loop that turns anyway gives it early, without an extra
  /// wake-up.
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

  // MARK: Before and after the work

  /// Writes the notice that the agent waits before its work and is alive: its loop does not turn
  /// yet.
  mutating func prepareWaiting(_ pause: Duration) {
    lines.removeAll()
    // In addition to the usual time of a start.
    lines.append("EXTEND_TIMEOUT_USEC=")
    lines.append(decimal: (pause.nanoseconds + 60_000_000_000) / 1000)
    lines.append("\nSTATUS=Waits before it starts; its log shows why\n")
    if watchdogTimeout != nil { lines.append("WATCHDOG=1\n") }
  }

  /// Writes the notice of a reload. The next `prepare` reports that the agent is ready. `asleep` is
  /// the time that the board slept since the kernel started: systemd's clock does not count it.
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
