import Bytes

/// One segment of the spool, as far as its file is known.
struct Segment {
  /// State of its header.
  enum Header {
    /// The disk did not read it.
    case unread
    case valid
    case damaged
  }

  /// Lowest number that an entry of it can have, as its name says.
  let first: UInt64
  /// Bytes of it that are on the disk for certain.
  var byteCount: Int
  /// Bytes that a failed write may have left behind those.
  var tailByteCount = 0
  var header = Header.unread

  var file: SegmentFile { SegmentFile(first: first) }
  var occupiedByteCount: Int { Spool.occupiedByteCount(of: byteCount + tailByteCount) }
  /// Whether a spool cannot have written it.
  var isTooLarge: Bool { byteCount > Spool.unknownByteCount }
  /// A number that no entry of it can have reached: each takes more than a byte.
  var numbersEnd: UInt64 { first + UInt64(min(byteCount, Spool.unknownByteCount)) + 1 }
  /// Number of entries that have room in it.
  var entryCountMax: Int {
    max(0, byteCount - SegmentHeader.byteCount) / SpoolRecord.entryByteCountMin
  }
  /// Deletes its file.
  var deletion: SpoolLog.Removal {
    SpoolLog.Removal(action: .delete(file), occupiedByteCount: occupiedByteCount)
  }
}

/// The start of a segment.
///
///     offset  size  field                integers are little-endian
///          0     4  magic                "HWSP"
///          4     2  version              1
///          6     1  0...3                0; an earlier agent counted here what it took out
///          7     1  0
///          8     8  first                every sequence number of the segment is this or more
///         16     8  acknowledged         what Home Assistant had of the segments before
///         24    16  device               whose readings these are
///         40     4  checksum             CRC-32C of bytes 0..<40
///
/// Every version begins like this, so that an old agent knows a new spool when it sees one.
struct SegmentHeader: Equatable {
  static let byteCount = 44
  static let version: UInt16 = 1
  private static let magic: StaticString = "HWSP"

  var first: UInt64
  var acknowledged: UInt64
  var device: DeviceFingerprint

  var salt: SegmentSalt { SegmentSalt(first: first, device: device) }

  enum Contents: Equatable {
    case valid(SegmentHeader)
    /// Of a version that is not ours.
    case foreign
    /// Torn or damaged, or no header at all.
    case unreadable
  }

  func write(into buffer: inout ByteBuffer) {
    let start = buffer.count
    buffer.append(Self.magic)
    buffer.append(littleEndian: Self.version)
    buffer.append(littleEndian: UInt16(0))
    buffer.append(littleEndian: first)
    buffer.append(littleEndian: acknowledged)
    buffer.append(littleEndian: device.low)
    buffer.append(littleEndian: device.high)
    var checksum = CRC32C()
    checksum.update(buffer.bytes.extracting(start...))
    buffer.append(littleEndian: checksum.value)
  }

  /// Judges the first bytes of a file.
  static func read(_ bytes: Span<UInt8>) -> Contents {
    guard bytes.count >= byteCount, bytes.starts(with: magic) else { return .unreadable }
    var checksum = CRC32C()
    checksum.update(bytes.extracting(0..<byteCount - 4))
    var trailer = FieldReader(bytes.extracting(byteCount - 4..<byteCount))
    guard trailer.integer(UInt32.self) == checksum.value else { return .unreadable }
    var fields = FieldReader(bytes.extracting(4..<byteCount - 4))
    guard fields.integer(UInt16.self) == version, let removals = fields.integer(UInt16.self),
      removals <= 3, let first = fields.integer(UInt64.self),
      let acknowledged = fields.integer(UInt64.self), let low = fields.integer(UInt64.self),
      let high = fields.integer(UInt64.self),
      (1...SpoolRecord.firstSequenceMax).contains(first),
      acknowledged <= SpoolRecord.firstSequenceMax
    else { return .foreign }
    return .valid(
      SegmentHeader(
        first: first, acknowledged: acknowledged,
        device: DeviceFingerprint(low: low, high: high)))
  }
}

/// A file of the spool's directory.
///
/// It is called by its first sequence number in 16 hexadecimal digits, so that a header that cannot
/// be read costs no reading: `0000000000000001.spool`.
public struct SegmentFile: Equatable, Sendable {
  enum Kind: Equatable {
    case segment
    /// A copy with less detail, which an earlier agent did not finish.
    case thinned
    /// A file that was set aside: the agent does not read it.
    case aside
  }

  public static let nameByteCountMax = 24

  let first: UInt64
  let kind: Kind

  init(first: UInt64, kind: Kind = .segment) {
    self.first = first
    self.kind = kind
  }

  /// The file of that name, or nil where it is none of a spool.
  public init?(name: Span<UInt8>) {
    guard name.count > 16, let first = UInt64(hexadecimal: name.extracting(0..<16)),
      (1...SpoolRecord.firstSequenceMax).contains(first)
    else { return nil }
    for kind in [Kind.segment, .thinned, .aside] {
      let file = SegmentFile(first: first, kind: kind)
      let known = file.name
      guard name.elementsEqual(known.span) else { continue }
      self = file
      return
    }
    return nil
  }

  /// The same file once it is set aside.
  var aside: SegmentFile { SegmentFile(first: first, kind: .aside) }

  /// The name in the directory.
  public var name: [UInt8] {
    var buffer = ByteBuffer(capacity: Self.nameByteCountMax)
    buffer.append(hexadecimal: first, digits: 16)
    switch kind {
    case .segment: buffer.append(".spool")
    case .thinned: buffer.append(".thinned")
    case .aside: buffer.append(".aside")
    }
    return [UInt8](buffer.bytes)
  }
}

extension UInt64 {
  init?(hexadecimal digits: Span<UInt8>) {
    self = 0
    for index in digits.indices {
      guard let value = hexadecimalValue(of: digits[index]) else { return nil }
      self = self << 4 | UInt64(value)
    }
  }
}

extension ByteBuffer {
  fileprivate mutating func append(hexadecimal number: UInt64, digits: UInt64) {
    for digit in (0..<digits).reversed() {
      append(hexadecimalDigit: UInt8(truncatingIfNeeded: number >> (4 * digit)) & 15)
    }
  }
}
