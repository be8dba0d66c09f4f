public import Bytes
public import HomeAssistant
public import Sensing

/// Latest value of every sensor and the latest fix, with Home Assistant's knowledge of them.
///
/// A batch is the slots whose value Home Assistant has not acknowledged. A slot stores one value: a
/// newer reading replaces an older one. If the older one was never acknowledged it is counted,
/// because it has to be delivered as a part of the `History`.
public final class Batch {
  /// Number of messages that repeat the value of a sensor after the last answer that called its
  /// entity disabled. Home Assistant needs half a minute for an entity that the user enables again,
  /// and versions before 2025.12 drop the values until then. Cycles are five seconds apart or more.
  static let repeatsMax = 10

  final class Slot {
    var value: Value?
    /// Time of the last reading of the value.
    var readAt: WallTime?
    /// Number of changes of `value`.
    var version: UInt64 = 0
    var sentVersion: UInt64 = 0
    var acknowledgedVersion: UInt64 = 0
    /// Version that Home Assistant refused.
    var refusedVersion: UInt64 = 0
    /// Whether Home Assistant may have lost the acknowledged value.
    var isDoubtful = false
    /// Number of messages that have to repeat the value, because the user disabled the entity and
    /// may enable it again.
    var repeatsLeft = 0
    var status = SensorStatus.unregistered

    var isAcknowledged: Bool { version == acknowledgedVersion }
    /// Whether a value waits for Home Assistant. A value of a refused sensor does not wait.
    var isUndelivered: Bool { value != nil && !isAcknowledged && status != .refused }
    var isDue: Bool { value != nil && (isDoubtful || !isAcknowledged) }
    /// Whether Home Assistant has the sensor, accepted its value, and shows it.
    var isTaken: Bool {
      value != nil && isAcknowledged && status == .registered && version != refusedVersion
        && repeatsLeft == 0
    }
    /// Whether the sensor was offered to Home Assistant and its refusal is not proven.
    var isOffered: Bool { status == .registered || status == .declined }
  }

  /// Sensors to which the slots belong.
  public let sensors: SensorTable
  private(set) var slots: [Slot] = []
  private(set) var fix: Fix?
  /// Whether an urgent sensor changed since the last batch was sent.
  public private(set) var hasUrgentChange = false
  /// Numbers of unacknowledged readings and fixes that newer ones replaced since the last report.
  private(set) var superseded = Superseded()
  /// Index of the disabled sensor that was repeated last.
  private var lastRepeated = 0

  public struct Superseded: Equatable, Sendable {
    public var readings = 0
    public var fixes = 0
  }

  public init(of sensors: SensorTable = SensorTable()) {
    self.sensors = sensors
    slots.reserveCapacity(32)
  }

  /// Returns the index of a sensor, new or known; nil if it does not fit into a message.
  public func declare(_ sensor: SensorDescription) -> SensorIndex? {
    guard let index = sensors.declare(sensor) else { return nil }
    while slots.count < sensors.count { slots.append(Slot()) }
    return index
  }

  /// Stores a reading. Returns whether its value differs from the one before.
  func record(_ reading: Reading) -> Bool {
    let slot = slots[reading.sensor.value]
    slot.readAt = reading.time
    guard slot.value != reading.value else { return false }
    if slot.isUndelivered { superseded.readings += 1 }
    if sensors.rows[reading.sensor.value].isUrgent { hasUrgentChange = true }
    slot.value = reading.value
    slot.version += 1
    return true
  }

  func record(_ fix: Fix) {
    if self.fix != nil { superseded.fixes += 1 }
    self.fix = fix
  }

  /// Number of values that wait for Home Assistant.
  public var waitingReadingCount: Int { slots.count { $0.isUndelivered } }

  /// Number of fixes that wait for Home Assistant: at most one.
  public var waitingFixCount: Int { fix == nil ? 0 : 1 }

  public func value(of sensor: SensorIndex) -> Value? { slots[sensor.value].value }
  /// Returns the time of the last reading of a sensor, by the machine's clock.
  public func readAt(of sensor: SensorIndex) -> WallTime? { slots[sensor.value].readAt }

  /// Delivery state of a sensor's value.
  public enum Fate: Sendable {
    case taken
    /// The value waits for Home Assistant.
    case kept
    /// Home Assistant refused the value or the sensor.
    case refused
  }

  public func fate(of sensor: SensorIndex) -> Fate {
    let slot = slots[sensor.value]
    if slot.status == .refused || slot.version == slot.refusedVersion { return .refused }
    return slot.isUndelivered ? .kept : .taken
  }

  // MARK: Due messages

  /// Next sensor that has a value and is unknown to Home Assistant.
  var nextUnregistered: SensorIndex? {
    slots.firstIndex { $0.value != nil && $0.status == .unregistered }.map(SensorIndex.init)
  }

  /// Next sensor whose registration was declined.
  var nextDeclined: SensorIndex? {
    slots.firstIndex { $0.status == .declined }.map(SensorIndex.init)
  }

