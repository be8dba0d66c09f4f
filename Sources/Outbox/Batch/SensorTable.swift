import Bytes
public import HomeAssistant
public import Sensing

/// Sensors of this agent, each once, with their description for Home Assistant. The batch, the
/// history and the hourly statistics share one table, and store their own data of a sensor by its
/// `SensorIndex`.
///
/// Invariants:
/// 1. A row is never changed or removed, so an index is valid for the life of the agent.
/// 2. No two rows have the same unique id.
/// 3. A message with the states of all sensors fits into `dataByteCountMax`.
public final class SensorTable {
  /// Maximum number of sensors of one agent.
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
