public import Bytes

/// Counts that outlive a restart, by the unique ids of their sensors, and the file that stores
/// them. Integers are little-endian:
///
///     size  field       meaning
///        4  magic       "HWCT"
///        2  version     1
///        …  counts      for each: 1 byte of length, 1 to 200; the unique id; 8 bytes, the count
///        4  checksum    CRC-32C of all bytes before
public struct KeptCounts: Equatable, Sendable {
  /// Largest number of counts, one for each possible sensor.
  public static let countMax = 64
  static let idByteCountMax = 200
  public static let fileByteCountMax = KeptFrame.byteCount + countMax * (9 + idByteCountMax)

  private static let frame = KeptFrame(magic: "HWCT", version: 1)

  private struct Entry: Equatable {
    let id: [UInt8]
    var count: Int64
  }

  private var entries: [Entry] = []

  public init() {}

  /// Returns the stored count; nil if there is none.
  public subscript(id: [UInt8]) -> Int64? {
    for entry in entries where entry.id == id { return entry.count }
    return nil
  }

  /// Stores a count. If there is no more room, the oldest entry is removed: its sensor may have
  /// left the configuration long ago.
  public mutating func keep(_ count: Int64, of id: [UInt8]) {
    for index in entries.indices where entries[index].id == id {
      entries[index].count = count
      return
    }
    precondition((1...Self.idByteCountMax).contains(id.count), "unique ids are short")
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(Entry(id: id, count: count))
  }

  /// Contents of the file.
  public var file: ByteBuffer {
    var buffer = ByteBuffer(capacity: Self.fileByteCountMax)
    Self.frame.open(&buffer)
    for entry in entries {
      buffer.append(UInt8(clamping: entry.id.count))
      buffer.append(entry.id)
      buffer.append(littleEndian: entry.count)
    }
    Self.frame.close(&buffer)
    return buffer
  }

  public init(file bytes: Span<UInt8>) throws(KeptFrameError) {
    let end = try Self.frame.bodyEnd(of: bytes)
    var position = KeptFrame.bodyOffset
    while position < end {
      let length = Int(bytes[position])
      guard (1...Self.idByteCountMax).contains(length), position + 9 + length <= end,
        entries.count < Self.countMax
      else { throw .damaged }
      let id = [UInt8](bytes.extracting(position + 1..<position + 1 + length))
      let count = bytes.littleEndian(Int64.self, at: position + 1 + length)
      guard count >= 0, self[id] == nil else { throw .damaged }
      entries.append(Entry(id: id, count: count))
      position += 9 + length
    }
  }
}
