import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

extension Courier {
  /// How things stand, for people who ask.
  func status(at now: Moment, startedAt: Instant, nextCycleAt: Instant) -> StatusReport {
    var registration: Registration?
    var nextAttemptAt = delivery.nextAttemptAt
    switch phase {
    case .delivering(let made): registration = made
    case .registering(let registrar, _): nextAttemptAt = registrar.deadline
    case nil: break
    }
    return StatusReport(
      now: now, startedAt: startedAt, nextCycleAt: nextCycleAt, nextAttemptAt: nextAttemptAt,
      url: settings.url, isSealed: registration.map { !$0.isPlain },
      registrationProblem: reporter.registrationProblem,
      network: whereabouts.map { .init(presence: $0.presence, place: $0.place) },
      webSocket: line?.status, statistics: statistics?.status, totals: reporter.totals,
      troubles: reporter.troubles, advice: reporter.advice, lastFixAt: lastFix?.notBefore)
  }
}
