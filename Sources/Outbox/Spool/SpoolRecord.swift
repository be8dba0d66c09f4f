import Bytes
import Sensing

/// Record of a segment.
///
///     offset  size  field             integers are little-endian
///          0     1  start             0xA5, the byte at which a reader looks for the next record
///          1     1  body length L
///          2     1  kind
///          3     L  body
///        3+L     4  checksum          CRC-32C of the segment's salt and of bytes 1..<3+L
///
/// The salt is the first sequence number and the device from the header. So a remainder of another
/// segment, or a record of another device, is invalid here.
///
///     kind             body
///     1 sensor         slot 1 · unique id, 1...200
///     2 reading        sequence 1...9 · time 8 · flags 1 · slot 1 · value
///     3 fix            sequence 1...9 · time 8 · flags 1 · latitude 8 · longitude 8 · the rest
///     4 acknowledged   sequence 8
///     5                ignored: an earlier agent wrote ranges of numbers
///     6 clock          start of the kernel 8 · time 8
///
/// A sequence of a reading or a fix is counted from the segment's first, in LEB128. A time is in
/// nanoseconds since 1970. Bit 7 of the flags means that the clock was trusted.
///
/// Flags of a reading, bits 0...2: 0 number (coefficient 8 · decimals 1), 1 false, 2 true, 3 text
/// (UTF-8), 4 unknown, 5 unavailable. Flags of a fix: bit 0 three-dimensional; bits 1...5:
/// altitude, speed, track, horizontal and vertical error follow, as IEEE 754 doubles like the
/// position, in this order.
///
/// Kind 4 means that everything up to and including the sequence is acknowledged, which stays true.
/// Kind 5 listed acknowledged entries above that sequence: they are delivered again.
///
/// A sensor record defines a slot for the following entries, and kind 6 the untrusted clock's time
/// at the start of the kernel. Both are written twice, because the following entries are worthless
/// without them. A reader without kind 6 treats it as damage and does not correct the times.
enum SpoolRecord: Equatable {
  case sensor(slot: UInt8)
  /// A reading or a fix, with its sequence.
  case entry(SpoolEntry)
  /// Home Assistant has everything up to and including this sequence.
  case acknowledged(UInt64)
  /// Clock of the following entries whose time is not trusted.
  case clock(ClockOrigin)
  /// A record that this agent ignores.
  case passedOver

  static let start: UInt8 = 0xA5
  static let prefixByteCount = 3
  static let checksumByteCount = 4
  /// Minimum size: an unknown reading with number, time, flags and slot.
  static let entryByteCountMin = prefixByteCount + 1 + 8 + 1 + 1 + checksumByteCount
  static let byteCountMin = prefixByteCount + checksumByteCount
  static let byteCountMax = byteCountMin + 255
  static let uniqueIDByteCountMax = 200
  /// Maximum number; with a number every nanosecond it would last a century.
  static let sequenceMax: UInt64 = 1 << 62
  /// Maximum first number of a valid segment, which leaves room for more.
  static let firstSequenceMax: UInt64 = 1 << 61

  enum Kind: UInt8 { case sensor = 1, reading, fix, acknowledged, passedOver, clock }
}

/// Initial bytes of every checksum of a segment.
struct SegmentSalt: Equatable {
  let first: UInt64
  let device: DeviceFingerprint

  var checksum: CRC32C {
    var bytes = InlineArray<24, UInt8>(repeating: 0)
    for index in 0..<8 {
      bytes[index] = UInt8(truncatingIfNeeded: first >> UInt64(8 * index))
      bytes[index + 8] = UInt8(truncatingIfNeeded: device.low >> UInt64(8 * index))
      bytes[index + 16] = UInt8(truncatingIfNeeded: device.high >> UInt64(8 * index))
    }
    return CRC32C(of: bytes.span)
  }
}

// MARK: Writing

