import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Which level of the power policy holds, and how long the battery lasts, as sensors. It is asked
/// after the sources that tell of the supply.
final class PowerStatus: Source {
  let name = InlineText("power")
  private let driver: UplinkDriver
  private let sink: any ReadingSink
  private var level = DeclaredSensor(.powerLevel)
  private var daysLeft = DeclaredSensor(.batteryDaysLeft)
  /// What the level is called; a new one is rare, and a cycle makes no words.
  private var words = InlineText("normal")
  private var condition: PowerLevel.Condition?

  init(driver: UplinkDriver, sink: any ReadingSink) {
    self.driver = driver
    self.sink = sink
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    if driver.uplink.power.hasLevels {
      if driver.uplink.power.condition != condition {
        condition = driver.uplink.power.condition
        words = InlineText(driver.uplink.power.levelWords.bytes.span)
      }
      level.record(.text(words), at: moment.wallTime, in: sink)
    }
    if let hours = driver.uplink.power.hoursLeft {
      let days = FixedPoint(rounding: Double(hours) / 24, decimals: 1) ?? FixedPoint(0)
      daysLeft.record(.number(days), at: moment.wallTime, in: sink)
    } else {
      daysLeft.recordFailure(.unknown, at: moment.wallTime, in: sink)
    }
  }
}

extension SensorDescription {
  fileprivate static var powerLevel: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("power_level"), name: [UInt8]("Power level"),
      icon: [UInt8]("mdi:battery-sync"), isDiagnostic: true)
  }

  fileprivate static var batteryDaysLeft: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("battery_days_left"), name: [UInt8]("Battery days left"),
      unit: [UInt8]("d"), deviceClass: [UInt8]("duration"), stateClass: [UInt8]("measurement"),
      icon: [UInt8]("mdi:battery-clock"), isDiagnostic: true)
  }
}
