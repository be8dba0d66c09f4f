public import Bytes

/// Keeps readings and fixes that Home Assistant is not proven to have: through power cuts, full
/// disks and broken ones.
///
/// # Constraints
///
/// 1. An entry is on the disk until it is acknowledged. One that goes before is counted (`Losses`).
/// 2. A number is given to one entry only, whenever the power goes, so that a receiver can tell a
///    double. An entry is taken with its number only after it is on the disk.
/// 3. All files together take no more than the cap. A full disk costs nothing that is on it.
/// 4. A wake-up does a bounded piece of work (`WorkSlice`), and a batch waits for none of it.
/// 5. One action at a time: its end is reported before the next one is asked for.
///
/// # Layout
///
/// A directory of segments. Each is named after its lowest number, begins with a `SegmentHeader`,
/// and holds records (`SpoolRecord`) with a checksum each.
///
///     0000000000000001.spool    the oldest: taken first, and dropped first
///     0000000000007f3a.spool
///     000000000000fe02.spool    the newest: the only one that is written to
///     0000000000003c11.aside    set aside: not read by the agent
///
/// # Writing
///
/// Entries are recorded in memory (`SpoolMemory`) and written in batches to the newest segment
/// (`SpoolWriter`). A batch costs one write and one `fsync`; a new segment costs one `fsync` of the
/// directory more. Entries that are acknowledged before their batch is closed are never written.
/// When the disk fails they stay in memory, which drops its oldest when it is full; the disk is
/// tried again after a time that doubles (`DiskStatus`).
///
/// # Reading
///
/// A start reads the headers, and the newest segment to its end (`SpoolOpening`). Entries are taken
/// in the order of their numbers, those in memory last (`SpoolReader`). The caller acknowledges a
/// position after the proof, or rewinds. An acknowledgement is one number, and stands in the header
/// of the next segment and in the next batch; so it costs no write of its own. An acknowledgement
/// that a power cut takes is not known: its entries are taken again.
///
/// # Deleting
///
/// `SpoolLog` knows the files. A segment is deleted once all of it is acknowledged. When the space
/// is used up the oldest is dropped, never the newest: its loss is the count of its numbers. A file
/// of another version or another device is set aside; so is one that the disk does not read after
/// some attempts, and its entries are counted as lost. Where a run sets aside more than a quarter
/// of the cap, the oldest of that is deleted.
///
/// # Use
///
/// The caller performs `nextAction()` until there is none, and comes back at `deadline`.
public final class Spool {
  /// What an action of the disk is for.
  private enum Purpose { case opening, removing, writing, reading }

  let log: SpoolLog
  let memory: SpoolMemory
  let keepsOnDisk: Bool
  let records = SegmentReader()
  private let writer: SpoolWriter
  let reader: SpoolReader
  /// Nil once it is known what earlier runs left.
  private(set) var opening: SpoolOpening?
  private(set) var disk: DiskStatus
  private(set) var slice: WorkSlice
  private var underWay: Purpose?

  /// - Parameters:
  ///   - device: whose readings these are.
  ///   - durability: what may be lost when the power goes.
  ///   - byteCountCap: what all files together may take; at least four segments.
  ///   - segmentByteCount: how large a segment becomes, less one batch.
  ///   - sliceByteCount: how much is done in one wake-up of what can wait.
  ///   - seed: where the jitter of the waits starts.
  public init(
    device: DeviceFingerprint, durability: Durability = .batch,
    byteCountCap: Int = Spool.byteCountCap, segmentByteCount: Int = Spool.segmentByteCount,
    sliceByteCount: Int = Spool.sliceByteCount, seed: UInt64
  ) {
    precondition(
      segmentByteCount <= Self.segmentByteCount && byteCountCap >= 4 * segmentByteCount,
      "a segment, the next one and one that is set aside fit")
    keepsOnDisk = durability != .memory
    log = SpoolLog(of: device, byteCountCap: byteCountCap, segmentByteCount: segmentByteCount)
    memory = SpoolMemory(durability)
    writer = SpoolWriter(log, memory)
    reader = SpoolReader(log, records)
    // It has the records to itself until it is over.
    opening = SpoolOpening(device, records)
    disk = DiskStatus(seed: seed)
    slice = WorkSlice(byteCountMax: sliceByteCount)
  }

  // MARK: Entries are taken

  /// The next entry; nil where there is none, or where the disk has to be read first
  /// (`nextAction`). Of those in memory, none at `end` or behind it.
  public func take(upTo end: UInt64 = .max) -> SpoolEntry? {
    if isReading || isReadPostponed { return nil }
    if isOpen, let entry = reader.take() { return entry }
    return isReading ? nil : memory.take(upTo: end)
  }

  /// Home Assistant has everything that is before the position.
  public func acknowledged(upTo position: SpoolPosition) {
    log.acknowledge(upTo: position.sequence)
    memory.acknowledge(upTo: position.inMemory)
  }

