public import Bytes

extension Spool {
  /// What the disk is doing, or does next.
  enum Step: Equatable {
    case unlisted
    case idle
    case deletingLeftover(SegmentFile)
    // Opening
    case readingHeader(Int)
    case settingAside(Int, SegmentFile)
    case scanning
    case cutting(Int)
    // Writing
    case repairing
    case creating
    case appending
    case synchronizing
    case synchronizingDirectory
    // Taking
    case fetching
    case deleting(Int)
    // Making room
    case copying(Copy)
    case creatingCopy
    case appendingCopy
    case synchronizingCopy
    case replacing
  }

  /// What is to be done next, or nil. It is done, and told with `performed` or `failed`, before the
  /// next one is asked for.
  public mutating func nextAction() -> Action? {
    precondition(!isUnderWay, "one action at a time")
    if step == .idle { step = nextStep() }
    if step == .unlisted, retryAt != nil { return nil }
    guard let action = action(of: step) else { return nil }
    if case .read(_, _, let byteCountMax) = action {
      chunkByteCountMax = byteCountMax
      chunkByteCount = 0
    }
    isUnderWay = true
    return action
  }

  /// What comes first of all there is to do.
  private mutating func nextStep() -> Step {
    guard isOpen else { return .unlisted }
    if retryAt == nil {
      if let index = segments.firstIndex(where: { $0.isGarbage }) {
        return .settingAside(index, segments[index].asideFile)
      }
      if !areDeletionsPostponed, let deletion = nextDeletion { return deletion }
      if let write = nextWrite() { return write }
      if let deletion = nextDeletion { return deletion }
      if let copy = nextCopy() { return copy }
    }
    if isChunkWanted, cursor != nil, !isReadPostponed { return .fetching }
    return .idle
  }

  private var nextDeletion: Step? {
    if let leftover = leftovers.last { return .deletingLeftover(leftover) }
    return acknowledgedSegment.map { .deleting($0) }
  }

  private func action(of step: Step) -> Action? {
    switch step {
    case .idle: return nil
    case .unlisted: return .list
    case .deletingLeftover(let file): return .delete(file)
    case .readingHeader(let index):
      return .read(segments[index].file, offset: 0, byteCountMax: SegmentHeader.byteCount)
    case .settingAside(let index, let aside):
      return .setAside(segments[index].file, as: aside)
    case .scanning: return read(segments.count - 1)
    case .cutting(let byteCount): return .truncate(newest.file, byteCount: byteCount)
    case .repairing: return .truncate(newest.file, byteCount: newest.byteCount)
    case .creating: return .create(SegmentFile(first: nextSequence))
    case .appending: return .append(newest.file)
    case .synchronizing: return .synchronize(newest.file)
    case .synchronizingDirectory: return .synchronizeDirectory
    case .fetching: return cursor.map { read($0.segment) }
    case .deleting(let index): return .delete(segments[index].file)
    case .copying: return read(copyIndex)
    case .creatingCopy: return .create(copyFile)
    case .appendingCopy: return .append(copyFile)
    case .synchronizingCopy: return .synchronize(copyFile)
    case .replacing: return .replace(copyFile, segments[copyIndex].file)
    }
  }

  private func read(_ index: Int) -> Action {
    let offset = reader.readOffset
    return .read(
      segments[index].file, offset: offset,
      byteCountMax: min(reader.window.freeCapacity, segments[index].byteCount - offset))
  }

  var newest: Segment {
    precondition(!segments.isEmpty, "there is one by now")
    return segments[segments.count - 1]
  }

