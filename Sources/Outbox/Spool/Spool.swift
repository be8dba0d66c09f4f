public import Bytes

/// Keeps what could not be proven delivered, through power cuts, full disks and broken ones.
///
/// Entries are recorded, and written in batches to the newest of the segments, which are files of
/// one directory. They are taken in order (`Order`), and are there until they are acknowledged. The
/// caller that takes them acknowledges a position after the proof, or rewinds.
///
/// What was acknowledged is a few ranges of numbers (`SequenceSet`). It stands in the header of the
/// next segment and in a record of the next batch; so it costs no write of its own. Where it is not
/// known any more, after a power cut or because there were too many ranges, entries are taken
/// again. A segment of which everything was acknowledged is deleted, wherever it stands.
///
/// A batch costs one write and one `fsync`; the first one of a segment makes the file and costs one
/// `fsync` of the directory more. A start that finds segments costs one `fsync` of the newest.
/// While entries are taken and acknowledged before their batch is closed nothing is written at all.
///
/// Near the cap, the oldest segment is thinned (`SpoolThinning`), up to three times, then the next
/// one; when all are thinned, the oldest is dropped. Never the newest. All of it is counted.
///
/// Where the disk fails, entries are in memory, at most `memoryEntryCountMax`; the oldest goes
/// first. The disk is tried again after a while that doubles. A full disk is such a failure:
/// nothing is dropped for it. Files of another version or of another device get another name.
///
/// The caller performs `nextAction()` until there is none, and comes back at `deadline`. What can
/// wait goes in slices of `sliceByteCount`: after one, there is no action until `deadlineReached`,
/// which is due at once. A batch never waits for a slice; and where it needs what is sliced, the
/// rest of the opening or room below the cap, that goes on without a pause.
///
/// Four parts are what the spool knows, and there is one of each: `SegmentDirectory` (files and the
/// cap), `SpoolLedger` (numbers, and what Home Assistant has), `SpoolMemory` (what is not written)
/// and `SegmentReader` (what was read of a segment). The others work on them: `SpoolWriter`,
/// `SpoolReader`, and `SpoolOpening` or `Compaction` while they go on.
///
/// Invariants:
/// 1. A number is given to one entry only, whenever the power goes.
/// 2. An entry is taken with its number only after it is on the disk.
/// 3. An entry leaves the disk acknowledged, or counted as thinned or dropped.
/// 4. All files together never take more than the cap.
/// 5. One action at a time, and no other part changes what its part is about until it is done.
public final class Spool {
  private enum State {
    case opening(SpoolOpening)
    case ready
    case compacting(Compaction)
  }

  private let durability: Durability
  private let order: Order
  private var state: State
  private var underWay: Purpose?
  let directory: SegmentDirectory
  let ledger: SpoolLedger
  let memory: SpoolMemory
  private let writer: SpoolWriter
  private(set) var reader: SpoolReader
  /// What is read of a segment: for the opening, for a compaction, or for the reader.
  let records = SegmentReader()
  private(set) var disk: DiskStatus
  private(set) var slice: WorkSlice
  private var outgoing = ByteBuffer(capacity: Spool.outgoingByteCountMax)

  /// - Parameters:
  ///   - device: whose readings these are.
  ///   - durability: what may be lost when the power goes.
  ///   - order: what is taken first.
  ///   - byteCountCap: what all files together may take; at least four segments.
  ///   - segmentByteCount: how large a segment becomes, less one batch.
  ///   - sliceByteCount: how much is done in one wake-up of what can wait.
  ///   - seed: where the jitter of the waits starts.
  public init(
    device: DeviceFingerprint, durability: Durability = .batch, order: Order = .oldestFirst,
    byteCountCap: Int = Spool.byteCountCap, segmentByteCount: Int = Spool.segmentByteCount,
    sliceByteCount: Int = Spool.sliceByteCount, seed: UInt64
  ) {
    precondition(
      segmentByteCount <= Self.segmentByteCount && byteCountCap >= 4 * segmentByteCount,
      "a segment, its copy and the next one fit")
    self.durability = durability
    self.order = order
    directory = SegmentDirectory(
      of: device, byteCountCap: byteCountCap, segmentByteCount: segmentByteCount)
    ledger = SpoolLedger(order, directory)
    memory = SpoolMemory(durability)
    writer = SpoolWriter(directory, ledger, memory)
    reader = SpoolReader(order, records, directory, ledger)
    disk = DiskStatus(seed: seed)
    slice = WorkSlice(byteCountMax: sliceByteCount)
    state = .opening(SpoolOpening(records, directory, ledger))
  }

  // MARK: Entries are taken

