import Bytes

extension Spool {
  /// The next entry in the spool's order; nil where there is none, or where the disk has to be read
  /// first (`nextAction`). None is behind `end`, but in the oldest-first order for one where numbers
  /// are missing.
  public mutating func take(upTo end: SpoolPosition? = nil) -> SpoolEntry? {
    let end = end ?? self.end
    if isReading || isReadPostponed { return nil }
    switch order {
    case .oldestFirst:
      // Where nothing is left out, the end of the newest segment has to be seen.
      if taken.prefix < end.sequence || end.sequence == nextSequence - 1,
        let entry = takeFromDisk(upTo: .max)
      {
        return entry
      }
      return isReading ? nil : takeFromMemory(upTo: end)
    case .newestFirst:
      return takeFromMemory(upTo: end) ?? takeFromDisk(upTo: end.sequence)
    }
  }

  /// Whether `take` may bring more once what `nextAction` says is done.
  public var isReading: Bool {
    isChunkWanted && !isReadPostponed || !isOpen && failure == nil || isOpen && !isReaderFree
  }

  private var isReaderFree: Bool {
    switch step {
    case .copying, .creatingCopy, .appendingCopy, .synchronizingCopy, .replacing: false
    default: true
    }
  }

  /// The unique id of a sensor that the entry taken last is of.
  public func uniqueID(of entry: SpoolEntry) -> [UInt8] {
    guard case .reading(let slot, _) = entry.content else { return [] }
    return entry.sequence == nil ? names[slot] : reader.names[slot]
  }

  /// What was taken.
  public var position: SpoolPosition {
    SpoolPosition(numbers: taken, inMemory: max(takenInMemory, waiting.removedCount))
  }

  /// Up to where entries were recorded.
  public var end: SpoolPosition {
    SpoolPosition(
      sequence: nextSequence - 1, inMemory: waiting.removedCount + UInt64(waiting.count))
  }

  /// Everything up to `mark`, but what is in segments that are left alone.
  func readable(upTo mark: SpoolPosition) -> SpoolPosition {
    var numbers = acknowledged
    var first: UInt64 = 0
    for index in segments.indices where segments[index].isLeftAlone {
      guard let held = self.numbers(of: index), held.lowerBound <= mark.sequence else { continue }
      if first < held.lowerBound {
        numbers.insert(first...held.lowerBound - 1, forgetting: forgotten)
      }
      first = held.upperBound + 1
    }
    if first <= mark.sequence {
      numbers.insert(first...mark.sequence, forgetting: forgotten)
    }
    return SpoolPosition(numbers: numbers, inMemory: mark.inMemory)
  }

  /// What was acknowledged.
  var start: SpoolPosition {
    SpoolPosition(numbers: acknowledged, inMemory: waiting.removedCount)
  }

  /// Home Assistant has everything that is before the position.
  public mutating func acknowledged(upTo position: SpoolPosition) {
    acknowledged.formUnion(position.numbers, forgetting: forgotten)
    taken.formUnion(acknowledged, forgetting: forgotten)
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
    loseCursor()
  }

  /// What is in memory is taken again, and may be written meanwhile. What was taken can still be
  /// acknowledged.
  mutating func rewindMemory() { takenInMemory = waiting.removedCount }

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

  /// The numbers that entries of the segment can have, or nil where none was given there.
  func numbers(of index: Int) -> ClosedRange<UInt64>? {
    let first = segments[index].first
    let end = index + 1 < segments.count ? segments[index + 1].first : nextSequence
    return first < end ? first...end - 1 : nil
  }

  func isAcknowledged(_ index: Int) -> Bool {
    numbers(of: index).map { acknowledged.contains($0) } ?? true
  }

  /// A segment that nobody needs any more.
  var acknowledgedSegment: Int? {
    segments.indices.dropLast().first { !segments[$0].isUndeletable && isAcknowledged($0) }
  }

  mutating func remove(_ index: Int) {
    segments.remove(at: index)
    losses.dropped += copyLosses
    copyLosses = 0
    if let here = cursor {
      if here.segment > index { cursor?.segment -= 1 }
      if here.segment == index { loseCursor() }
    }
    step = .idle
  }
}
