import Board
import Bytes
import LinuxIO
import Outbox

/// Sends notices to the service manager. If that fails, the agent works on, and the failure is
/// logged once.
final class ServiceReport {
  private let manager: ServiceManager
  private var notices: ServiceNotices
  private let log: Log
  private var hasFailed = false

  /// Nil if no service manager wants notices, or if it cannot be reached.
  init?(log: Log, now: Instant) {
    do throws(Errno) {
      guard let manager = try ServiceManager() else { return nil }
      notices = ServiceNotices(watchdogTimeout: manager.watchdogTimeout, now: now)
      self.manager = manager
      self.log = log
    } catch {
      log.warning("the agent cannot report to the service manager: \(error)")
      return nil
    }
  }

  /// Instant at which the loop has to turn for a notice.
  var deadline: Instant? { notices.deadline }

  /// Handles a turn of the loop: the only sign of life.
  func loopTurned(_ delivery: Delivery, now: Moment) {
    let condition = ServiceNotices.Condition(delivery)
    guard notices.prepare(condition, now: now) else { return }
    if tell() {
      notices.told(condition, now: now.instant)
    } else {
      notices.notTold(now: now.instant)
    }
  }

  func waiting(_ pause: Duration) {
    notices.prepareWaiting(pause)
    _ = tell()
  }

  func reloading(now: Instant) {
    notices.prepareReloading(now: now, asleep: timeAsleep)
    _ = tell()
  }

  func stopping() {
    notices.prepareStopping()
    _ = tell()
  }

  /// Sends the lines. Returns whether the service manager accepted them.
  private func tell() -> Bool {
    do throws(Errno) { return try manager.tell(notices.lines) } catch {
      if !hasFailed {
        log.warning("the agent cannot report to the service manager: \(error)")
      }
      hasFailed = true
      return false
    }
  }
}

extension ServiceNotices.Condition {
  fileprivate init(_ delivery: Delivery) {
    switch delivery.status {
    case .untried: self = .untried
    case .proven: self = delivery.lastProvenAt.map { .proven($0) } ?? .untried
    case .outage: self = .outage(delivery.lastProvenAt)
    }
  }
}
