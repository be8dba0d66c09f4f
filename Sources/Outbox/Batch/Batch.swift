public import Bytes
import HomeAssistant
public import Sensing

/// The latest value of every sensor and the latest fix, and what Home Assistant knows of them.
///
/// A batch is the slots whose value Home Assistant has not acknowledged. A slot keeps one value:
/// a newer reading takes the place of an older one. Where the older one was never acknowledged that
/// is counted: it has to go another way, as a part of the `History`.
public struct Batch: ~Copyable {
  struct Slot {
    var value: Value?
    /// When the value was true, at the last time that it was told.
    var readAt: WallTime?
    /// Goes up with every change of `value`.
    var version: UInt64 = 0
    var sentVersion: UInt64 = 0
    var acknowledgedVersion: UInt64 = 0
    /// What Home Assistant refused.
    var refusedVersion: UInt64 = 0
    /// Whether Home Assistant may have lost what it acknowledged.
    var isDoubtful = false
    var status = SensorStatus.unregistered

    var isAcknowledged: Bool { version == acknowledgedVersion }
    /// Whether a value waits for Home Assistant. What it does not want does not wait.
    // Inlined: to call it would copy the slot.
    @inline(__always)
    var isUndelivered: Bool { value != nil && !isAcknowledged && status != .refused }
    var isDue: Bool { value != nil && (isDoubtful || !isAcknowledged) }
    /// Whether Home Assistant has the sensor, and took its value.
    var isTaken: Bool {
      value != nil && isAcknowledged && status == .registered && version != refusedVersion
    }
    /// Whether Home Assistant was told of the sensor, and has not proven that it does not want it.
    var isOffered: Bool { status == .registered || status == .declined }
  }

  /// The sensors that the slots are of.
  public let sensors: SensorTable
  private(set) var slots: [Slot] = []
  private(set) var fix: Fix?
  /// Whether an urgent sensor changed since the last batch was sent.
  public private(set) var hasUrgentChange = false
  /// Readings and fixes whose place was taken and that Home Assistant did not acknowledge, since
  /// they were told last.
  private(set) var superseded = Superseded()

  public struct Superseded: Equatable, Sendable {
    public var readings = 0
    public var fixes = 0
  }

  public init(of sensors: SensorTable = SensorTable()) {
    self.sensors = sensors
    slots.reserveCapacity(32)
  }

  public var sensorCount: Int { sensors.count }

  /// The place of a sensor, made where its `uniqueID` is new; nil where no more fit into a message.
  public mutating func declare(_ sensor: SensorDescription) -> SensorIndex? {
    guard let index = sensors.declare(sensor) else { return nil }
    while slots.count < sensors.count { slots.append(Slot()) }
    return index
  }

  /// Returns whether the value is another one than before.
  mutating func record(_ reading: Reading) -> Bool {
    let index = reading.sensor.value
    slots[index].readAt = reading.time
    guard slots[index].value != reading.value else { return false }
    if slots[index].isUndelivered { superseded.readings += 1 }
    if sensors.rows[index].isUrgent { hasUrgentChange = true }
    slots[index].value = reading.value
    slots[index].version += 1
    return true
  }

  mutating func record(_ fix: Fix) {
    if self.fix != nil { superseded.fixes += 1 }
    self.fix = fix
  }

  /// The name of a sensor, for people.
  public func name(of sensor: SensorIndex) -> [UInt8] { sensors[sensor].name }
  public func uniqueID(of sensor: SensorIndex) -> [UInt8] { sensors.uniqueID(of: sensor) }
  public func value(of sensor: SensorIndex) -> Value? { slots[sensor.value].value }
  /// When a sensor said what it says, by the machine's clock.
  public func readAt(of sensor: SensorIndex) -> WallTime? { slots[sensor.value].readAt }
  public func unit(of sensor: SensorIndex) -> [UInt8]? { sensors[sensor].unit }
  public func deviceClass(of sensor: SensorIndex) -> [UInt8]? { sensors[sensor].deviceClass }

  /// What became of the value of a sensor.
  public enum Fate: Sendable {
    case taken
    /// It waits for Home Assistant.
    case kept
    /// Home Assistant does not want it, or the sensor.
    case refused
  }

  public func fate(of sensor: SensorIndex) -> Fate {
    let slot = slots[sensor.value]
    if slot.status == .refused || slot.version == slot.refusedVersion { return .refused }
    return slot.isUndelivered ? .kept : .taken
  }

  // MARK: What has to be sent

  /// The next sensor that has a value and that Home Assistant does not know.
  var nextUnregistered: SensorIndex? {
    slots.firstIndex { $0.value != nil && $0.status == .unregistered }.map(SensorIndex.init)
  }

  /// The next sensor whose registration was declined.
  var nextDeclined: SensorIndex? {
    slots.firstIndex { $0.status == .declined }.map(SensorIndex.init)
  }

