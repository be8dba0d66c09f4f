import Bytes

/// Writes the records of a segment.
struct SegmentWriter {
  /// No entry with what it needs before it takes more.
  static let entryByteCountMax = 3 * SpoolRecord.byteCountMax

  private let first: UInt64
  private let salt: CRC32C
  /// The slots whose meaning stands in the segment.
  private var declared = SlotSet()
  /// The clock that stands in the segment.
  private var clock: ClockOrigin?

  init(_ salt: SegmentSalt) {
    first = salt.first
    self.salt = salt.checksum
  }

  /// Writes an entry under its number, and before it the name of its sensor and the clock of its
  /// time where they are not there.
  mutating func write(
    _ entry: SpoolEntry, sequence: UInt64, names: borrowing SensorNames,
    clock: ClockOrigin? = nil, into buffer: inout ByteBuffer
  ) {
    if !entry.isTimeTrusted, let clock, clock != self.clock {
      for _ in 0..<2 { buffer.append(clock, salt: salt) }
      self.clock = clock
    }
    if case .reading(let slot, _) = entry.content, !declared.contains(slot) {
      for _ in 0..<2 { buffer.append(sensor: slot, names[slot], salt: salt) }
      declared.insert(slot)
    }
    buffer.append(entry, offset: sequence - first, salt: salt)
  }

  /// Writes what of it the disk does not hold yet.
  func write(
    acknowledged: SequenceSet, since persisted: SequenceSet, into buffer: inout ByteBuffer
  ) {
    if acknowledged.prefix > persisted.prefix {
      buffer.append(acknowledged: acknowledged.prefix, salt: salt)
    }
    if acknowledged.rangeCount > 0, !acknowledged.hasSameRanges(as: persisted) {
      buffer.append(rangesOf: acknowledged, salt: salt)
    }
  }
}
