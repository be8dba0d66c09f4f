import Bytes
public import HomeAssistant
public import Sensing

/// The sensors of this agent, each once: what Home Assistant is told of it. The batch, the history
/// and the hourly statistics share one table, and keep what they know of a sensor in columns of
/// their own, by its `SensorIndex`.
///
/// Invariants:
/// 1. A row is never changed or removed, so an index is good for the life of the agent.
/// 2. No two rows have the same unique id.
/// 3. A message with the states of all sensors fits into `dataByteCountMax`.
public final class SensorTable {
  /// Sensors that one agent can have.
  public static let sensorsMax = 256
  /// The bytes that the `data` of any message takes at most.
  public static let dataByteCountMax = 64 * 1024

  /// A class: a look at one of its texts would otherwise copy all of them.
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
  /// The one that was looked for last: answers name the sensors in the order of the rows.
  private var lastFound = -1
  /// The bytes that an `update_sensor_states` with every sensor takes at most.
  private var statesByteCount = 2 + Challenge.stateByteCount

  public init() { rows.reserveCapacity(32) }

  public var count: Int { rows.count }

  /// What Home Assistant is told of a sensor.
  ///
  /// - Precondition: `declare` returned the index.
  public subscript(sensor: SensorIndex) -> SensorRegistration { rows[sensor.value].registration }

  /// What Home Assistant knows a sensor by.
  func uniqueID(of sensor: SensorIndex) -> [UInt8] {
    rows[sensor.value].registration.uniqueID
  }

  /// The place of a sensor, made where its `uniqueID` is new; nil where no more fit into a message.
  /// The batch declares them, for it has a slot for each.
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

  /// The sensor with this unique id; nil where no row has it.
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

  /// The bytes that a sensor's element and its comma take at most, found by writing them; nil
  /// where the registration or the element alone does not fit into a message.
  private static func updateByteCount(of registration: SensorRegistration) -> Int? {
    // Every byte of the longest text may be one that is escaped.
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
