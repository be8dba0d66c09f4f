import Bytes
import HomeAssistant
import Sensing

/// Event with history, while it grows. Home Assistant gets it as the data of `homeward_history`:
///
///     device_id       the id with which the device registered
///     device          its name
///     first, last     the sequence numbers of the first and the last entry; both are missing if
///                     the entries existed only in memory
///     clock           "set" if the times are known to be right, else "unset"
///     sensors         unique ids
///     names           names of the sensors for people
///     readings        [time, index into sensors, value], in the order in which they were made
///     point_columns   the names of the values of a point
///     points          [time, latitude, longitude, accuracy, altitude, speed, course], in order
///
/// Times are in seconds since 1970, lengths in metres, speeds in metres per second, angles in
/// degrees. A value is a number, a boolean, a text, null if it is unknown, or "unavailable".
struct HistoryChunk: ~Copyable {
  static let eventType: StaticString = "homeward_history"
  /// Maximum size of an event. Home Assistant's recorder drops data of more than 32 768 bytes.
  static let byteCountMax = 30 * 1024
  /// Maximum size of the event without entries and names of sensors.
  static let frameByteCountMax = 512
  private static let coordinateDecimals: UInt8 = 7
  private static let measureDecimals: UInt8 = 1

  private var readings = ByteBuffer(capacity: byteCountMax)
  private var points = ByteBuffer(capacity: byteCountMax)
  private var sensors: [HistorySensor] = []
  private var sensorsByteCount = 0
  private(set) var entryCount = 0
  /// Sequence numbers of the entries; nil without entries, or if they have no numbers.
  private(set) var sequences: ClosedRange<UInt64>?
  private var isTimeTrusted = true

  var isEmpty: Bool { entryCount == 0 }

  /// Maximum size of the event.
  var byteCount: Int {
    Self.frameByteCountMax + readings.count + points.count + sensorsByteCount
  }

  mutating func removeAll() {
    readings.removeAll()
    points.removeAll()
    sensors.removeAll(keepingCapacity: true)
    sensorsByteCount = 0
    entryCount = 0
    sequences = nil
    isTimeTrusted = true
  }

  /// Adds an entry and returns true; returns false if it belongs to the next event. The first entry
  /// always fits.
  mutating func append(
    _ entry: SpoolEntry, of sensor: HistorySensor, byteCountMax: Int = byteCountMax
  ) -> Bool {
    guard isEmpty || continues(with: entry) else { return false }
    let before = (readings.count, points.count, sensors.count, sensorsByteCount)
    switch entry.content {
    case .reading(_, let value): append(value, entry.time, of: sensor)
    case .fix(let fix): append(fix, entry.time)
    }
    let isTooLarge = readings.isOverflowed || points.isOverflowed || byteCount > byteCountMax
    guard isEmpty || !isTooLarge else {
      readings.truncate(to: before.0)
      points.truncate(to: before.1)
      sensors.removeLast(sensors.count - before.2)
      sensorsByteCount = before.3
      return false
    }
    isTimeTrusted = entry.isTimeTrusted
    entryCount += 1
    if let sequence = entry.sequence { sequences = (sequences?.lowerBound ?? sequence)...sequence }
    return true
  }

  /// Whether `entry` may follow in the same event: with a higher number, and equally trusted times.
  private func continues(with entry: SpoolEntry) -> Bool {
    guard entry.isTimeTrusted == isTimeTrusted else { return false }
    guard let last = sequences?.upperBound else { return entry.sequence == nil }
    return entry.sequence.map { $0 > last } ?? false
  }

  private mutating func append(_ value: Value, _ time: WallTime, of sensor: HistorySensor) {
    let index = self.index(of: sensor)
    readings.openJSONArray()
    readings.appendJSON(time.unixSeconds)
    readings.appendJSON(index)
    readings.appendJSON(state: value)
    readings.closeJSONArray()
  }

  private mutating func index(of sensor: HistorySensor) -> Int {
    if let index = sensors.firstIndex(of: sensor) { return index }
    sensors.append(sensor)
    sensorsByteCount += sensor.byteCount
    return sensors.count - 1
  }

  private mutating func append(_ fix: Fix, _ time: WallTime) {
    points.openJSONArray()
    points.appendJSON(time.unixSeconds)
    points.appendMeasure(fix.latitude, decimals: Self.coordinateDecimals)
    points.appendMeasure(fix.longitude, decimals: Self.coordinateDecimals)
    points.appendMeasure(fix.horizontalErrorMeters, decimals: Self.measureDecimals)
    points.appendMeasure(fix.altitudeMeters, decimals: Self.measureDecimals)
    points.appendMeasure(fix.speedMetersPerSecond, decimals: Self.measureDecimals)
    points.appendMeasure(fix.trackDegrees, decimals: Self.measureDecimals)
    points.closeJSONArray()
  }

