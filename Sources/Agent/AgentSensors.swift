import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// The agent's own sensors: the active level of the power policy, the remaining time of the
/// battery, the number of lost readings, and the last crash.
///
/// They are sampled after the sources of the supply. The level is also checked between two cycles:
/// the kernel announces changes, and the level may have a cycle of hours.
final class AgentSensors: Source {
  let name = InlineText("agent")
  private let driver: UplinkDriver
  private let sink: any ReadingSink
  private var levelSensor: SensorIndex?
  /// Declared with the first forecast.
  private var daysLeft: SensorIndex?
  private var lostReadings: SensorIndex?
  private var lastCrash: SensorIndex?
  /// Name of the level, stored because it changes rarely and a cycle builds no text.
  private var words = InlineText("normal")
  private var level: Int?
  /// Record of the last crash, and its directory; nil if there is none to deliver.
  private var crash: (words: LastWords, state: StateDirectory)?

  init(driver: UplinkDriver, sink: any ReadingSink) {
    self.driver = driver
    self.sink = sink
  }

  /// Reports a crash, whose record in `state` is removed when Home Assistant has the value.
  func crashed(_ words: LastWords, in state: StateDirectory) { crash = (words, state) }

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
    lostReadings = lostReadings ?? sink.declare(.lostReadings)
    let count = Int64(driver.uplink.delivery.history.spool.losses.entryCount)
    record(.number(FixedPoint(count)), of: lostReadings, at: moment)
    forgetDeliveredCrash()
    if let crash, lastCrash == nil {
      lastCrash = sink.declare(.lastCrash)
      record(.text(crash.words.value), of: lastCrash, at: moment)
    }
  }

  func stop(at moment: Moment) { forgetDeliveredCrash() }

  /// Records the level if it has changed.
  func recordChangedLevel(at moment: Moment) { if takeLevel() { recordLevel(at: moment) } }

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

  /// Removes the record once it is delivered. A file that cannot be removed is reported again after
  /// the next start, unchanged.
  private func forgetDeliveredCrash() {
    guard let lastCrash, let state = crash?.state,
      driver.uplink.delivery.batch.fate(of: lastCrash) != .kept
    else { return }
    try? state.removeLastWords()
    crash = nil
  }
}

extension SensorDescription {
  fileprivate static var powerLevel: SensorDescription {
    SensorDescription(
      uniqueID: [UInt8]("power_level"), name: [UInt8]("Power level"),
      icon: [UInt8]("mdi:battery-sync"), isDiagnostic: true, isUrgent: true)
  }

  fileprivate static var batteryDaysLeft: SensorDescription {
    .diagnostic(
      "battery_days_left", "Battery days left", unit: "d", deviceClass: "duration",
      stateClass: "measurement")
  }

  fileprivate static var lostReadings: SensorDescription {
    .diagnostic(
      "lost_readings", "Lost readings", stateClass: "total_increasing", icon: "mdi:database-alert")
  }

  fileprivate static var lastCrash: SensorDescription {
    .diagnostic("last_crash", "Last crash", icon: "mdi:alert-octagon")
  }
}
