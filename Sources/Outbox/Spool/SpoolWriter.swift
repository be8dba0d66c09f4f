import Bytes

/// Writes entries to the newest segment, or to a new one: one write and one `fsync` for a batch,
/// and one of the directory if the file is new.
///
/// Invariants:
/// 1. No other action interrupts the actions of a write.
/// 2. Numbers that may be on the disk after a failed write are skipped, not given again.
/// 3. The newest segment accepts more only while all its content is certain (`Newest.open`).
/// 4. A segment with content is in its directory for certain: the process may be killed at any
///    moment, and the next one only adds to the file.
// A class: a struct with a segment's table in it is copied for each query.
final class SpoolWriter {
  /// Next request to the disk.
  private enum Step {
    case resting
    case repairing
    case creating
    case synchronizingDirectory
    case appending
    case synchronizing
  }

  /// State of the newest segment.
  private enum Newest {
    /// The next batch gets a new segment.
    case closed
    case open(SegmentWriter)
    /// The segment that begins with this number may end with uncertain bytes. It is cut before it
    /// accepts more.
    case unclean(UInt64)
  }

  private let log: SpoolLog
  private let memory: SpoolMemory
  private var step = Step.resting
  private var newest = Newest.closed
  private(set) var outgoing = ByteBuffer(capacity: Spool.outgoingByteCountMax)
  /// Number of sequence numbers in the present write.
  private var numberCount: UInt64 = 0
  /// Acknowledgement in the present write.
  private var stated: UInt64 = 0

  init(_ log: SpoolLog, _ memory: SpoolMemory) {
    self.log = log
    self.memory = memory
  }

  var isUnderWay: Bool { step != .resting }

  /// Whether a write is due; a small number of acknowledgements waits for the next batch.
  var isWanted: Bool { memory.dueCount > 0 || log.isNoteWanted }

  /// Opens the newest segment for more entries.
  func open() { newest = .open(SegmentWriter(log.salt(of: log.newestIndex))) }

  // MARK: Actions

  /// Returns the next action of a write that is due or has begun.
  func nextAction() -> Spool.Action {
    if step == .resting { begin() }
    switch step {
    case .resting: preconditionFailure("a write begins with an action")
    case .repairing: return .truncate(log.newest.file, byteCount: log.newest.byteCount)
    case .creating: return .create(SegmentFile(first: log.next))
    case .synchronizingDirectory: return .synchronizeDirectory
    case .appending: return .append(log.newest.file)
    case .synchronizing: return .synchronize(log.newest.file)
    }
  }

  private func begin() {
    outgoing.removeAll()
    if case .unclean(let first) = newest, log.segments.last?.first == first {
      step = .repairing
    } else if isSegmentWanted {
      // Two files cannot have the same name.
      if log.count > 0, log.newest.first == log.next { log.skip(1) }
      step = .creating
    } else {
      fill()
      step = .appending
    }
  }

  private var isSegmentWanted: Bool {
    // The segment may have been set aside meanwhile.
    guard case .open(let writer) = newest, log.segments.last?.first == writer.first else {
      return true
    }
    return log.isNewestFull || log.isNewestDelivered
  }

  /// Fills `outgoing` with as many entries as fit, and with new acknowledgements.
  private func fill() {
    guard case .open(var writer) = newest else { preconditionFailure("the newest takes more") }
    let segment = log.newest
    stated = log.acknowledged
    if segment.byteCount == 0 {
      SegmentHeader(first: segment.first, acknowledged: stated, device: log.device)
        .write(into: &outgoing)
    } else if stated > log.persisted {
      writer.write(acknowledged: stated, into: &outgoing)
    }
    var count = 0
    while count < memory.dueCount, outgoing.freeCapacity >= SegmentWriter.entryByteCountMax,
      segment.byteCount + outgoing.count < log.segmentByteCount
    {
      writer.write(
        memory[count], sequence: log.next + UInt64(count), names: memory.names,
        clock: memory.clock, into: &outgoing)
      count += 1
    }
    memory.writeBegan(count)
    numberCount = UInt64(count)
    newest = .open(writer)
  }

  // MARK: Events

  /// Handles the success of the action. Returns whether the write is complete.
  func performed() -> Bool {
    switch step {
    case .resting: preconditionFailure("nothing was asked for")
    case .repairing:
      log.newestWasCut()
      open()
      step = .resting
    case .creating:
      log.created()
      open()
      step = .synchronizingDirectory
    case .synchronizingDirectory:
      fill()
      step = .appending
    case .appending: step = .synchronizing
    case .synchronizing:
      written()
      return true
    }
    return false
  }

  private func written() {
    memory.written(from: log.next, count: numberCount)
    log.written(outgoing.count, entryCount: numberCount, acknowledged: stated)
    numberCount = 0
    step = .resting
  }

  /// Handles the failure of the action: any part of `outgoing` may be in the file.
  func failed() {
    let skippedCount = max(1, numberCount)
    switch step {
    case .resting: preconditionFailure("nothing was asked for")
    // The numbers in the uncertain tail are not given again. A new segment is created.
    case .repairing: newest = .closed
    case .creating: log.skip(skippedCount)
    case .synchronizingDirectory, .appending, .synchronizing:
      let first = log.newest.first
      let isThere = log.writeFailed(outgoing.count, numberCount: skippedCount)
      newest = isThere ? .unclean(first) : .closed
    }
    memory.writeFailed()
    numberCount = 0
    step = .resting
  }
}

struct SegmentWriter {
  /// Maximum size of an entry with its sensor and clock records.
  static let entryByteCountMax = 3 * SpoolRecord.byteCountMax

  let first: UInt64
  private let salt: CRC32C
  /// Slots that are already defined in the segment.
  private var declared = InlineArray<256, Bool>(repeating: false)
  /// Last clock in the segment.
  private var clock: ClockOrigin?

  init(_ salt: SegmentSalt) {
    first = salt.first
    self.salt = salt.checksum
  }

  /// Writes an entry with its number, and before it the name of its sensor and the clock of its
  /// time if they are missing.
  mutating func write(
    _ entry: SpoolEntry, sequence: UInt64, names: borrowing SensorNames,
    clock: ClockOrigin? = nil, into buffer: inout ByteBuffer
  ) {
    if !entry.isTimeTrusted, let clock, clock != self.clock {
      for _ in 0..<2 { buffer.append(clock, salt: salt) }
      self.clock = clock
    }
    if case .reading(let slot, _) = entry.content, !declared[Int(slot)] {
      for _ in 0..<2 { buffer.append(sensor: slot, names[slot], salt: salt) }
      declared[Int(slot)] = true
    }
    buffer.append(entry, offset: sequence - first, salt: salt)
  }

  func write(acknowledged: UInt64, into buffer: inout ByteBuffer) {
    buffer.append(acknowledged: acknowledged, salt: salt)
  }
}
