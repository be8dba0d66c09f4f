import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// The last crash of the agent as a sensor, which a board has only after a crash. The stored record
/// is removed when Home Assistant has the value.
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

  /// Removes the record once it is delivered. A file that cannot be removed is reported again after
  /// the next start, unchanged.
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
