import Board
import Bytes
import Drivers
import Outbox
import Sensing

/// Takes what the sources bring: readings to the uplink, troubles to the reporter.
final class SourceOutput {
  private let driver: UplinkDriver
  private let reporter: Reporter
  private var hasReportedFull = false

  init(driver: UplinkDriver, reporter: Reporter) {
    self.driver = driver
    self.reporter = reporter
  }
}

extension SourceOutput: ReadingSink {
  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    if let index = driver.declare(sensor) { return index }
    if !hasReportedFull {
      hasReportedFull = true
      reporter.sensorLeftOut(sensor.name)
    }
    return nil
  }

  func record(_ reading: Reading) { driver.record(reading) }

  func record(_ fix: Fix) { driver.record(fix) }
}

extension SourceOutput: SupervisorOwner {
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    reporter.sourceFailed(source, failure)
  }

  func sourceRecovered(_ source: InlineText) { reporter.sourceRecovered(source) }

  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {
    reporter.receiverChosen(source, receiver)
  }
}
