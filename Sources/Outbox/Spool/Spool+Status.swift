public import Bytes

extension Spool {
  /// Time at which `deadlineReached` is due, or nil.
  public var deadline: Instant? { earliest(disk.retryAt, slice.deadline) }

  /// Failure because of which entries stay in memory; nil without one.
  public var failure: DiskFailure? { disk.failure }
  public var losses: Losses { log.losses }

  /// Whether earlier runs left entries that are not known yet.
  var isOpening: Bool { opening?.findings.segments.isEmpty == false }

  /// Whether the disk failed to read the next entries, and is tried again at the deadline.
  var isReadPostponed: Bool { reader.isPostponed }

  /// Whether no unacknowledged entry is on the disk or in memory.
  public var isEmpty: Bool { isOpen && memory.count == 0 && log.isSettled }

  /// Number of entries that are only in memory.
  public var entryCountInMemory: Int { memory.count }

  /// Number of entries that are only in memory but should be on the disk.
  var unkeptEntryCount: Int { keepsOnDisk ? memory.count : 0 }

  /// Number of unacknowledged entries; too large if the disk lost some that are still unread.
  public var entryCount: Int { memory.count + log.waitingCount }

  // MARK: Entry taken last

  /// Returns the unique id of the entry's sensor.
  public func uniqueID(of entry: SpoolEntry) -> [UInt8] {
    guard case .reading(let slot, _) = entry.content else { return [] }
    return entry.sequence == nil ? memory.names[slot] : records.names[slot]
  }

  /// Returns the clock of an entry on the disk with an untrusted time; nil if unknown.
  func clock(of entry: SpoolEntry) -> ClockOrigin? {
    entry.sequence == nil || entry.isTimeTrusted ? nil : records.clock
  }

  // MARK: Positions

  /// Position after the entries that were taken.
  public var position: SpoolPosition {
    SpoolPosition(sequence: reader.taken, inMemory: memory.position)
  }

  /// Position after the recorded entries.
  public var end: SpoolPosition {
    SpoolPosition(sequence: log.next - 1, inMemory: memory.end)
  }

  /// Position after the acknowledged entries.
  var start: SpoolPosition {
    SpoolPosition(sequence: log.acknowledged, inMemory: memory.start)
  }

  /// Position after the entries recorded before the cycle, in memory or written meanwhile.
  var mark: SpoolPosition { memory.mark }

  /// Whether entries were recorded after the mark.
  var hasNews: Bool { memory.end > mark.inMemory }
}