  /// Offers declined sensors again, because another server may have declined them.
  func forgetDeclined() {
    for index in slots.indices where slots[index].status == .declined {
      slots[index].status = .unregistered
    }
  }

  /// Writes the `data` of an `update_sensor_states` with every sensor that is due, and the
  /// challenge.
  ///
  /// If no sensor is due, one repeats its state. Home Assistant's answer is a proof without that,
  /// but only a state makes it record that it heard from the board; it stores no row for it. The
  /// state of a disabled entity does not; one of these is repeated in each message, in turn.
  func writeStates(_ challenge: Challenge, into buffer: inout ByteBuffer) {
    hasUrgentChange = false
    buffer.openJSONArray()
    challenge.appendState(to: &buffer)
    let repeated = nextRepeated()
    var isAnyShown = false
    for index in slots.indices {
      let slot = slots[index]
      guard slot.isDue || index == repeated, slot.isOffered else { continue }
      if slot.repeatsLeft == 0 { isAnyShown = true }
      write(index, into: &buffer)
    }
    if !isAnyShown, let index = slots.firstIndex(where: { $0.isTaken }) {
      write(index, into: &buffer)
    }
    buffer.closeJSONArray()
  }

  /// Returns the disabled sensor whose turn it is; nil if there is no such sensor.
  private func nextRepeated() -> Int? {
    for _ in slots.indices {
      lastRepeated = lastRepeated + 1 < slots.count ? lastRepeated + 1 : 0
      let slot = slots[lastRepeated]
      guard slot.repeatsLeft > 0 else { continue }
      slot.repeatsLeft -= 1
      return lastRepeated
    }
    return nil
  }

  private func write(_ index: Int, into buffer: inout ByteBuffer) {
    let slot = slots[index]
    slot.sentVersion = slot.version
    sensors.rows[index].writeUpdate(of: slot.value, into: &buffer)
  }

  /// Handles an urgent change that cannot be sent now: it waits for the next cycle.
  func urgentChangePostponed() { hasUrgentChange = false }

  func writeRegistration(of sensor: SensorIndex, into buffer: inout ByteBuffer) {
    let value = slots[sensor.value].value
    sensors[sensor].write(into: &buffer) { $0.appendJSON(state: value) }
  }

  // MARK: Answers of Home Assistant

  /// Whether the value of this sensor that was sent last may be new to Home Assistant.
  func isNews(_ sensor: SensorIndex) -> Bool {
    let slot = slots[sensor.value]
    return slot.isDoubtful || slot.sentVersion != slot.acknowledgedVersion
  }

  func status(of sensor: SensorIndex) -> SensorStatus { slots[sensor.value].status }

  func setStatus(_ status: SensorStatus, of sensor: SensorIndex) {
    slots[sensor.value].status = status
  }

  /// Records that Home Assistant has the value of this sensor that was sent last.
  func acknowledge(_ sensor: SensorIndex) {
    let index = sensor.value
    let sentVersion = slots[index].sentVersion
    // A newer reading replaced it during the transfer, but it arrived.
    if sentVersion != slots[index].version, sentVersion != slots[index].acknowledgedVersion {
      superseded.readings -= 1
    }
    slots[index].acknowledgedVersion = sentVersion
    slots[index].isDoubtful = false
  }

  /// Records that the user disabled the entity of this sensor.
  func disabled(_ sensor: SensorIndex) { slots[sensor.value].repeatsLeft = Self.repeatsMax }

  /// Records that Home Assistant refused the value of this sensor that was sent last.
  func refuse(_ sensor: SensorIndex) {
    slots[sensor.value].refusedVersion = slots[sensor.value].sentVersion
    acknowledge(sensor)
  }

  func acknowledgeFix(_ sent: Fix) {
    if fix == sent { fix = nil } else { superseded.fixes -= 1 }
  }

  /// Drops and counts the fix, which has become too old to be sent as the present one.
  func dropFix() {
    guard fix != nil else { return }
    fix = nil
    superseded.fixes += 1
  }

  /// Makes every value due again, because Home Assistant may have lost acknowledged ones.
  func doubtAcknowledgements() {
    for index in slots.indices { slots[index].isDoubtful = true }
  }

  /// Makes every value due again and offers refused sensors again, because Home Assistant may have
  /// lost all data.
  func forgetAcknowledgements() {
    doubtAcknowledgements()
    for index in slots.indices where slots[index].status != .registered {
      slots[index].status = .unregistered
    }
  }

  /// Resets all sensors, because a new registration has none.
  func forgetRegistrations() {
    for index in slots.indices { slots[index].status = .unregistered }
    forgetAcknowledgements()
  }

  /// Whether the answer does not mention a value that was sent.
  var hasUnanswered: Bool {
    slots.contains { $0.isUndelivered && $0.sentVersion == $0.version }
  }

  /// Subtracts superseded entries that have been handed to the history.
  func forget(_ told: Superseded) {
    superseded.readings -= told.readings
    superseded.fixes -= told.fixes
  }
}

