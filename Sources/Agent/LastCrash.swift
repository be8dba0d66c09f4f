import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// How the agent crashed the last time, as a sensor that a board has only where it did. What is
/// kept of it is removed when Home Assistant has it.
final class LastCrash: Source {
  let name = InlineText("last crash")
  private let words: LastWords
  private let state: StateDirectory
  private let driver: UplinkDriver
  private let sink: any ReadingSink
  private var sensor: SensorIndex?
  private var isTold = false

  init(_ words: LastWords, state: StateDirectory, driver: UplinkDriver, sink: any ReadingSink) {
    self.words = words
    self.state = state
    self.driver = driver
    self.sink = sink
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    forgetWhereProven()
    guard sensor == nil else { return }
    sensor = sink.declare(Self.description)
    guard let sensor else { return }
    sink.record(Reading(sensor: sensor, value: .text(words.value), time: moment.wallTime))
  }

  func stop(at moment: Moment) { forgetWhereProven() }

  /// A file that cannot be removed is told again after the next start, and is the same then.
  private func forgetWhereProven() {
    guard !isTold, let sensor, driver.uplink.delivery.batch.fate(of: sensor) != .kept else {
      return
    }
    isTold = true
    try? state.removeLastWords()
  }

  private static var description: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("last_crash"), name: [UInt8]("Last crash"),
      icon: [UInt8]("mdi:alert-octagon"), isDiagnostic: true)
  }
}
