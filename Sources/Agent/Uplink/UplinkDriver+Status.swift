import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

extension UplinkDriver {
  /// How things stand, for people who ask.
  func status(at now: Moment, startedAt: Instant) -> StatusReport {
    let registration = uplink.isRegistering ? nil : uplink.registration
    return StatusReport(
      now: now, startedAt: startedAt, nextCycleAt: uplink.nextCycleAt,
      nextAttemptAt: uplink.nextAttemptAt, url: settings.url,
      isSealed: registration.map { !$0.isPlain },
      registrationProblem: reporter.registrationProblem,
      network: settings.homeNetwork == nil
        ? nil : .init(presence: uplink.presence, place: uplink.place),
      webSocket: webSocket.map { .init(state: $0.state, since: $0.standsSince) },
      statistics: uplink.importsStatistics
        ? .init(waitingHourCount: uplink.waitingHours.count, problem: uplink.statisticsProblem)
        : nil,
      totals: reporter.totals, troubles: reporter.troubles, advice: reporter.advice,
      lastFixAt: uplink.lastFix?.notBefore)
  }
}
