import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// The active level of the power policy and the remaining time of the battery, as sensors. It is
/// sampled after the sources of the supply, and checks for another level also between two cycles:
/// the kernel announces changes, and the level may have a cycle of hours.
final class PowerPolicySource: Source {
  let name = InlineText("power")
  private let driver: UplinkDriver
  private let sink: any ReadingSink
  private var levelSensor: SensorIndex?
  /// Declared with the first forecast.
  private var daysLeft: SensorIndex?
  /// Name of the level, stored because it changes rarely and a cycle builds no text.
  private var words = InlineText("normal")
  private var level: Int?

  init(driver: UplinkDriver, sink: any ReadingSink) {
    self.driver = driver
    self.sink = sink
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    if driver.uplink.power.hasLevels {
      takeLevel()
      recordLevel(at: moment)
    }
    let days = driver.uplink.power.hoursLeft.flatMap {
      FixedPoint(rounding: Double($0) / 24, decimals: 1)
    }
    if days != nil { daysLeft = daysLeft ?? sink.declare(.batteryDaysLeft) }
    record(days.map { .number($0) } ?? .unknown, of: daysLeft, at: moment)
  }

  /// Records the level if it has changed.
  func follow(at moment: Moment) { if takeLevel() { recordLevel(at: moment) } }

  /// Returns whether the level has changed.
  @discardableResult
  private func takeLevel() -> Bool {
    guard driver.uplink.power.level != level else { return false }
    level = driver.uplink.power.level
    words = InlineText(driver.uplink.power.levelWords.bytes.span)
    return true
  }

  private func recordLevel(at moment: Moment) {
    levelSensor = levelSensor ?? sink.declare(.powerLevel)
    record(.text(words), of: levelSensor, at: moment)
  }

  private func record(_ value: Value, of sensor: SensorIndex?, at moment: Moment) {
    guard let sensor else { return }
    sink.record(Reading(sensor: sensor, value: value, time: moment.wallTime))
  }
}

extension SensorDescription {
  fileprivate static var powerLevel: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("power_level"), name: [UInt8]("Power level"),
      icon: [UInt8]("mdi:battery-sync"), isDiagnostic: true, isUrgent: true)
  }

  fileprivate static var batteryDaysLeft: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("battery_days_left"), name: [UInt8]("Battery days left"),
      unit: [UInt8]("d"), deviceClass: [UInt8]("duration"), stateClass: [UInt8]("measurement"),
      isDiagnostic: true)
  }
}
