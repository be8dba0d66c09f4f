import Bytes

/// Room is made by a copy of the oldest segment with less in it, or with nothing in it: then it is
/// only read, to count what goes.
extension Spool {
  /// What becomes of a segment.
  enum Copy { case thinned, none }

  var copyFile: SegmentFile { SegmentFile(first: segments[copyIndex].first, kind: .thinned) }

  /// A new segment and a copy must find room, whenever they are made.
  private var isOverCap: Bool {
    // Each may end an entry behind its limit.
    occupiedByteCount > byteCountCap - 2 * (segmentByteCount + Self.blockByteCount)
      || segments.count > Self.segmentCountMax
  }

  mutating func nextCopy() -> Step? {
    guard segments.count > 1, isOverCap,
      let oldest = segments.indices.dropLast().first(where: { !segments[$0].isUndeletable })
    else { return nil }
    let thinnable = segments.indices.dropLast().first {
      !segments[$0].isUndeletable && segments[$0].thinnings < SpoolThinning.countMax
        && segments[$0].occupiedByteCount > Self.blockByteCount
    }
    loseCursor()
    copyLosses = 0
    outgoing.removeAll()
    guard segments.count <= Self.segmentCountMax, let index = thinnable else {
      beginReading(oldest)
      return .copying(.none)
    }
    beginReading(index)
    thinning = SpoolThinning()
    SegmentHeader(
      thinnings: segments[index].thinnings + 1, first: segments[index].first,
      acknowledged: persisted.prefix, device: device
    ).write(into: &outgoing)
    copiedByteCount = 0
    return .creatingCopy
  }

  private mutating func beginReading(_ index: Int) {
    copyIndex = index
    reader.begin(SegmentSalt(first: segments[index].first, device: device))
  }

  mutating func copyRead(_ copy: Copy) {
    if chunkByteCount == 0 { segments[copyIndex].byteCount = reader.readOffset }
    continueCopy(copy)
  }

  /// Goes through what was read, as far as there is room for what stays of it.
  private mutating func continueCopy(_ copy: Copy) {
    let isWhole = reader.readOffset >= segments[copyIndex].byteCount
    while outgoing.freeCapacity >= SpoolRecord.byteCountMax {
      guard let record = reader.next(isWhole: isWhole) else {
        reader.makeRoom()
        return isWhole ? copyEnded(copy) : (step = .copying(copy))
      }
      switch record {
      case .acknowledged, .acknowledgedRanges: break
      case .sensor:
        if copy == .thinned { outgoing.append(reader.found, of: reader.window) }
      case .entry(let entry):
        // What is acknowledged is no loss and needs no room.
        guard let sequence = entry.sequence, !acknowledged.contains(sequence) else { break }
        if copy == .thinned, thinning.keeps(entry) {
          outgoing.append(reader.found, of: reader.window)
        } else {
          copyLosses += 1
        }
      }
    }
    step = .appendingCopy
  }

  private mutating func copyEnded(_ copy: Copy) {
    countDamage(of: copyIndex)
    if isGarbage(copyIndex) {
      segments[copyIndex].isGarbage = true
      step = .idle
      abandonCopy()
    } else if copy == .none {
      step = .deleting(copyIndex)
    } else {
      step = outgoing.isEmpty ? .synchronizingCopy : .appendingCopy
    }
  }

  mutating func copyAppended() {
    copiedByteCount += outgoing.count
    outgoing.removeAll()
    continueCopy(.thinned)
  }

  mutating func replaced() {
    losses.thinned += copyLosses
    copyLosses = 0
    segments[copyIndex].byteCount = copiedByteCount
    segments[copyIndex].thinnings += 1
    segments[copyIndex].isHeaderReadable = true
    segments[copyIndex].damagedByteCount = 0
    step = .idle
  }

  mutating func copyFailed(_ failure: DiskFailure, now: Instant) {
    if step == .copying(.none) {
      // What was not read of it cannot even be counted.
      losses.unreadableSegments += 1
      step = .deleting(copyIndex)
      return
    }
    // It is not tried again with this one, and nobody knows whether the copy is there.
    segments[copyIndex].thinnings = SpoolThinning.countMax
    copyLosses = 0
    abandonCopy()
    step = .idle
    diskFailed(failure, now: now)
  }

  private mutating func abandonCopy() { leftovers.append(copyFile) }
}
