import Board
import Bytes
import LinuxIO
import Outbox

/// Tells the service manager how the agent is. Where it cannot be told, the agent works all the
/// same, which is logged once.
final class ServiceReport {
  private let manager: ServiceManager
  private var notices: ServiceNotices
  private let log: Log
  private var hasFailed = false

  /// Nil where no service manager wants to be told, or where it cannot be.
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

  /// When the loop has to turn for what is to be told.
  var deadline: Instant? { notices.deadline }

  /// The loop turned; this is the only sign of life that there is.
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

  /// Whether it took the lines.
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