  /// The next entry in the spool's order; nil where there is none, or where the disk has to be read
  /// first (`nextAction`). None is behind `end`, but in the oldest-first order for one where
  /// numbers are missing.
  public func take(upTo end: SpoolPosition? = nil) -> SpoolEntry? {
    let end = end ?? self.end
    if isReading || isReadPostponed { return nil }
    switch order {
    case .oldestFirst:
      // Where nothing is left out, the end of the newest segment has to be seen.
      if reader.taken.prefix < end.sequence || end.sequence == ledger.nextSequence - 1,
        let entry = takeFromDisk(upTo: .max)
      {
        return entry
      }
      return isReading ? nil : memory.take(upTo: end.inMemory)
    case .newestFirst:
      return memory.take(upTo: end.inMemory) ?? takeFromDisk(upTo: end.sequence)
    }
  }

  private func takeFromDisk(upTo limit: UInt64) -> SpoolEntry? {
    isOpen ? reader.take(upTo: limit) : nil
  }

  /// Home Assistant has everything that is before the position.
  public func acknowledged(upTo position: SpoolPosition) {
    ledger.acknowledge(position.numbers)
    reader.acknowledged()
    memory.acknowledge(upTo: position.inMemory)
  }

  /// Whatever was not acknowledged is taken again.
  public func rewind() {
    reader.rewind()
    memory.rewind()
  }

  /// What is in memory is taken again, and may be written meanwhile. What was taken can still be
  /// acknowledged.
  func rewindMemory() { memory.rewind() }

  // MARK: The disk

  /// Whether what earlier runs left is known.
  var isOpen: Bool { if case .opening = state { false } else { true } }

  /// Whether `take` may bring more once what `nextAction` says is done.
  public var isReading: Bool {
    switch state {
    case .opening: disk.failure == nil
    case .ready: reader.isChunkWanted
    case .compacting: true
    }
  }

  /// What is to be done next, or nil. It is done, and told with `performed` or `failed`, before the
  /// next one is asked for.
  public func nextAction() -> Action? {
    precondition(underWay == nil, "one action at a time")
    guard let purpose = nextPurpose(), let action = action(for: purpose) else { return nil }
    if case .read(_, _, let byteCountMax) = action {
      records.chunkAsked(byteCountMax: byteCountMax)
    }
    if case .writing = purpose {} else { slice.spend(action.byteCount(appending: outgoing)) }
    underWay = purpose
    return action
  }

  /// What comes first of all there is to do.
  private func nextPurpose() -> Purpose? {
    if writer.isUnderWay { return .writing }
    switch state {
    case .opening(let opening):
      guard disk.isUsable || !opening.isListing else { return nil }
      return isWriteWanted ? .opening : inSlices(.opening)
    case .compacting(let compaction):
      if compaction.isOutgoingFull { return .compacting }
      guard isWriteWanted else { return inSlices(.compacting) }
      return hasRoomForWrite(beside: compaction.byteCountMax) ? .writing : .compacting
    case .ready:
      if disk.isUsable, let purpose = nextChange() { return purpose }
      return reader.isChunkWanted ? inSlices(.reading) : nil
    }
  }

  /// What comes first of all that changes the files. A disk that is full has room again after a
  /// deletion; so that goes before a batch, in one slice; and without end where a batch needs the
  /// room.
  private func nextChange() -> Purpose? {
    // While all goes well there is no file, and this is asked at every turn.
    if directory.isEmpty { return isWriteWanted ? .writing : nil }
    if !slice.isOver {
      if let index = directory.firstGarbage { return .settingAside(index) }
      if !disk.areDeletionsPostponed, let deletion = nextDeletion { return deletion }
    }
    if isWriteWanted {
      if hasRoomForWrite(beside: 0) { return .writing }
      if directory.nextLeftover != nil { return .deletingLeftover }
      return directory.nextCompaction == nil ? .writing : .compacting
    }
    if let index = directory.firstGarbage { return inSlices(.settingAside(index)) }
    if let deletion = nextDeletion { return inSlices(deletion) }
    return directory.nextCompaction == nil ? nil : inSlices(.compacting)
  }

  private func inSlices(_ purpose: Purpose) -> Purpose? {
    guard slice.isOver else { return purpose }
    slice.workPutOff()
    return nil
  }

  var keepsOnDisk: Bool { durability != .memory }

  private var isWriteWanted: Bool {
    guard keepsOnDisk else { return false }
    return isOpen ? writer.isWanted : memory.dueCount > 0
  }

  private func hasRoomForWrite(beside copy: Int) -> Bool {
    directory.hasRoomForWrite(toNew: writer.needsSegment, besideCopyOf: copy)
  }

  private var nextDeletion: Purpose? {
    directory.nextLeftover != nil
      ? .deletingLeftover : ledger.firstDelivered.map { .deleting($0) }
  }

  private func action(for purpose: Purpose) -> Action? {
    switch purpose {
    case .settingAside(let index):
      return .setAside(directory[index].file, as: directory[index].asideFile)
    case .deletingLeftover: return directory.nextLeftover.map { .delete($0) }
    case .deleting(let index): return .delete(directory[index].file)
    case .writing: return writer.nextAction(into: &outgoing)
    case .reading: return reader.nextAction()
    case .opening, .compacting: break
    }
    if case .ready = state { beginCompaction() }
    return switch state {
    case .opening(let opening): opening.nextAction()
    case .compacting(let compaction): compaction.nextAction()
    case .ready: nil
    }
  }

