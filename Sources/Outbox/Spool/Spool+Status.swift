public import Bytes
public import Sensing

/// Entries come.
extension Spool {
  /// Keeps a reading of the sensor that is called `uniqueID`, 1 to `uniqueIDByteCountMax` bytes.
  public func record(_ reading: Reading, of uniqueID: [UInt8], isTimeTrusted: Bool) {
    guard let slot = UInt8(exactly: reading.sensor.value) else {
      preconditionFailure("a spool has as many slots as a batch has sensors")
    }
    memory.name(slot, uniqueID)
    log.losses.overflowed += memory.append(
      SpoolEntry(reading, slot: slot, isTimeTrusted: isTimeTrusted))
  }

  /// Keeps a fix.
  public func record(_ fix: Fix, isTimeTrusted: Bool) {
    log.losses.overflowed += memory.append(SpoolEntry(fix, isTimeTrusted: isTimeTrusted))
  }

  /// The clock of the times that are not trusted, as it goes now.
  var clock: ClockOrigin? {
    get { memory.clock }
    set { memory.clock = newValue }
  }

  /// The clock, which was not trusted, was wrong by `step`. Corrects what is in memory only.
  func correctTimesInMemory(by step: Duration) { memory.correctTimes(by: step) }

  /// What was recorded so far is to be written.
  public func batchClosed() { memory.batchClosed() }

  /// What is recorded from here on is behind the `mark`.
  func cycleBegan() { memory.mark(after: log.next - 1) }
}

/// What a spool looks like from outside; nothing here changes it.
extension Spool {
  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? { earliest(disk.retryAt, slice.deadline) }

  /// Why entries are in memory, where they are not meant to be.
  public var failure: DiskFailure? { disk.failure }
  public var losses: Losses { log.losses }

  /// Whether earlier runs left something, and it is not known yet what.
  var isOpening: Bool { opening?.findings.segments.isEmpty == false }

  /// Whether the disk did not read what is next, and is to be tried again at the deadline.
  var isReadPostponed: Bool { reader.isPostponed }

  /// Whether nothing is kept, on the disk or in memory, that was not acknowledged.
  public var isEmpty: Bool { isOpen && memory.count == 0 && log.isSettled }

  /// Entries that are in memory only.
  public var entryCountInMemory: Int { memory.count }

  /// Entries that are in memory, and are meant to be on the disk.
  var unkeptEntryCount: Int { keepsOnDisk ? memory.count : 0 }

  /// Entries that were not acknowledged; more where the disk lost some and they were not read yet.
  public var entryCount: Int { memory.count + log.waitingCount }

  /// Bytes that all files take of the disk.
  public var occupiedByteCount: Int { log.occupiedByteCount }

  // MARK: The entry that was taken last

  /// The unique id of its sensor.
  public func uniqueID(of entry: SpoolEntry) -> [UInt8] {
    guard case .reading(let slot, _) = entry.content else { return [] }
    return entry.sequence == nil ? memory.names[slot] : records.names[slot]
  }

  /// Its clock, if it is on the disk and its time is not trusted; nil if it is not known which it
  /// was.
  func clock(of entry: SpoolEntry) -> ClockOrigin? {
    entry.sequence == nil || entry.isTimeTrusted ? nil : records.clock
  }

  // MARK: Positions

  /// Behind what was taken.
  public var position: SpoolPosition {
    SpoolPosition(sequence: reader.taken, inMemory: memory.position)
  }

  /// Behind what was recorded.
  public var end: SpoolPosition {
    SpoolPosition(sequence: log.next - 1, inMemory: memory.end)
  }

  /// Behind what was acknowledged.
  var start: SpoolPosition {
    SpoolPosition(sequence: log.acknowledged, inMemory: memory.start)
  }

  /// Behind what was recorded when the cycle began, wherever that is now.
  var mark: SpoolPosition { memory.mark }

  /// Whether something was recorded behind the mark.
  var hasNews: Bool { memory.end > mark.inMemory }
}
