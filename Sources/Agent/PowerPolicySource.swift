import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Which level of the power policy holds, and how long the battery lasts, as sensors. It is asked
/// after the sources that tell of the supply, and looks for another level also between two cycles:
/// the kernel announces what changes, and the level may be one with a cycle of hours.
final class PowerPolicySource: Source {
  let name = InlineText("power")
  private let driver: UplinkDriver
  private let sink: any ReadingSink
  private var levelSensor: SensorIndex?
  /// Known as soon as there was a forecast.
  private var daysLeft: SensorIndex?
  /// What the level is called; a new one is rare, and a cycle makes no words.
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

  /// Records the level where it is another one than before.
  func follow(at moment: Moment) { if takeLevel() { recordLevel(at: moment) } }

  /// Returns whether it is another one.
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
