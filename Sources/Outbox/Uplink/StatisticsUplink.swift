import Bytes
import HomeAssistant
import Sensing

/// Measures the hours of an outage, stores them, and imports them into Home Assistant's long-term
/// statistics over the WebSocket.
struct StatisticsUplink {
  private var hours: HourlyStatistics
  private var transfer: StatisticsImport
  /// Whether a write should be tried now.
  private var isKeepingDue = false
  /// Cause of the last failed write.
  private var failure: DiskFailure?
  private var untold: DiskFailure?

  init(_ waiting: WaitingHours, of sensors: SensorTable, seed: UInt64) {
    hours = HourlyStatistics(of: sensors)
    transfer = StatisticsImport(waiting, seed: seed)
  }

  /// Hours that Home Assistant lacks.
  var waiting: WaitingHours { transfer.waiting }
  var problem: StatisticsImport.Problem? { transfer.problem }
  /// Whether hours wait, and no known problem prevents their import.
  var isAtWork: Bool { waiting.count > 0 && problem == nil }

  // MARK: Measuring

  mutating func record(_ reading: Reading) { hours.record(reading) }

  /// Handles a reading of the clock, which is right unless it was set since the last call.
  mutating func clockRead(_ time: WallTime, isRight: Bool, isReached: Bool) {
    hours.clockRead(time, isRight: isRight, isReached: isReached)
    while let (sensor, hour) = hours.takeHour() {
      transfer.add(hour, of: sensor)
      isKeepingDue = true
    }
  }

  /// Allows another attempt of a failed write.
  mutating func cycleDue() { isKeepingDue = true }

  mutating func kept() {
    failure = nil
    transfer.kept()
  }

  mutating func notKept(_ failure: DiskFailure) {
    guard failure != self.failure else { return }
    self.failure = failure
    untold = failure
  }

  // MARK: Import

  @inline(__always)
  var deadline: Instant? { transfer.deadline }

  mutating func deadlineReached(now: Instant) { transfer.deadlineReached(now: now) }

  /// Begins an import, because Home Assistant has the data of a cycle and the WebSocket is open.
  mutating func connectionReady(
    _ server: ServerVersion, deviceID: Text?, webhookID: [UInt8], time: WallTime, now: Instant
  ) {
    transfer.connectionReady(
      server, deviceID: deviceID, webhookID: webhookID, time: time, now: now)
  }

  /// Handles the answer to `ask`, or its failure.
  mutating func answered(_ result: Result<JSON, RequestError>, now: Instant) {
    isKeepingDue = true
    transfer.answered(result, now: now)
  }

  mutating func nextAction() -> Uplink.Action? {
    if let untold = untold.take() { return .tell(.hoursNotKept(untold)) }
    if isKeepingDue {
      isKeepingDue = false
      if transfer.isUnkept { return .keepHours }
    }
    switch transfer.nextAction() {
    case .tell(let event): return .tell(.statistics(event))
    case .ask(let request): return .ask(request)
    case nil: return nil
    }
  }
}
