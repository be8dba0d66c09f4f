import Bytes

extension Spool {
  /// Whether the directory has to be told something; it is told with the next batch where it can
  /// wait.
  private var isWriteWanted: Bool {
    guard durability != .memory else { return false }
    // What was taken is acknowledged before long, or taken again.
    let isBatchDue = isWriteDue && !waiting.isEmpty && takenInMemory <= waiting.removedCount
    return isBatchDue || isEverythingAcknowledged
      || acknowledged.count >= persisted.count + Self.acknowledgementsPerWrite
  }

  /// Whether the newest segment holds nothing but what was acknowledged.
  var isEverythingAcknowledged: Bool {
    segments.count == 1 && nextSequence > newest.first && isAcknowledged(0)
  }

  mutating func nextWrite() -> Step? {
    guard isWriteWanted else { return nil }
    if isNewestUnclean { return .repairing }
    guard isNewestOpen, newest.byteCount < segmentByteCount, !isEverythingAcknowledged
    else {
      // Two files cannot have one name.
      if let newest = segments.last { nextSequence = max(nextSequence, newest.first + 1) }
      return .creating
    }
    writeOutgoing()
    return .appending
  }

  mutating func created() {
    segments.append(Segment(first: nextSequence, byteCount: 0, isHeaderReadable: true))
    writer = SegmentWriter(SegmentSalt(first: nextSequence, device: device))
    isNewestOpen = true
    isDirectoryUnclean = true
    writeOutgoing()
    step = .appending
  }

  private mutating func writeOutgoing() {
    guard var writer else { preconditionFailure("an open segment has a writer") }
    outgoing.removeAll()
    outgoingAcknowledged = acknowledged
    var stated = persisted
    if newest.byteCount == 0 {
      SegmentHeader(
        thinnings: 0, first: newest.first, acknowledged: acknowledged.prefix, device: device
      ).write(into: &outgoing)
      // At the next start only the newest segment is read.
      stated = SequenceSet(upTo: acknowledged.prefix)
    }
    writer.write(acknowledged: acknowledged, since: stated, into: &outgoing)
    outgoingEntryCount = 0
    // What is acknowledged before its batch is closed is never written.
    let entryCount = isWriteDue && takenInMemory <= waiting.removedCount ? waiting.count : 0
    while outgoingEntryCount < entryCount,
      outgoing.freeCapacity >= SegmentWriter.entryByteCountMax,
      newest.byteCount + outgoing.count < segmentByteCount
    {
      let sequence = nextSequence + UInt64(outgoingEntryCount)
      writer.write(waiting[outgoingEntryCount], sequence: sequence, names: names, into: &outgoing)
      outgoingEntryCount += 1
    }
    outgoingNumberCount = UInt64(outgoingEntryCount)
    self.writer = writer
  }

  mutating func written() {
    segments[segments.count - 1].byteCount += outgoing.count
    persisted = outgoingAcknowledged
    nextSequence += outgoingNumberCount
    waiting.removeFirst(outgoingEntryCount)
    takenInMemory = max(takenInMemory, waiting.removedCount)
    outgoingEntryCount = 0
    if waiting.isEmpty { isWriteDue = false }
    diskWorks()
    step = .idle
  }

  /// Numbers that no entry has, as far as is known. They are not given, and not waited for.
  mutating func skipNumbers(_ count: UInt64) {
    guard count > 0 else { return }
    skipped.removeAll { acknowledged.contains($0) }
    var first = nextSequence
    nextSequence += count
    if let last = skipped.last, last.upperBound + 1 == first {
      first = last.lowerBound
      skipped.removeLast()
    }
    skipped.append(first...nextSequence - 1)
  }

  mutating func writeFailed(_ failure: DiskFailure, now: Instant) {
    // Some of it may be on the disk under these numbers.
    skipNumbers(max(1, outgoingNumberCount))
    outgoingEntryCount = 0
    outgoingNumberCount = 0
    if step != .creating, newest.byteCount == 0 {
      // There is nothing in it that is certain. It would be in the way as one that cannot be read.
      leftovers.append(newest.file)
      segments.removeLast()
      isNewestOpen = false
    } else if step != .creating {
      isNewestUnclean = true
      writer = SegmentWriter(SegmentSalt(first: newest.first, device: device))
    }
    step = .idle
    diskFailed(failure, now: now)
  }
}