  /// Writes the `data` of the `fire_event`.
  func write(into data: inout ByteBuffer, of device: History.Device) {
    data.appendEvent(Self.eventType, of: device) { appendMembers(to: &$0) }
  }

  private func appendMembers(to data: inout ByteBuffer) {
    if let sequences {
      data.appendMember("first") { $0.appendJSON(sequences.lowerBound) }
      data.appendMember("last") { $0.appendJSON(sequences.upperBound) }
    }
    data.appendMember("clock", isTimeTrusted ? "set" : "unset")
    data.appendArray("sensors") { data in
      for sensor in sensors { data.appendJSON(sensor.uniqueID) }
    }
    data.appendArray("names") { data in
      for sensor in sensors { data.appendJSON(sensor.name) }
    }
    data.appendArray("readings") { $0.append(readings.bytes) }
    data.appendJSON(key: "point_columns")
    data.append(#"["time","latitude","longitude","accuracy","altitude","speed","course"]"#)
    data.appendArray("points") { $0.append(points.bytes) }
  }
}

struct HistorySensor: Equatable {
  let uniqueID: [UInt8]
  /// Name for people; the unique id if the name is unknown.
  let name: [UInt8]

  /// Maximum size of its texts in JSON. They may come from a file with any content.
  fileprivate var byteCount: Int {
    var byteCount = 6
    for text in [uniqueID, name] {
      for byte in text {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byteCount += 2
        case 0x20..<0x80: byteCount += 1
        case 0x80...: byteCount += 3
        default: byteCount += 6
        }
      }
    }
    return byteCount
  }
}

extension WallTime {
  /// Seconds since 1970, to the millisecond, which every reader of JSON represents exactly.
  var unixSeconds: FixedPoint { FixedPoint(nanoseconds / 1_000_000, decimals: 3) }
}

extension ByteBuffer {
  fileprivate mutating func appendArray(
    _ key: StaticString, _ elements: (inout ByteBuffer) -> Void
  ) {
    appendJSON(key: key)
    openJSONArray()
    elements(&self)
    closeJSONArray()
  }

  fileprivate mutating func appendMeasure(_ measure: Double?, decimals: UInt8) {
    if let number = measure.flatMap({ FixedPoint(rounding: $0, decimals: decimals) }) {
      appendJSON(number)
    } else {
      appendJSONNull()
    }
  }
}

/// Rate limiter of the events with history: their size, and the time of the next one.
///
/// Events grow while answers come soon and shrink otherwise, so that on a weak link an event does
/// not delay fresh data. An event that was not proven may have arrived, so it is repeated
/// unchanged, and Home Assistant's users can recognise it; only a second failure makes it smaller.
struct HistoryRateLimiter {
  static let smallestByteCount = 1024
  static let firstByteCount = 4 * 1024
  /// Transfer time above which an event was too large.
  static let longestTransfer: Duration = .seconds(5)
  /// Transfer time up to which the next event is larger.
  static let shortTransfer: Duration = .seconds(2)

  /// Maximum data rate of history, at least `smallestByteCount`; nil without a limit.
  private let bytesPerMinute: Int?
  /// Maximum size of an event.
  private(set) var byteCount = firstByteCount
  private var sentAt: Instant?
  /// Maximum size of the next event once this one is proven.
  private var nextByteCount = firstByteCount
  /// Whether the last event was not answered.
  private var hasFailed = false
  /// Earliest time of the next event.
  private(set) var nextAt = Instant(nanoseconds: .min)

  init(bytesPerMinute: Int?) { self.bytesPerMinute = bytesPerMinute }

  /// Records that an event of `byteCount` bytes on the link is sent.
  mutating func sent(byteCount: Int, now: Instant) {
    sentAt = now
    nextByteCount = self.byteCount
    guard let bytesPerMinute else { return }
    nextAt = now + .seconds(60) * Double(byteCount) / Double(bytesPerMinute)
  }

  /// Records the answer of Home Assistant, or of a proxy in its place.
  mutating func answered(now: Instant) {
    guard let sentAt else { return }
    self.sentAt = nil
    if now - sentAt > Self.longestTransfer {
      nextByteCount = max(byteCount / 2, Self.smallestByteCount)
    } else if now - sentAt <= Self.shortTransfer {
      nextByteCount = min(byteCount * 2, HistoryChunk.byteCountMax)
    }
  }

  mutating func proven() {
    byteCount = nextByteCount
    hasFailed = false
  }

  mutating func failed() {
    guard sentAt != nil else { return }
    sentAt = nil
    if hasFailed { byteCount = max(byteCount / 2, Self.smallestByteCount) }
    hasFailed = true
  }
}
