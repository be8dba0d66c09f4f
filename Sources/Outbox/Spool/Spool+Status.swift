public import Bytes
import Sensing

/// What a spool looks like from outside; nothing here changes it.
extension Spool {
  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? { earliest(disk.retryAt, slice.deadline) }

  /// Why entries are in memory, where they are not meant to be.
  public var failure: DiskFailure? { disk.failure }
  public var losses: Losses { ledger.losses }

  /// Whether earlier runs left something, and it is not known yet what.
  var isOpening: Bool { !isOpen && directory.count > 0 }

  /// Whether the disk did not read what is next, and is to be tried again at the deadline.
  var isReadPostponed: Bool { reader.isPostponed }

  /// Whether nothing is kept, on the disk or in memory, that was not acknowledged.
  public var isEmpty: Bool {
    isOpen && memory.count == 0
      && directory.segments.indices.allSatisfy { ledger.isAcknowledged($0) }
  }

  /// Entries that are in memory only.
  public var entryCountInMemory: Int { memory.count }

  /// Entries that are in memory, and are meant to be on the disk.
  var unkeptEntryCount: Int { keepsOnDisk ? memory.count : 0 }

  /// Entries that were not acknowledged; more where the disk lost some and they were not read yet.
  public var entryCount: Int { memory.count + max(0, ledger.entryCount) }

  /// What all files take of the disk.
  public var occupiedByteCount: Int { directory.occupiedByteCount }

  /// How often the detail of each segment was taken out, the oldest first.
  var thinnings: [UInt8] { directory.segments.map { $0.thinnings } }

  // MARK: Positions

  /// The unique id of a sensor that the entry taken last is of.
  public func uniqueID(of entry: SpoolEntry) -> [UInt8] {
    guard case .reading(let slot, _) = entry.content else { return [] }
    return entry.sequence == nil ? memory.names[slot] : records.names[slot]
  }

  /// The clock of the entry taken last, where it is on the disk and its time is not trusted; nil
  /// where it is not known which it was.
  func clock(of entry: SpoolEntry) -> ClockOrigin? {
    entry.sequence == nil || entry.isTimeTrusted ? nil : records.clock
  }

  /// What was taken.
  public var position: SpoolPosition {
    SpoolPosition(numbers: reader.taken, inMemory: memory.position)
  }

  /// Up to where entries were recorded.
  public var end: SpoolPosition {
    SpoolPosition(sequence: ledger.nextSequence - 1, inMemory: memory.end)
  }

  /// Everything up to `mark`, but what is in segments that are left alone.
  func readable(upTo mark: SpoolPosition) -> SpoolPosition {
    SpoolPosition(
      numbers: ledger.readable(upTo: mark.sequence), inMemory: mark.inMemory)
  }

  /// What was acknowledged.
  var start: SpoolPosition {
    SpoolPosition(numbers: ledger.acknowledged, inMemory: memory.start)
  }
}
