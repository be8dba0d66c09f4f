import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// The number of readings and fixes lost since the start, as a sensor.
final class LostReadings: Source {
  let name = InlineText("history")
  private let driver: UplinkDriver
  private let sink: any ReadingSink
  private var sensor: SensorIndex?

  init(driver: UplinkDriver, sink: any ReadingSink) {
    self.driver = driver
    self.sink = sink
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    sensor = sensor ?? sink.declare(Self.description)
    guard let sensor else { return }
    let count = Int64(driver.uplink.delivery.history.spool.losses.entryCount)
    sink.record(
      Reading(sensor: sensor, value: .number(FixedPoint(count)), time: moment.wallTime))
  }

  private static var description: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("lost_readings"), name: [UInt8]("Lost readings"),
      stateClass: [UInt8]("total_increasing"), icon: [UInt8]("mdi:database-alert"),
      isDiagnostic: true)
  }
}