  /// Lets `body` write what it reads for `.read`, and say how many bytes it was.
  public mutating func fill<Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    let before = reader.window.count
    try reader.fill(body)
    chunkByteCount += reader.window.count - before
    precondition(chunkByteCount <= chunkByteCountMax, "no more is read than was asked for")
  }

  // MARK: Events

  /// The action was done.
  public mutating func performed(now: Instant) {
    precondition(isUnderWay, "nothing was asked for")
    isUnderWay = false
    switch step {
    case .idle: preconditionFailure("resting is no action")
    case .unlisted: listed()
    case .deletingLeftover:
      failedLeftoverCount = 0
      leftovers.removeLast()
      step = .idle
    case .readingHeader(let index): headerRead(index)
    case .settingAside(let index, _):
      losses.setAside += 1
      leaveOut(index)
    case .scanning: scan()
    case .cutting(let byteCount): cut(to: byteCount)
    case .repairing:
      isNewestUnclean = false
      step = .idle
    case .creating: created()
    case .appending: step = .synchronizing
    case .synchronizing:
      if isDirectoryUnclean { step = .synchronizingDirectory } else { written() }
    case .synchronizingDirectory:
      isDirectoryUnclean = false
      written()
    case .fetching:
      fetched()
    case .deleting(let index): remove(index)
    case .copying(let copy): copyRead(copy)
    case .creatingCopy: step = .copying(.thinned)
    case .appendingCopy: copyAppended()
    case .synchronizingCopy: step = .replacing
    case .replacing: replaced()
    }
  }

  /// The disk did not do it.
  public mutating func failed(_ failure: DiskFailure, now: Instant) {
    precondition(isUnderWay, "nothing was asked for")
    isUnderWay = false
    switch step {
    case .idle: preconditionFailure("resting is no action")
    case .unlisted:
      segments.removeAll(keepingCapacity: true)
      leftovers.removeAll(keepingCapacity: true)
      diskFailed(failure, now: now)
    case .readingHeader(let index): headerNotRead(index)
    case .settingAside(let index, _):
      losses.setAside += 1
      leaveOut(index)
    case .scanning: scanFailed()
    case .cutting:
      isNewestOpen = false
      opened()
    case .repairing:
      // What may stand in its tail has numbers that are not given again. A new segment is made.
      isNewestUnclean = false
      isNewestOpen = false
      step = .idle
      diskFailed(failure, now: now)
    case .creating, .appending, .synchronizing, .synchronizingDirectory:
      writeFailed(failure, now: now)
    case .fetching: fetchFailed(failure, now: now)
    case .deletingLeftover(let file):
      if !areDeletionsPostponed { failedLeftoverCount += 1 }
      if failedLeftoverCount >= Self.deletionAttemptsMax { leaveLeftover(file) }
      deletionFailed(failure, now: now)
    case .deleting(let index):
      if !areDeletionsPostponed { segments[index].failedDeletionCount += 1 }
      copyLosses = 0
      deletionFailed(failure, now: now)
    case .copying, .creatingCopy, .appendingCopy, .synchronizingCopy, .replacing:
      copyFailed(failure, now: now)
    }
  }

  private mutating func leaveLeftover(_ file: SegmentFile) {
    leftovers.removeLast()
    failedLeftoverCount = 0
    let copyByteCountMax = segmentByteCount + Self.blockByteCount
    undeletedByteCount +=
      file.kind == .thinned ? copyByteCountMax : min(copyByteCountMax, Self.outgoingByteCountMax)
  }

  /// It is tried again some times, of which those count that a disk that works said no. What is to be
  /// written does not wait for it.
  private mutating func deletionFailed(_ failure: DiskFailure, now: Instant) {
    step = .idle
    areDeletionsPostponed = true
    diskFailed(failure, now: now)
  }

  mutating func diskFailed(_ failure: DiskFailure, now: Instant) {
    self.failure = failure
    retryAt = now + backOff.failed()
  }

  /// The disk is tried again.
  public mutating func deadlineReached(now: Instant) {
    guard let retryAt, now >= retryAt else { return }
    self.retryAt = nil
    isReadPostponed = false
  }

  mutating func diskWorks() {
    failure = nil
    areDeletionsPostponed = false
    backOff.succeeded()
  }
}