extension ByteBuffer {
  mutating func append(sensor slot: UInt8, _ uniqueID: [UInt8], salt: CRC32C) {
    precondition(
      (1...SpoolRecord.uniqueIDByteCountMax).contains(uniqueID.count), "a name fits into a record")
    appendRecord(.sensor, salt: salt) { body in
      body.append(slot)
      body.append(uniqueID)
    }
  }

  mutating func append(acknowledged sequence: UInt64, salt: CRC32C) {
    appendRecord(.acknowledged, salt: salt) { $0.append(littleEndian: sequence) }
  }

  mutating func append(_ clock: ClockOrigin, salt: CRC32C) {
    appendRecord(.clock, salt: salt) { body in
      body.append(littleEndian: clock.kernelStart)
      body.append(littleEndian: clock.wallTime.nanoseconds)
    }
  }

  mutating func append(_ entry: SpoolEntry, offset: UInt64, salt: CRC32C) {
    switch entry.content {
    case .reading(let sensor, let value):
      appendRecord(.reading, salt: salt) { body in
        body.appendStart(of: entry, offset: offset, flags: value.code)
        body.append(sensor)
        body.append(value)
      }
    case .fix(let fix):
      appendRecord(.fix, salt: salt) { body in
        body.appendStart(of: entry, offset: offset, flags: fix.flags)
        body.append(littleEndian: fix.latitude)
        body.append(littleEndian: fix.longitude)
        for field in fix.fields.indices {
          if let number = fix.fields[field] { body.append(littleEndian: number) }
        }
      }
    }
  }

  private mutating func appendStart(of entry: SpoolEntry, offset: UInt64, flags: UInt8) {
    append(groups: offset)
    append(littleEndian: entry.time.nanoseconds)
    append(entry.isTimeTrusted ? flags | SpoolEntry.trustFlag : flags)
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .number(let number):
      append(littleEndian: number.coefficient)
      append(number.decimals)
    case .text(let text): append(text.bytes)
    case .boolean, .unknown, .unavailable: break
    }
  }

  private mutating func appendRecord(
    _ kind: SpoolRecord.Kind, salt: CRC32C, _ body: (inout ByteBuffer) -> Void
  ) {
    let start = count
    append(SpoolRecord.start)
    append(0)
    append(kind.rawValue)
    body(&self)
    guard !isOverflowed else { return }
    let length = count - start - SpoolRecord.prefixByteCount
    guard let length = UInt8(exactly: length) else {
      preconditionFailure("no record is longer than its length can say")
    }
    self[start + 1] = length
    var checksum = salt
    checksum.update(bytes.extracting(start + 1..<count))
    append(littleEndian: checksum.value)
  }
}

extension SpoolEntry {
  fileprivate static let trustFlag: UInt8 = 0x80
}

extension Value {
  fileprivate var code: UInt8 {
    switch self {
    case .number: 0
    case .boolean(false): 1
    case .boolean(true): 2
    case .text: 3
    case .unknown: 4
    case .unavailable: 5
    }
  }
}

extension Fix {
  fileprivate var fields: InlineArray<5, Double?> {
    [
      altitudeMeters, speedMetersPerSecond, trackDegrees, horizontalErrorMeters,
      verticalErrorMeters,
    ]
  }

  fileprivate var flags: UInt8 {
    var flags: UInt8 = mode == .threeDimensional ? 1 : 0
    let fields = fields
    for field in fields.indices where fields[field] != nil { flags |= 2 << UInt8(field) }
    return flags
  }
}

// MARK: Reading

extension SpoolRecord {
  /// Returns the size of the record at the start of `bytes`; 0 if there are too few bytes.
  static func byteCount(startingWith bytes: Span<UInt8>) -> Int {
    bytes.count < 2 ? 0 : byteCountMin + Int(bytes[1])
  }

