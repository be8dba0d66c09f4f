import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox
import Sensing

/// Asks the sources in every cycle, and keeps a failing one from silencing the others.
final class Supervisor {
  private final class Supervised {
    let source: any Source
    var supervision = Supervision()

    init(_ source: any Source) { self.source = source }
  }

  private let courier: Courier
  private let reporter: Reporter
  private var sources: [Supervised] = []
  private var hasReportedFull = false

  init(courier: Courier, reporter: Reporter) {
    self.courier = courier
    self.reporter = reporter
  }

  func add(_ source: any Source) { sources.append(Supervised(source)) }

  /// Whether a source is still waiting for something of this cycle.
  var isGathering: Bool { sources.contains { $0.source.isGathering } }

  var deadline: Instant? {
    var next: Instant?
    for supervised in sources { next = earliest(next, supervised.source.deadline) }
    return next
  }

  func deadlineReached(at moment: Moment) {
    for supervised in sources {
      guard let deadline = supervised.source.deadline, moment.instant >= deadline else { continue }
      supervised.source.deadlineReached(at: moment)
    }
  }

  func sample(at moment: Moment) {
    for supervised in sources where supervised.supervision.isDue(now: moment.instant) {
      let source = supervised.source
      do throws(SourceFailure) {
        try source.sample(at: moment)
        if supervised.supervision.succeeded() != nil { sourceRecovered(source.name) }
      } catch {
        let report = supervised.supervision.failed(error, now: moment.instant)
        if case .failed(let failure) = report { sourceFailed(source.name, failure) }
      }
    }
  }
}

extension Supervisor: ReadingSink {
  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    if let index = courier.declare(sensor) { return index }
    if !hasReportedFull {
      hasReportedFull = true
      reporter.sensorLeftOut(sensor.name)
    }
    return nil
  }

  func record(_ reading: Reading) { courier.record(reading) }

  func record(_ fix: Fix) { courier.record(fix) }

  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    reporter.sourceFailed(source, failure)
  }

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {
    reporter.receiverChosen(source, receiver)
  }

  func sourceRecovered(_ source: InlineText) {
    reporter.sourceRecovered(source)
  }
}