/// Registration state of a sensor in Home Assistant.
enum SensorStatus: Equatable {
  case unregistered
  case registered
  /// The answer to its registration was negative or empty. It may be an old answer: the following
  /// states include the sensor, and their answer is the proof.
  case declined
  /// Home Assistant refused the sensor, which is not offered again until it or the agent restarts.
  case refused
}

/// Sensors of this agent, each once, with their description for Home Assistant. The batch, the
/// history and the hourly statistics share one table, and store their own data of a sensor by its
/// `SensorIndex`.
///
/// Invariants:
/// 1. A row is never changed or removed, so an index is valid for the life of the agent.
/// 2. No two rows have the same unique id.
/// 3. A message with the states of all sensors fits into `dataByteCountMax`.
public final class SensorTable {
  public static let sensorsMax = 256
  /// Maximum size of the `data` of any message, in bytes.
  public static let dataByteCountMax = 64 * 1024

  /// Row of the table. A class: access to one of its texts would otherwise copy all of them.
  final class Row {
    let registration: SensorRegistration
    let isUrgent: Bool

    init(_ registration: SensorRegistration, isUrgent: Bool) {
      self.registration = registration
      self.isUrgent = isUrgent
    }

    /// Writes the element of an `update_sensor_states`.
    func writeUpdate(of value: Value?, into buffer: inout ByteBuffer) {
      registration.writeUpdate(into: &buffer) { $0.appendJSON(state: value) }
    }
  }

  private(set) var rows: [Row] = []
  /// Index found last: answers list the sensors in the order of the rows.
  private var lastFound = -1
  /// Maximum size of an `update_sensor_states` with every sensor, in bytes.
  private var statesByteCount = 2 + Challenge.stateByteCount

  public init() { rows.reserveCapacity(32) }

  public var count: Int { rows.count }

  /// Description of a sensor for Home Assistant.
  ///
  /// - Precondition: `declare` returned the index.
  public subscript(sensor: SensorIndex) -> SensorRegistration { rows[sensor.value].registration }

  func uniqueID(of sensor: SensorIndex) -> [UInt8] {
    rows[sensor.value].registration.uniqueID
  }

  /// Returns the index of a sensor, new or known; nil if it does not fit into a message. Only the
  /// batch calls this, because it has a slot for each sensor.
  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    if let index = index(of: sensor.uniqueID.span) { return index }
    let registration = SensorRegistration(sensor)
    guard rows.count < Self.sensorsMax,
      sensor.uniqueID.count <= Spool.uniqueIDByteCountMax,
      let byteCount = Self.updateByteCount(of: registration),
      statesByteCount + byteCount <= Self.dataByteCountMax
    else { return nil }
    statesByteCount += byteCount
    rows.append(Row(registration, isUrgent: sensor.isUrgent))
    return SensorIndex(rows.count - 1)
  }

  /// Returns the sensor with this unique id; nil if no row has it.
  func index(of uniqueID: Span<UInt8>) -> SensorIndex? {
    var index = lastFound
    for _ in rows.indices {
      index = index + 1 < rows.count ? index + 1 : 0
      let known = rows[index].registration.uniqueID
      guard uniqueID.elementsEqual(known.span) else { continue }
      lastFound = index
      return SensorIndex(index)
    }
    return nil
  }

  /// Returns the maximum size of a sensor's element and its comma, determined by writing them; nil
  /// if the registration or the element alone does not fit into a message.
  private static func updateByteCount(of registration: SensorRegistration) -> Int? {
    // Every byte of the longest text may need an escape.
    let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: InlineText.byteCountMax)
    let longest = Value.text(InlineText(quotes.span))
    var data = ByteBuffer(capacity: dataByteCountMax)
    registration.write(into: &data) { $0.appendJSON(state: longest) }
    guard !data.isOverflowed else { return nil }
    data.removeAll()
    registration.writeUpdate(into: &data) { $0.appendJSON(state: longest) }
    return data.isOverflowed ? nil : data.count + 1
  }
}

extension SensorRegistration {
  fileprivate init(_ sensor: SensorDescription) {
    self.init(
      uniqueID: sensor.uniqueID, name: sensor.name,
      kind: sensor.kind == .sensor ? .sensor : .binarySensor,
      unit: sensor.unit, deviceClass: sensor.deviceClass, stateClass: sensor.stateClass,
      icon: sensor.icon, isDiagnostic: sensor.isDiagnostic)
  }
}

extension ByteBuffer {
  /// Appends a state in Home Assistant's form. A binary sensor accepts only true, false and null:
  /// every text, even "off", would turn it on.
  public mutating func appendJSON(state value: Value?) {
    switch value {
    case .number(let number): appendJSON(number)
    case .boolean(let truth): appendJSON(truth)
    case .text(let text): appendJSON(text.bytes)
    case .unknown, nil: appendJSONNull()
    case .unavailable: appendJSON("unavailable")
    }
  }
}
