public import Bytes
public import Sensing

/// Storage of readings and fixes that Home Assistant is not proven to have, safe against power
/// cuts, full disks and broken ones.
///
/// # Constraints
///
/// 1. An entry is on the disk until it is acknowledged. One that is lost earlier is counted
///    (`Losses`).
/// 2. A number is given to one entry only, also after power cuts, so that a receiver can recognise
///    a duplicate. An entry is taken with its number only after it is on the disk.
/// 3. All files together take at most the cap. A full disk causes no loss of stored entries.
/// 4. A wake-up does a bounded piece of work (`WorkSlice`), for which no batch waits.
/// 5. One action at a time: its result is reported before the next action is requested.
///
/// # Layout
///
/// A directory of segments. Each is named after its lowest number, begins with a `SegmentHeader`,
/// and contains records (`SpoolRecord`), each with a checksum.
///
///     0000000000000001.spool    the oldest: taken first, and dropped first
///     0000000000007f3a.spool
///     000000000000fe02.spool    the newest: the only one that is written to
///     0000000000003c11.aside    set aside: not read by the agent
///
/// # Parts
///
/// `SpoolMemory` records entries, and `SpoolWriter` writes batches of them to the newest segment.
/// If the disk fails they stay in memory, which drops its oldest when it is full; the disk is tried
/// again after a delay that doubles (`DiskStatus`). `SpoolOpening` examines the files at the start,
/// `SpoolReader` takes entries in the order of their numbers, those in memory last, and `SpoolLog`
/// manages the files: a segment is deleted once all of it is acknowledged, or to make room.
///
/// The caller acknowledges a position after the proof, or rewinds. An acknowledgement is one
/// number, stored in the header of the next segment and in the next batch, so it needs no separate
/// write. If a power cut takes it, its entries are taken again. The caller performs `nextAction()`
/// until it is nil, and comes back at `deadline`.
public final class Spool {
  /// Part of the spool that requested an action.
  private enum Purpose { case opening, removing, writing, reading }

  let log: SpoolLog
  let memory: SpoolMemory
  let keepsOnDisk: Bool
  let records = SegmentReader()
  private let writer: SpoolWriter
  let reader: SpoolReader
  /// Opening; nil once the entries of earlier runs are known.
  private(set) var opening: SpoolOpening?
  private(set) var disk: DiskStatus
  private(set) var slice: WorkSlice
  private var underWay: Purpose?

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
    // The opening has the records to itself until it is over.
    opening = SpoolOpening(device, records)
    disk = DiskStatus(seed: seed)
    slice = WorkSlice(byteCountMax: sliceByteCount)
  }

  // MARK: Recording

  /// Stores a reading of the sensor `uniqueID`, 1 to `uniqueIDByteCountMax` bytes.
  public func record(_ reading: Reading, of uniqueID: [UInt8], isTimeTrusted: Bool) {
    guard let slot = UInt8(exactly: reading.sensor.value) else {
      preconditionFailure("a spool has as many slots as a batch has sensors")
    }
    memory.name(slot, uniqueID)
    log.losses.overflowed += memory.append(
      .reading(sensor: slot, reading.value), at: reading.time, isTimeTrusted: isTimeTrusted)
  }

  public func record(_ fix: Fix, isTimeTrusted: Bool) {
    var fix = fix
    fix.notBefore = Instant(nanoseconds: .min)
    log.losses.overflowed += memory.append(
      .fix(fix), at: fix.time, isTimeTrusted: isTimeTrusted)
  }

  /// Present clock of the times that are not trusted.
  var clock: ClockOrigin? {
    get { memory.clock }
    set { memory.clock = newValue }
  }

  /// Makes all entries recorded so far due for writing.
  public func batchClosed() { memory.batchClosed() }

  /// Sets the `mark` after the entries recorded so far.
  func cycleBegan() { memory.mark(after: log.next - 1) }

  // MARK: Taking

  /// Returns the next entry; nil without one, or if the disk must be read first (`nextAction`). In
  /// memory, only entries before `end` are taken.
  public func take(upTo end: UInt64 = .max) -> SpoolEntry? {
    if isReading || isReadPostponed { return nil }
    if isOpen, let entry = reader.take() { return entry }
    return isReading ? nil : memory.take(upTo: end)
  }

  /// Records that Home Assistant has everything before the position.
  public func acknowledged(upTo position: SpoolPosition) {
    log.acknowledge(upTo: position.sequence)
    memory.acknowledge(upTo: position.inMemory)
  }

  /// Makes all unacknowledged entries available again.
  public func rewind() {
    reader.rewind()
    memory.rewind()
  }

  // MARK: Disk

  /// Whether the entries of earlier runs are known.
  var isOpen: Bool { opening == nil }

  /// Whether `take` may return more entries after the next action.
  public var isReading: Bool { isOpen ? reader.isActionWanted : disk.failure == nil }

  /// Returns the next action, or nil. Its result must be reported with `performed` or `failed`
  /// before the next call.
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

  /// Returns the purpose of the next change. A deletion gives a full disk room, so a batch comes
  /// after one slice of successful deletions, and after all deletions if there is no room.
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

  /// Whether entries in memory are to be written now.
  var isBatchDue: Bool { keepsOnDisk && memory.dueCount > 0 }

  private var isWriteWanted: Bool {
    guard keepsOnDisk else { return false }
    return isOpen ? writer.isWanted : memory.dueCount > 0
  }

  /// Reports a file for `.list`; files that do not belong to a spool are ignored.
  public func fileFound(name: Span<UInt8>, byteCount: Int) {
    guard let opening, opening.isListing, underWay != nil else {
      preconditionFailure("files are told when they are asked for")
    }
    opening.fileFound(name: name, byteCount: byteCount)
  }

  /// Passes the bytes of `.append` to `body`, which writes them to the file.
  public func withOutgoing<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try writer.outgoing.withBytes(body)
  }

  /// Lets `body` write the bytes read for `.read` and return their number.
  public func fill<Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    try records.fill(body)
  }

  // MARK: Events

  /// Handles the success of the action.
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

  /// Handles the failure of the action.
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

  /// Uses the findings of the opening once it is over.
  private func openingWentOn() {
    guard let opening, opening.isOver else { return }
    log.opened(with: opening.findings)
    if opening.findings.isNewestOpen { writer.open() }
    self.opening = nil
  }

  /// Handles a failed removal. A file that cannot be set aside is ignored. A deletion is tried
  /// again: only attempts with another success in between count.
  private func removalFailed(_ failure: DiskFailure, now: Instant) {
    let isDeletion = if case .delete? = log.nextRemoval { true } else { false }
    log.removalFailed(isCounted: !disk.areDeletionsPostponed)
    if isDeletion { disk.deletionFailed(failure, now: now) }
  }

  /// Tries the disk again, and continues postponed work.
  public func deadlineReached(now: Instant) {
    slice.begin()
    if disk.deadlineReached(now: now) { reader.retryDue() }
  }

  /// Tries a failed disk at once, and stores the acknowledgements, because there is no later time.
  func retryDisk() {
    disk.retryWanted()
    log.keepAcknowledgements()
    reader.retryDue()
  }

  // MARK: Queries

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
