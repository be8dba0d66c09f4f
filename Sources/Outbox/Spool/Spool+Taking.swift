import Bytes

extension Spool {
  /// The next entry, the oldest first; nil where there is none, or where the disk has to be read
  /// first (`nextAction`). None is behind `end`, but for one where numbers are missing.
  public mutating func take(upTo end: SpoolPosition? = nil) -> SpoolEntry? {
    let end = end ?? self.end
    if isReading { return nil }
    // Where nothing is left out, the end of the newest segment has to be seen.
    if isOpen, !segments.isEmpty, taken < end.sequence || end.sequence == nextSequence - 1,
      let entry = takeFromDisk()
    {
      return entry
    }
    return isReading ? nil : takeFromMemory(upTo: end)
  }

  /// Whether `take` may bring more once what `nextAction` says is done.
  public var isReading: Bool {
    isChunkWanted || !isOpen && failure == nil || isOpen && !isReaderFree
  }

  /// The unique id of a sensor that the entry taken last is of.
  public func uniqueID(of entry: SpoolEntry) -> [UInt8] {
    guard case .reading(let slot, _) = entry.content else { return [] }
    return entry.sequence == nil ? names[slot] : reader.names[slot]
  }

  /// Up to where entries were taken.
  public var position: SpoolPosition {
    SpoolPosition(sequence: taken, inMemory: max(takenInMemory, waiting.removedCount))
  }

  /// Up to where entries were recorded.
  public var end: SpoolPosition {
    SpoolPosition(
      sequence: nextSequence - 1, inMemory: waiting.removedCount + UInt64(waiting.count))
  }

  /// As far as everything was acknowledged.
  var start: SpoolPosition {
    SpoolPosition(sequence: acknowledged, inMemory: waiting.removedCount)
  }

  /// Home Assistant has everything up to here.
  public mutating func acknowledged(upTo position: SpoolPosition) {
    acknowledged = max(acknowledged, position.sequence)
    taken = max(taken, acknowledged)
    guard position.inMemory > waiting.removedCount else { return }
    let count = min(waiting.count, Int(position.inMemory - waiting.removedCount))
    waiting.removeFirst(count)
    outgoingEntryCount = max(0, outgoingEntryCount - count)
    takenInMemory = max(takenInMemory, waiting.removedCount)
  }

  /// Whatever was not acknowledged is taken again.
  public mutating func rewind() {
    taken = acknowledged
    takenInMemory = waiting.removedCount
    for index in segments.indices { segments[index].finishedAt = nil }
    cursor = nil
    isChunkWanted = false
  }

  // MARK: From the disk

  private var isReaderFree: Bool {
    switch step {
    case .copying, .creatingCopy, .appendingCopy, .synchronizingCopy, .replacing: false
    default: true
    }
  }

  private mutating func takeFromDisk() -> SpoolEntry? {
    if cursor == nil { moveCursor(to: oldestUntaken) }
    while let index = cursor {
      let byteCount = segments[index].byteCount
      while let record = reader.next(isWhole: reader.readOffset >= byteCount) {
        guard case .entry(let entry) = record, let sequence = entry.sequence, sequence > taken
        else { continue }
        taken = sequence
        if isNamed(entry) { return entry }
      }
      if reader.readOffset < byteCount {
        reader.makeRoom()
        isChunkWanted = true
        return nil
      }
      segments[index].finishedAt = taken
      countDamage(of: index)
      guard index + 1 < segments.count else { return nil }
      segments[index].isGarbage = isGarbage(index)
      moveCursor(to: index + 1)
    }
    return nil
  }

  /// The first segment that can hold something that was not taken.
  private var oldestUntaken: Int {
    var index = 0
    while index + 1 < segments.count, segments[index + 1].first <= taken + 1 { index += 1 }
    return index
  }

  private mutating func moveCursor(to index: Int) {
    cursor = index
    reader.begin(SegmentSalt(first: segments[index].first, device: device))
  }

  /// Whether the entry says of which sensor it is. Where both records that say it are lost, so is the
  /// entry.
  private mutating func isNamed(_ entry: SpoolEntry) -> Bool {
    guard case .reading(let slot, _) = entry.content, reader.names[slot].isEmpty else {
      return true
    }
    if taken > namelessUpTo {
      namelessUpTo = taken
      losses.nameless += 1
    }
    return false
  }

  mutating func fetched() {
    isChunkWanted = false
    step = .idle
    // The file is shorter than it was.
    if chunkByteCount == 0, let index = cursor {
      segments[index].byteCount = reader.readOffset
    }
  }

  mutating func fetchFailed() {
    isChunkWanted = false
    losses.unreadableSegments += 1
    guard let index = cursor else { preconditionFailure("what is fetched has a place") }
    if index == segments.count - 1 { isNewestOpen = false }
    leaveOut(index)
  }

  /// Counts what was found to be no record in the segment that was read to its end, once.
  mutating func countDamage(of index: Int) {
    let tail = max(0, segments[index].byteCount - reader.endOfRecords)
    let byteCount = reader.damagedByteCount + tail
    losses.damagedByteCount += max(0, byteCount - segments[index].damagedByteCount)
    segments[index].damagedByteCount = max(byteCount, segments[index].damagedByteCount)
  }

  /// Whether nothing of ours was found in the segment that was read to its end.
  func isGarbage(_ index: Int) -> Bool {
    !segments[index].isHeaderReadable && reader.recordCount == 0
  }

  // MARK: From memory

  private mutating func takeFromMemory(upTo end: SpoolPosition) -> SpoolEntry? {
    let place = max(takenInMemory, waiting.removedCount)
    let index = Int(place - waiting.removedCount)
    // What is being written is taken from the disk, with its number.
    guard outgoingEntryCount == 0, index < waiting.count, place < end.inMemory else { return nil }
    takenInMemory = place + 1
    return waiting[index]
  }

  // MARK: What was acknowledged goes

  var isOldestAcknowledged: Bool {
    guard segments.count > 1 else { return false }
    if segments[1].first <= acknowledged + 1 { return true }
    guard let finishedAt = segments[0].finishedAt else { return false }
    return finishedAt <= acknowledged
  }

  mutating func removeOldest() {
    segments.removeFirst()
    if let index = cursor { cursor = index > 0 ? index - 1 : nil }
    if cursor == nil { isChunkWanted = false }
    step = .idle
  }
}