  /// Parses a record; nil if `bytes` are not a valid one.
  init?(_ bytes: Span<UInt8>, first: UInt64, salt: CRC32C) {
    guard bytes.count >= Self.byteCountMin, bytes[0] == Self.start,
      bytes.count == Self.byteCount(startingWith: bytes), let kind = Kind(rawValue: bytes[2])
    else { return nil }
    let end = bytes.count - Self.checksumByteCount
    var checksum = salt
    checksum.update(bytes.extracting(1..<end))
    var trailer = FieldReader(bytes.extracting(end...))
    guard trailer.integer(UInt32.self) == checksum.value else { return nil }
    self.init(kind, body: bytes.extracting(Self.prefixByteCount..<end), first: first)
  }

  private init?(_ kind: Kind, body: Span<UInt8>, first: UInt64) {
    var fields = FieldReader(body)
    switch kind {
    case .sensor:
      guard let slot = fields.integer(UInt8.self),
        (1...Self.uniqueIDByteCountMax).contains(fields.remaining.count)
      else { return nil }
      self = .sensor(slot: slot)
    case .acknowledged:
      guard let sequence = fields.integer(UInt64.self), sequence <= Self.firstSequenceMax,
        fields.isAtEnd
      else { return nil }
      self = .acknowledged(sequence)
    case .passedOver: self = .passedOver
    case .clock:
      guard let start = fields.integer(UInt64.self), let time = fields.integer(Int64.self),
        fields.isAtEnd
      else { return nil }
      self = .clock(
        ClockOrigin(kernelStart: start, wallTime: WallTime(nanoseconds: time)))
    case .reading, .fix:
      guard let offset = fields.groups(), offset <= Self.sequenceMax - first,
        let nanoseconds = fields.integer(Int64.self), let flags = fields.integer(UInt8.self)
      else { return nil }
      let time = WallTime(nanoseconds: nanoseconds)
      let meaning = flags & ~SpoolEntry.trustFlag
      let content: SpoolEntry.Content? =
        kind == .fix
        ? Fix(&fields, flags: meaning, time: time).map { .fix($0) }
        : Self.reading(&fields, code: meaning)
      guard let content else { return nil }
      self = .entry(
        SpoolEntry(
          sequence: first + offset, time: time,
          isTimeTrusted: flags & SpoolEntry.trustFlag != 0, content: content))
    }
  }

  private static func reading(_ fields: inout FieldReader, code: UInt8) -> SpoolEntry.Content? {
    guard let slot = fields.integer(UInt8.self), let value = Value(&fields, code: code) else {
      return nil
    }
    return .reading(sensor: slot, value)
  }
}

extension Value {
  fileprivate init?(_ fields: inout FieldReader, code: UInt8) {
    switch code {
    case 0:
      guard let coefficient = fields.integer(Int64.self),
        let decimals = fields.integer(UInt8.self), decimals <= FixedPoint.decimalsMax
      else { return nil }
      self = .number(FixedPoint(coefficient, decimals: decimals))
    case 1: self = .boolean(false)
    case 2: self = .boolean(true)
    case 3:
      guard fields.remaining.count <= InlineText.byteCountMax else { return nil }
      self = .text(InlineText(fields.remaining))
      return
    case 4: self = .unknown
    case 5: self = .unavailable
    default: return nil
    }
    guard fields.isAtEnd else { return nil }
  }
}

extension Fix {
  fileprivate init?(_ fields: inout FieldReader, flags: UInt8, time: WallTime) {
    guard flags & 0x40 == 0, let latitude = fields.double(), let longitude = fields.double(),
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    var rest = InlineArray<5, Double?>(repeating: nil)
    for field in rest.indices where flags & 2 << UInt8(field) != 0 {
      guard let number = fields.double() else { return nil }
      rest[field] = number
    }
    guard fields.isAtEnd else { return nil }
    self.init(
      mode: flags & 1 == 1 ? .threeDimensional : .twoDimensional, latitude: latitude,
      longitude: longitude, altitudeMeters: rest[0], speedMetersPerSecond: rest[1],
      trackDegrees: rest[2], horizontalErrorMeters: rest[3], verticalErrorMeters: rest[4],
      time: time, notBefore: Instant(nanoseconds: .min))
  }
}
