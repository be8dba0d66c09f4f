import Bytes

/// Writes entries to the newest segment, or to a new one: one write and one `fsync` for a batch,
/// and one of the directory where the file is new.
///
/// Invariants:
/// 1. From the first action of a write to its last, no other is asked for in between.
/// 2. Numbers that may be on the disk after a write that failed are skipped, not given again.
/// 3. The newest segment takes more only while all that stands in it is certain (`Newest.open`).
/// 4. A segment in which anything stands is in its directory for certain: the process may be killed
///    at any moment, and the next one only adds to the file.
// A class: a struct with a segment's table in it is copied to ask it a question.
final class SpoolWriter {
  /// What is asked of the disk.
  private enum Step {
    case resting
    case repairing
    case creating
    case synchronizingDirectory
    case appending
    case synchronizing
  }

  /// Whether the newest segment takes more.
  private enum Newest {
    /// A new one is made for the next batch.
    case closed
    case open(SegmentWriter)
    /// There may be more in the segment that begins with this number than is certain. It is cut
    /// before it takes more.
    case unclean(UInt64)
  }

  private let log: SpoolLog
  private let memory: SpoolMemory
  private var step = Step.resting
  private var newest = Newest.closed
  private(set) var outgoing = ByteBuffer(capacity: Spool.outgoingByteCountMax)
  /// How many numbers are given with what is being written.
  private var numberCount: UInt64 = 0
  /// The acknowledgement that is being written.
  private var stated: UInt64 = 0

  init(_ log: SpoolLog, _ memory: SpoolMemory) {
    self.log = log
    self.memory = memory
  }

  /// Whether a write has begun.
  var isUnderWay: Bool { step != .resting }

  /// Whether there is something to write; it goes with the next batch where it can wait.
  var isWanted: Bool { memory.dueCount > 0 || log.isNoteWanted }

  /// The newest segment takes more.
  func open() { newest = .open(SegmentWriter(log.salt(of: log.newestIndex))) }

  // MARK: What is to be done

  /// What a write that is wanted, or is under way, asks of the disk next.
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
      // Two files cannot have one name.
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

  /// Writes as many entries as fit, and what the disk does not say yet of what is acknowledged.
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

  /// The action was done. Returns whether the write is over.
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

  /// The disk did not do it; of `outgoing`, any part may stand in the file under these numbers.
  func failed() {
    let skippedCount = max(1, numberCount)
    switch step {
    case .resting: preconditionFailure("nothing was asked for")
    // What may stand in the tail has numbers that are not given again. A new segment is made.
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

/// Writes the records of a segment.
struct SegmentWriter {
  /// No entry with what it needs before it takes more.
  static let entryByteCountMax = 3 * SpoolRecord.byteCountMax

  let first: UInt64
  private let salt: CRC32C
  /// The slots whose meaning stands in the segment.
  private var declared = SlotSet()
  /// The clock that stands in the segment.
  private var clock: ClockOrigin?

  init(_ salt: SegmentSalt) {
    first = salt.first
    self.salt = salt.checksum
  }

  /// Writes an entry under its number, and before it the name of its sensor and the clock of its
  /// time where they are not there.
  mutating func write(
    _ entry: SpoolEntry, sequence: UInt64, names: borrowing SensorNames,
    clock: ClockOrigin? = nil, into buffer: inout ByteBuffer
  ) {
    if !entry.isTimeTrusted, let clock, clock != self.clock {
      for _ in 0..<2 { buffer.append(clock, salt: salt) }
      self.clock = clock
    }
    if case .reading(let slot, _) = entry.content, !declared.contains(slot) {
      for _ in 0..<2 { buffer.append(sensor: slot, names[slot], salt: salt) }
      declared.insert(slot)
    }
    buffer.append(entry, offset: sequence - first, salt: salt)
  }

  func write(acknowledged: UInt64, into buffer: inout ByteBuffer) {
    buffer.append(acknowledged: acknowledged, salt: salt)
  }
}

/// A set of slots.
private struct SlotSet {
  private var words = InlineArray<4, UInt64>(repeating: 0)

  func contains(_ slot: UInt8) -> Bool {
    words[Int(slot >> 6)] & 1 << UInt64(slot & 63) != 0
  }

  mutating func insert(_ slot: UInt8) { words[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
}
