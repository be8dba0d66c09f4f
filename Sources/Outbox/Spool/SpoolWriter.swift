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
    /// There may be more in it than is certain. It is cut before it takes more.
    case unclean
  }

  private let directory: SegmentDirectory
  private let ledger: SpoolLedger
  private let memory: SpoolMemory
  private var step = Step.resting
  private var newest = Newest.closed
  /// How many numbers are given with what is being written.
  private var numberCount: UInt64 = 0
  /// What is being written says that this is acknowledged.
  private var stated = SequenceSet()

  init(_ directory: SegmentDirectory, _ ledger: SpoolLedger, _ memory: SpoolMemory) {
    self.directory = directory
    self.ledger = ledger
    self.memory = memory
  }

  /// Whether a write has begun.
  var isUnderWay: Bool { step != .resting }

  /// Everything that is there was looked at, and the newest segment takes more.
  func opened(_ segment: Segment) { newest = .open(writer(for: segment)) }

  /// Nothing is added to the newest segment.
  func close() { newest = .closed }

  private func writer(for segment: Segment) -> SegmentWriter {
    SegmentWriter(directory.salt(of: segment))
  }

  // MARK: What is to be done

  /// Whether there is something to write; it goes with the next batch where it can wait.
  var isWanted: Bool {
    memory.dueCount > 0 || ledger.isEverythingAcknowledged
      || ledger.isWriteWorthwhile
  }

  /// Whether the next batch goes to a new segment.
  var needsSegment: Bool {
    switch newest {
    case .closed: true
    case .unclean: false
    case .open:
      directory.newest.byteCount >= directory.segmentByteCount
        || ledger.isEverythingAcknowledged
    }
  }

  /// What a write that is wanted, or is under way, asks of the disk next.
  func nextAction(
    into outgoing: inout ByteBuffer
  ) -> Spool.Action {
    if step == .resting { begin(into: &outgoing) }
    switch step {
    case .resting: preconditionFailure("a write begins with an action")
    case .repairing:
      return .truncate(directory.newest.file, byteCount: directory.newest.byteCount)
    case .creating: return .create(SegmentFile(first: ledger.nextSequence))
    case .synchronizingDirectory: return .synchronizeDirectory
    case .appending: return .append(directory.newest.file)
    case .synchronizing: return .synchronize(directory.newest.file)
    }
  }

  private func begin(
    into outgoing: inout ByteBuffer
  ) {
    if case .unclean = newest {
      step = .repairing
    } else if needsSegment {
      // Two files cannot have one name.
      if directory.count > 0 { ledger.reserve(below: directory.newest.first + 1) }
      step = .creating
    } else {
      fill(&outgoing)
      step = .appending
    }
  }

  /// Writes as many entries as fit, and what the disk does not say yet of what is acknowledged.
  private func fill(_ outgoing: inout ByteBuffer) {
    guard case .open(var writer) = newest else { preconditionFailure("the newest takes more") }
    let segment = directory.newest
    outgoing.removeAll()
    stated = ledger.acknowledged
    var known = ledger.persisted
    if segment.byteCount == 0 {
      SegmentHeader(
        thinnings: 0, first: segment.first, acknowledged: stated.prefix, device: directory.device
      ).write(into: &outgoing)
      // At the next start only the newest segment is read.
      known = SequenceSet(upTo: stated.prefix)
    }
    writer.write(acknowledged: stated, since: known, into: &outgoing)
    var count = 0
    while count < memory.dueCount, outgoing.freeCapacity >= SegmentWriter.entryByteCountMax,
      segment.byteCount + outgoing.count < directory.segmentByteCount
    {
      writer.write(
        memory[count], sequence: ledger.nextSequence + UInt64(count), names: memory.names,
        clock: memory.clock, into: &outgoing)
      count += 1
    }
    memory.writeBegan(count)
    numberCount = UInt64(count)
    newest = .open(writer)
  }

  // MARK: Events

  /// The action was done. Returns whether the write is over.
  func performed(_ outgoing: inout ByteBuffer) -> Bool {
    switch step {
    case .resting: preconditionFailure("nothing was asked for")
    case .repairing:
      directory.newest.wasCut()
      newest = .open(writer(for: directory.newest))
      step = .resting
    case .creating:
      directory.created(first: ledger.nextSequence)
      newest = .open(writer(for: directory.newest))
      step = .synchronizingDirectory
    case .synchronizingDirectory:
      fill(&outgoing)
      step = .appending
    case .appending: step = .synchronizing
    case .synchronizing:
      written(outgoing.count)
      return true
    }
    return false
  }

  private func written(_ byteCount: Int) {
    directory.newest.grew(by: byteCount)
    ledger.persisted(stated)
    memory.written(from: ledger.nextSequence, count: numberCount)
    ledger.give(numberCount)
    numberCount = 0
    step = .resting
  }

  /// The disk did not do it; of `outgoing`, any part may stand in the file.
  func failed(_ outgoing: borrowing ByteBuffer) {
    switch step {
    case .resting: preconditionFailure("nothing was asked for")
    case .repairing:
      // What may stand in its tail has numbers that are not given again. A new segment is made.
      newest = .closed
    case .creating: writeFailed()
    case .synchronizingDirectory, .appending, .synchronizing:
      writeFailed()
      if directory.newest.byteCount == 0 {
        // Nothing in it is certain. It would be in the way as one that cannot be read.
        directory.leave(directory.newest.file, byteCount: outgoing.count)
        directory.remove(directory.newestIndex)
        newest = .closed
      } else {
        directory.newest.writeFailed(byteCount: outgoing.count)
        newest = .unclean
      }
    }
    step = .resting
  }

  /// Some of it may be on the disk under these numbers.
  private func writeFailed() {
    ledger.skip(max(1, numberCount))
    memory.writeFailed()
    numberCount = 0
  }
}
