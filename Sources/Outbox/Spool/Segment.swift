import Bytes
import Sensing

/// Segment of the spool, with the known facts about its file.
struct Segment {
  enum Header {
    /// The disk has not read the header.
    case unread
    case valid
    case damaged
  }

  /// Lowest possible number of its entries, from the file name.
  let first: UInt64
  /// Number of its bytes that are on the disk for certain.
  var byteCount: Int
  /// Number of bytes after them that a failed write may have left.
  var tailByteCount = 0
  var header = Header.unread

  var file: SegmentFile { SegmentFile(first: first) }
  var occupiedByteCount: Int { Spool.occupiedByteCount(of: byteCount + tailByteCount) }
  /// Whether the file is larger than a spool can have written.
  var isTooLarge: Bool { byteCount > Spool.unknownByteCount }
  /// Number that no entry of it can have reached: each takes more than a byte.
  var numbersEnd: UInt64 { first + UInt64(min(byteCount, Spool.unknownByteCount)) + 1 }
  var entryCountMax: Int {
    max(0, byteCount - SegmentHeader.byteCount) / SpoolRecord.entryByteCountMin
  }
  var deletion: SpoolLog.Removal {
    SpoolLog.Removal(action: .delete(file), occupiedByteCount: occupiedByteCount)
  }
}

/// Header of a segment.
///
///     offset  size  field                integers are little-endian
///          0     4  magic                "HWSP"
///          4     2  version              1
///          6     1  0...3                0; an earlier agent counted its removals here
///          7     1  0
///          8     8  first                minimum of the sequence numbers of the segment
///         16     8  acknowledged         last number that Home Assistant had when it was made
///         24    16  device               device of the readings
///         40     4  checksum             CRC-32C of bytes 0..<40
///
/// Every version begins like this, so that an old agent recognises a new spool.
struct SegmentHeader: Equatable {
  static let byteCount = 44
  private static let frame = KeptFrame(magic: "HWSP", version: 1)

  var first: UInt64
  var acknowledged: UInt64
  var device: DeviceFingerprint

  var salt: SegmentSalt { SegmentSalt(first: first, device: device) }

  enum Contents: Equatable {
    case valid(SegmentHeader)
    /// A header of another version.
    case foreign
    /// A torn or damaged header, or something else.
    case unreadable
  }

  /// Writes the first bytes of a file into an empty buffer.
  func write(into buffer: inout ByteBuffer) {
    Self.frame.open(&buffer)
    buffer.append(littleEndian: UInt16(0))
    buffer.append(littleEndian: first)
    buffer.append(littleEndian: acknowledged)
    buffer.append(littleEndian: device.low)
    buffer.append(littleEndian: device.high)
    Self.frame.close(&buffer)
  }

  /// Reads and checks the first bytes of a file.
  static func read(_ bytes: Span<UInt8>) -> Contents {
    guard bytes.count >= byteCount else { return .unreadable }
    let end: Int
    do throws(KeptFrameError) {
      end = try frame.bodyEnd(of: bytes.extracting(0..<byteCount))
    } catch {
      return error == .damaged ? .unreadable : .foreign
    }
    var fields = FieldReader(bytes.extracting(KeptFrame.bodyOffset..<end))
    guard let removals = fields.integer(UInt16.self), removals <= 3,
      let first = fields.integer(UInt64.self),
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

/// File of the spool's directory.
///
/// Its name is its first sequence number in 16 hexadecimal digits, so that the number is known even
/// if the header cannot be read: `0000000000000001.spool`.
public struct SegmentFile: Equatable, Sendable {
  enum Kind: Equatable {
    case segment
    /// A copy with less detail that an earlier agent did not complete.
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

  /// Parses the name of a file; nil if it is not a file of a spool.
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

  var aside: SegmentFile { SegmentFile(first: first, kind: .aside) }

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

extension ByteBuffer {
  fileprivate mutating func append(hexadecimal number: UInt64, digits: UInt64) {
    for digit in (0..<digits).reversed() {
      append(hexadecimalDigit: UInt8(truncatingIfNeeded: number >> (4 * digit)) & 15)
    }
  }
}
