public import Bytes
public import Sensing

/// Hours that Home Assistant's statistics lack, until they are imported.
public struct WaitingHours: Equatable, Sendable {
  /// Maximum number: a month of eleven sensors, or eleven of one. The oldest is dropped first.
  public static let countMax = 8192

  struct Sensor: Equatable {
    let sensor: StatisticsSensor
    /// Hours in order.
    var hours: [SensorHour]
  }

  private(set) var sensors: [Sensor] = []
  public private(set) var count = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  func hours(of sensor: StatisticsSensor) -> [SensorHour] {
    sensors.first { $0.sensor == sensor }?.hours ?? []
  }

  /// Adds an hour, or replaces one that was measured before the clock was set back.
  mutating func insert(_ hour: SensorHour, of sensor: StatisticsSensor) {
    let index = place(of: sensor)
    // It is nearly always the newest hour.
    let before = sensors[index].hours.lastIndex { $0.number <= hour.number }
    if let before, sensors[index].hours[before].number == hour.number {
      sensors[index].hours[before] = hour
    } else {
      sensors[index].hours.insert(hour, at: before.map { $0 + 1 } ?? 0)
      count += 1
      if count > Self.countMax { removeOldest() }
    }
  }

  private mutating func place(of sensor: StatisticsSensor) -> Int {
    if let index = sensors.firstIndex(where: { $0.sensor == sensor }) { return index }
    sensors.append(Sensor(sensor: sensor, hours: []))
    return sensors.count - 1
  }

  private mutating func removeOldest() {
    let oldest = sensors.min { $0.hours[0].number < $1.hours[0].number }
    if let oldest { remove(oldest.hours[...0], of: oldest.sensor) }
  }

  mutating func remove(_ hours: ArraySlice<SensorHour>, of sensor: StatisticsSensor) {
    guard let index = sensors.firstIndex(where: { $0.sensor == sensor }) else { return }
    sensors[index].hours.removeAll { hours.contains($0) }
    if sensors[index].hours.isEmpty { sensors.remove(at: index) }
    count = sensors.reduce(0) { $0 + $1.hours.count }
  }
}

/// File that stores the hours across restarts; integers are little-endian:
///
///     size  field       meaning
///        4  magic       "HWHR"
///        2  version     2
///       16  device      owner of the hours
///        …  sensors
///        4  checksum    CRC-32C of all bytes before
///
/// A sensor, with its hours in order:
///
///     size  field
///        1  bytes of the unique id, 1 to 200
///        …  unique id
///        1  bytes of the unit, 0 to 255
///        …  unit
///        1  kind of statistics: 0 mean, 1 sum, 2 balance
///        2  hours, 1 to 8192
///        …  for means, 32 × number of the hour since 1970, mean, lowest, highest (IEEE 754)
///        …  else, 16 × number of the hour, value of the counter at its end
extension WaitingHours {
  /// Maximum size of the file, with the maximum number of sensors.
  public static let fileByteCountMax =
    26 + SensorTable.sensorsMax * (5 + Spool.uniqueIDByteCountMax + unitByteCountMax)
    + countMax * hourByteCount

  private static let frame = KeptFrame(magic: "HWHR", version: 2)
  private static let unitByteCountMax = 255
  /// Maximum size of an hour: that of a mean.
  private static let hourByteCount = 32

  public func file(of device: DeviceFingerprint) -> ByteBuffer {
    var byteCount = 26
    for sensor in sensors {
      byteCount += 5 + sensor.sensor.uniqueID.count + sensor.sensor.unit.count
      byteCount += sensor.hours.count * Self.hourByteCount
    }
    var buffer = ByteBuffer(capacity: byteCount)
    Self.frame.open(&buffer)
    buffer.append(littleEndian: device.low)
    buffer.append(littleEndian: device.high)
    for sensor in sensors { buffer.append(sensor) }
    Self.frame.close(&buffer)
    precondition(!buffer.isOverflowed, "it was measured before")
    return buffer
  }

  /// Reads a file that was written for this device.
  ///
  /// - Throws: `KeptFrameError`, if the file is damaged, of another device, or of a newer version.
  public init(
    file bytes: Span<UInt8>, of device: DeviceFingerprint
  ) throws(KeptFrameError) {
    let end = try Self.frame.bodyEnd(of: bytes)
    var fields = FieldReader(bytes.extracting(KeptFrame.bodyOffset..<end))
    guard fields.integer(UInt64.self) == device.low, fields.integer(UInt64.self) == device.high
    else { throw .damaged }
    self.init()
    while !fields.isAtEnd {
      guard insertSensor(&fields) else { throw .damaged }
    }
  }

  private mutating func insertSensor(_ fields: inout FieldReader) -> Bool {
    guard let uniqueID = fields.text(), let unit = fields.text(),
      (1...Spool.uniqueIDByteCountMax).contains(uniqueID.count),
      let kind = fields.integer(UInt8.self).flatMap({ StatisticsSensor.Kind(rawValue: $0) }),
      let hourCount = fields.integer(UInt16.self)
    else { return false }
    let sensor = StatisticsSensor(uniqueID: uniqueID, unit: unit, kind)
    for _ in 0..<hourCount {
      guard let number = fields.integer(Int64.self), SensorHour.numbers.contains(number),
        let figures = fields.figures(kind)
      else { return false }
      insert(SensorHour(number: number, figures), of: sensor)
    }
    return true
  }
}

extension SensorHour {
  /// Hours within the range of `WallTime`.
  fileprivate static let numbers: ClosedRange<Int64> =
    WallTime(nanoseconds: .min).hour + 1...WallTime(nanoseconds: .max).hour - 1
}

extension FieldReader {
  /// Reads a text after its length.
  fileprivate mutating func text() -> [UInt8]? {
    integer(UInt8.self).flatMap { bytes(count: Int($0)) }
  }

  fileprivate mutating func figures(_ kind: StatisticsSensor.Kind) -> SensorHour.Figures? {
    switch kind {
    case .mean:
      guard let mean = double(), let lowest = double(), let highest = double() else { return nil }
      return .measured(mean: mean, lowest: lowest, highest: highest)
    case .sum, .balance: return double().map { .counted($0) }
    }
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ sensor: WaitingHours.Sensor) {
    append(text: sensor.sensor.uniqueID)
    append(text: sensor.sensor.unit)
    append(sensor.sensor.kind.rawValue)
    append(littleEndian: UInt16(sensor.hours.count))
    for hour in sensor.hours {
      append(littleEndian: hour.number)
      switch hour.figures {
      case .measured(let mean, let lowest, let highest):
        append(littleEndian: mean)
        append(littleEndian: lowest)
        append(littleEndian: highest)
      case .counted(let count): append(littleEndian: count)
      }
    }
  }

  private mutating func append(text: [UInt8]) {
    guard let length = UInt8(exactly: text.count) else {
      preconditionFailure("unique ids and units are short")
    }
    append(length)
    append(text)
  }
}