  /// Everything that was not acknowledged is taken again.
  public func rewind() {
    reader.rewind()
    memory.rewind()
  }

  /// What is in memory is taken again, and may be written meanwhile. What was taken can still be
  /// acknowledged.
  func rewindMemory() { memory.rewind() }

  // MARK: The disk

  /// Whether it is known what earlier runs left.
  var isOpen: Bool { opening == nil }

  /// Whether `take` may bring more once what `nextAction` says is done.
  public var isReading: Bool { isOpen ? reader.isActionWanted : disk.failure == nil }

  /// What is to be done next, or nil. Its end is reported with `performed` or `failed` before the
  /// next one is asked for.
  public func nextAction() -> Action? {
    precondition(underWay == nil, "one action at a time")
    guard let purpose = nextPurpose(), let action = action(for: purpose) else { return nil }
    if case .read(_, _, let byteCountMax) = action {
      records.chunkAsked(byteCountMax: byteCountMax)
    }
    if purpose != .writing { slice.spend(action) }
    underWay = purpose
    return action
  }

  private func action(for purpose: Purpose) -> Action? {
    switch purpose {
    case .opening: opening?.nextAction()
    case .removing: log.nextRemoval
    case .writing: writer.nextAction()
    case .reading: reader.nextAction()
    }
  }

  private func nextPurpose() -> Purpose? {
    if writer.isUnderWay { return .writing }
    if let opening {
      guard disk.isUsable || !opening.isListing else { return nil }
      return isWriteWanted ? .opening : inSlices(.opening)
    }
    if disk.isUsable, let purpose = nextChange() { return purpose }
    return reader.isActionWanted ? inSlices(.reading) : nil
  }

  /// A full disk has room again after a deletion. So a batch comes after the deletions of one slice
  /// that did not fail, and after all where it has no room otherwise.
  private func nextChange() -> Purpose? {
    let isWriteWanted = isWriteWanted
    guard log.nextRemoval != nil else { return isWriteWanted ? .writing : nil }
    guard isWriteWanted else { return inSlices(.removing) }
    let isRemovalFirst = !log.hasRoom || !(slice.isOver || disk.areDeletionsPostponed)
    return isRemovalFirst ? .removing : .writing
  }

  private func inSlices(_ purpose: Purpose) -> Purpose? {
    guard slice.isOver else { return purpose }
    slice.workPutOff()
    return nil
  }

  private var isWriteWanted: Bool {
    guard keepsOnDisk else { return false }
    return isOpen ? writer.isWanted : memory.dueCount > 0
  }

  /// Tells of a file for `.list`; a file that is none of the spool's is passed over.
  public func fileFound(name: Span<UInt8>, byteCount: Int) {
    guard let opening, opening.isListing, underWay != nil else {
      preconditionFailure("files are told when they are asked for")
    }
    opening.fileFound(name: name, byteCount: byteCount)
  }

  /// Lets `body` write what `.append` is about to the file.
  public func withOutgoing<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try writer.outgoing.withBytes(body)
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
    case .opening:
      if opening?.isListing == true { disk.worked() }
      opening?.performed()
      openingWentOn()
    case .removing: log.removed()
    case .writing: if writer.performed() { disk.worked() }
    case .reading:
      reader.performed()
      if disk.isUsable { disk.worked() }
    }
  }

  /// The disk did not do it.
  public func failed(_ failure: DiskFailure, now: Instant) {
    switch actionEnded(now: now) {
    case .opening:
      if opening?.isListing == true { disk.failed(failure, now: now) }
      opening?.failed()
      openingWentOn()
    case .removing: removalFailed(failure, now: now)
    case .writing:
      writer.failed()
      disk.failed(failure, now: now)
    case .reading: if reader.failed() { disk.failed(failure, now: now) }
    }
  }

  private func actionEnded(now: Instant) -> Purpose {
    slice.actionEnded(now: now)
    guard let purpose = underWay.take() else { preconditionFailure("nothing was asked for") }
    return purpose
  }

  /// Where the opening is over, everything that is there was looked at.
  private func openingWentOn() {
    guard let opening, opening.isOver else { return }
    log.opened(with: opening.findings)
    if opening.findings.isNewestOpen { writer.open() }
    self.opening = nil
  }

  /// A file that is not set aside is forgotten. A deletion is tried again: only those attempts
  /// count between which something else worked.
  private func removalFailed(_ failure: DiskFailure, now: Instant) {
    let isDeletion = if case .delete? = log.nextRemoval { true } else { false }
    log.removalFailed(isCounted: !disk.areDeletionsPostponed)
    if isDeletion { disk.deletionFailed(failure, now: now) }
  }

  /// The disk is tried again, and what was put off goes on.
  public func deadlineReached(now: Instant) {
    slice.begin()
    if disk.deadlineReached(now: now) { reader.retryDue() }
  }

  /// Tries a disk that failed now: there is no later time.
  func retryDisk() {
    disk.retryWanted()
    reader.retryDue()
  }
}