  /// What declined them was perhaps not Home Assistant: they are offered again.
  mutating func forgetDeclined() {
    for index in slots.indices where slots[index].status == .declined {
      slots[index].status = .unregistered
    }
  }

  /// Writes the `data` of an `update_sensor_states` with every sensor that is due, and with the
  /// challenge.
  ///
  /// Where no sensor is due, one repeats what it said. Home Assistant's answer is a proof without
  /// that, but only so does it note that it has heard of the board; it keeps no row for it.
  mutating func writeStates(_ challenge: Challenge, into buffer: inout ByteBuffer) {
    hasUrgentChange = false
    buffer.openJSONArray()
    challenge.appendState(to: &buffer)
    var isAnyDue = false
    for index in slots.indices where slots[index].isDue && slots[index].isOffered {
      isAnyDue = true
      write(index, into: &buffer)
    }
    if !isAnyDue, let index = slots.firstIndex(where: { $0.isTaken }) {
      write(index, into: &buffer)
    }
    buffer.closeJSONArray()
  }

  private mutating func write(_ index: Int, into buffer: inout ByteBuffer) {
    slots[index].sentVersion = slots[index].version
    sensors.rows[index].writeUpdate(of: slots[index].value, into: &buffer)
  }

  /// What is urgent cannot be sent.
  mutating func urgentChangePostponed() { hasUrgentChange = false }

  func writeRegistration(of sensor: SensorIndex, into buffer: inout ByteBuffer) {
    let value = slots[sensor.value].value
    sensors[sensor].write(into: &buffer) { $0.appendJSON(state: value) }
  }

  // MARK: What Home Assistant said

  /// Whether Home Assistant had perhaps not what was last sent of this sensor.
  func isNews(_ sensor: SensorIndex) -> Bool {
    let slot = slots[sensor.value]
    return slot.isDoubtful || slot.sentVersion != slot.acknowledgedVersion
  }

  func status(of sensor: SensorIndex) -> SensorStatus { slots[sensor.value].status }

  mutating func setStatus(_ status: SensorStatus, of sensor: SensorIndex) {
    slots[sensor.value].status = status
  }

  /// Home Assistant has what was last sent of this sensor.
  mutating func acknowledge(_ sensor: SensorIndex) {
    let index = sensor.value
    let sentVersion = slots[index].sentVersion
    // Its place was taken while it was under way, and yet it arrived.
    if sentVersion != slots[index].version, sentVersion != slots[index].acknowledgedVersion {
      superseded.readings -= 1
    }
    slots[index].acknowledgedVersion = sentVersion
    slots[index].isDoubtful = false
  }

  /// Home Assistant does not want what was last sent of this sensor.
  mutating func refuse(_ sensor: SensorIndex) {
    slots[sensor.value].refusedVersion = slots[sensor.value].sentVersion
    acknowledge(sensor)
  }

  mutating func acknowledgeFix(_ sent: Fix) {
    if fix == sent { fix = nil } else { superseded.fixes -= 1 }
  }

  /// Forgets the fix, which has become too old to be sent as new, and counts it.
  mutating func dropFix() {
    guard fix != nil else { return }
    fix = nil
    superseded.fixes += 1
  }

  /// Home Assistant may have lost what it acknowledged: every value is due again.
  mutating func doubtAcknowledgements() {
    for index in slots.indices { slots[index].isDoubtful = true }
  }

  /// Home Assistant may have forgotten everything: every value is due again, and sensors that it
  /// once refused are offered again.
  mutating func forgetAcknowledgements() {
    doubtAcknowledgements()
    for index in slots.indices where slots[index].status != .registered {
      slots[index].status = .unregistered
    }
  }

  /// A new registration knows no sensor.
  mutating func forgetRegistrations() {
    for index in slots.indices { slots[index].status = .unregistered }
    forgetAcknowledgements()
  }

  /// Whether a value was sent and the answer does not name it.
  var hasUnanswered: Bool {
    slots.contains { $0.isUndelivered && $0.sentVersion == $0.version }
  }

  /// So many of them are on another way now.
  mutating func forget(_ told: Superseded) {
    superseded.readings -= told.readings
    superseded.fixes -= told.fixes
  }

  /// The sensor with this unique id; nil where it is none of ours.
  func index(of uniqueID: borrowing JSONReader.Text) -> SensorIndex? {
    sensors.index(of: uniqueID.raw)
  }
}

/// What Home Assistant thinks of a sensor.
enum SensorStatus: Equatable {
  case unregistered
  case registered
  /// The answer to its registration was no, or nothing. It may be an old answer: the states that
  /// follow ask for the sensor again, and their answer is the proof.
  case declined
  /// It did not want the sensor, and is not asked again until the agent or it restarts.
  case refused
}