  private func beginCompaction() {
    guard let (index, isThinned) = directory.nextCompaction else { return }
    reader.loseCursor()
    state = .compacting(Compaction(of: index, isThinned: isThinned, records, directory, ledger))
  }

  /// Tells of a file for `.list`; a file that is none of the spool's is left alone.
  public func fileFound(name: Span<UInt8>, byteCount: Int) {
    guard case .opening(let opening) = state, opening.isListing, underWay != nil else {
      preconditionFailure("files are told when they are asked for")
    }
    guard let file = SegmentFile(name: name) else { return }
    directory.found(file, byteCount: byteCount)
  }

  /// Lets `body` write what `.append` is about to the file.
  public func withOutgoing<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try outgoing.withBytes(body)
  }

  /// Lets `body` write what it reads for `.read`, and say how many bytes it was.
  public func fill<Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    try records.fill(body)
  }

  // MARK: Events

  /// The action was done.
  public func performed(now: Instant) {
    switch actionEnded(now: now) {
    case .opening: openingPerformed()
    case .settingAside(let index): setAside(index)
    case .deletingLeftover: directory.leftoverDeleted()
    case .deleting(let index):
      directory.remove(index)
      reader.removed(index)
    case .writing:
      if writer.performed(&outgoing) { disk.worked() }
    case .compacting:
      guard case .compacting(let compaction) = state else { return }
      compaction.performed(into: &outgoing)
      if compaction.isOver { state = .ready }
    case .reading:
      reader.performed()
      if disk.isUsable { disk.worked() }
    }
  }

  private func actionEnded(now: Instant) -> Purpose {
    slice.actionEnded(now: now)
    guard let purpose = underWay.take() else { preconditionFailure("nothing was asked for") }
    return purpose
  }

  private func openingPerformed() {
    guard case .opening(let opening) = state else { return }
    if opening.isListing { disk.worked() }
    opening.performed()
    opened(opening)
  }

  /// Where the opening is over, everything that is there was looked at.
  private func opened(_ opening: SpoolOpening) {
    guard opening.isOver else { return }
    ledger.opened(with: opening.numbers, persisted: opening.persisted)
    reader.acknowledged()
    if opening.isNewestOpen { writer.opened(directory.newest) }
    state = .ready
  }

  private func setAside(_ index: Int) {
    ledger.losses.setAside += 1
    directory.remove(index)
    reader.loseCursor()
  }

  /// The disk did not do it.
  public func failed(_ failure: DiskFailure, now: Instant) {
    switch actionEnded(now: now) {
    case .opening: openingFailed(failure, now: now)
    case .settingAside(let index): setAside(index)
    case .deletingLeftover:
      if !disk.areDeletionsPostponed { directory.leftoverDeletionFailed() }
      disk.deletionFailed(failure, now: now)
    case .deleting(let index): deletionFailed(of: index, failure, now: now)
    case .writing:
      writer.failed(outgoing)
      // What is there can be taken while the disk is left alone.
      abandonCompaction()
      disk.failed(failure, now: now)
    case .compacting: compactionFailed(failure, now: now)
    case .reading:
      switch reader.failed() {
      case .postponed: disk.failed(failure, now: now)
      case .leftAlone(let index): if index == directory.newestIndex { writer.close() }
      }
    }
  }

  private func openingFailed(_ failure: DiskFailure, now: Instant) {
    guard case .opening(let opening) = state else { return }
    if opening.isListing { disk.failed(failure, now: now) }
    opening.failed()
    opened(opening)
  }

  private func deletionFailed(of index: Int, _ failure: DiskFailure, now: Instant) {
    if !disk.areDeletionsPostponed { directory[index].deletionFailed() }
    disk.deletionFailed(failure, now: now)
  }

  private func compactionFailed(_ failure: DiskFailure, now: Instant) {
    guard case .compacting(let compaction) = state else { return }
    let meaning = compaction.failed()
    if compaction.isOver { state = .ready }
    switch meaning {
    case .none: break
    case .disk: disk.failed(failure, now: now)
    case .deletion: deletionFailed(of: compaction.index, failure, now: now)
    }
  }

  private func abandonCompaction() {
    guard case .compacting(let compaction) = state else { return }
    compaction.abandon()
    state = .ready
  }

  /// The disk is tried again, and what was put off goes on.
  public func deadlineReached(now: Instant) {
    slice.begin()
    if disk.deadlineReached(now: now) { reader.retryDue() }
  }

  /// There is no later time: a disk that is left alone after a failure is tried now.
  func retryDisk() {
    disk.retryWanted()
    reader.retryDue()
  }
}
