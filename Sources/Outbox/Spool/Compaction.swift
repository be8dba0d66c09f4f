import Bytes
import Sensing

/// Makes room: a segment is copied with less detail, or only gone through, to count what is lost,
/// and deleted.
///
/// Invariants:
/// 1. A copy takes its segment's place only when all of it is on the disk.
/// 2. What it left out is counted when the segment is gone, not before.
/// 3. `outgoing` is its own from a chunk that was read until that is appended
///    (`isOutgoingFull`), and free for a batch at all other times.
final class Compaction {
  private enum Step {
    case creating
    case reading
    case appending
    case synchronizing
    case replacing
    case deleting
    case over
  }

  /// What a failure of the disk means.
  enum Failure {
    /// Nothing: it goes on without what could not be read.
    case none
    case disk
    case deletion
  }

  /// Which segment; no other one comes or goes before it as long as this takes.
  let index: Int
  private let isThinned: Bool
  private let records: SegmentReader
  private let directory: SegmentDirectory
  private let ledger: SpoolLedger
  private var step: Step
  private var thinning = SpoolThinning()
  private var lossCount = 0
  private var copiedByteCount = 0
  private var isReadToItsEnd = false

  /// Begins to thin the segment, or to drop it.
  init(
    of index: Int, isThinned: Bool, _ records: SegmentReader, _ directory: SegmentDirectory,
    _ ledger: SpoolLedger
  ) {
    self.index = index
    self.isThinned = isThinned
    self.records = records
    self.directory = directory
    self.ledger = ledger
    step = isThinned ? .creating : .reading
    records.begin(directory.salt(of: directory[index]))
  }

  var isOver: Bool { step == .over }
  var isOutgoingFull: Bool { step == .appending }

  /// What the copy takes of the disk at most.
  var byteCountMax: Int { isThinned ? directory[index].occupiedByteCount : 0 }

  func nextAction() -> Spool.Action {
    let segment = directory[index]
    return switch step {
    case .creating: .create(segment.thinnedFile)
    case .reading: records.nextChunk(of: segment)
    case .appending: .append(segment.thinnedFile)
    case .synchronizing: .synchronize(segment.thinnedFile)
    case .replacing: .replace(segment.thinnedFile, segment.file)
    case .deleting: .delete(segment.file)
    case .over: preconditionFailure("there is room")
    }
  }

  // MARK: Events

  func performed(into outgoing: inout ByteBuffer) {
    switch step {
    case .creating: step = .reading
    case .reading:
      if records.isAtEnd { directory[index].ended(at: records.readOffset) }
      outgoing.removeAll()
      if isThinned, copiedByteCount == 0 {
        header.write(into: &outgoing)
      }
      isReadToItsEnd = records.readOffset >= directory[index].byteCount
      copy(into: &outgoing)
      if isReadToItsEnd { readToItsEnd() }
      guard step == .reading else { return }
      if !outgoing.isEmpty { step = .appending } else if isReadToItsEnd { step = .synchronizing }
    case .appending:
      copiedByteCount += outgoing.count
      step = isReadToItsEnd ? .synchronizing : .reading
    case .synchronizing: step = .replacing
    case .replacing:
      directory[index].thinned(to: copiedByteCount)
      ledger.losses.thinned += lossCount
      step = .over
    case .deleting:
      directory.remove(index)
      ledger.losses.dropped += lossCount
      step = .over
    case .over: preconditionFailure("nothing was asked for")
    }
  }

  func failed() -> Failure {
    switch step {
    case .reading where !isThinned:
      // What was not read of it cannot even be counted.
      ledger.losses.unreadableSegments += 1
      step = .deleting
      return .none
    case .deleting:
      step = .over
      return .deletion
    case .creating, .reading, .appending, .synchronizing, .replacing, .over:
      // It is not tried again with this one.
      directory[index].keepsItsDetail()
      abandon()
      return .disk
    }
  }

  /// It ends here. Whether the copy is there is not certain: it is deleted.
  func abandon() {
    if isThinned {
      directory.leave(directory[index].thinnedFile, byteCount: directory[index].byteCount)
    }
    step = .over
  }

  // MARK: One chunk

  private var header: SegmentHeader {
    SegmentHeader(
      thinnings: directory[index].thinnings + 1, first: directory[index].first,
      acknowledged: ledger.persisted.prefix, device: directory.device)
  }

  /// Goes through what was read. What stays of it is no longer than it was.
  private func copy(into outgoing: inout ByteBuffer) {
    while let record = records.next(isWhole: isReadToItsEnd) {
      switch record {
      case .acknowledged, .acknowledgedRanges: break
      case .sensor, .clock:
        if isThinned { outgoing.append(records.found, of: records.window) }
      case .entry(let entry):
        // What is acknowledged is no loss and needs no room.
        guard let sequence = entry.sequence, !ledger.acknowledged.contains(sequence) else { break }
        if isThinned, thinning.keeps(entry) {
          outgoing.append(records.found, of: records.window)
        } else {
          lossCount += 1
        }
      }
    }
    records.makeRoom()
  }

  private func readToItsEnd() {
    ledger.countDamage(of: &directory[index], as: records)
    if directory[index].isGarbage(as: records) {
      directory[index].foundToBeGarbage()
      abandon()
    } else if !isThinned {
      step = .deleting
    }
  }
}

/// Which entries of a segment stay when it loses detail: of the numbers of each sensor every other
/// one, and every other fix and those where the course has turned. What is no number is a change,
/// and stays.
struct SpoolThinning {
  /// How often a segment is thinned before it is dropped.
  static let countMax: UInt8 = 3
  /// A fix stays when its course has turned by this much since the last one that stayed.
  static let turnDegrees = 20.0

  private var skipped = SlotSet()
  private var hasSkippedFix = false
  private var lastTrackDegrees: Double?

  mutating func keeps(_ entry: SpoolEntry) -> Bool {
    switch entry.content {
    case .reading(let slot, .number):
      skipped.toggle(slot)
      return !skipped.contains(slot)
    case .reading: return true
    case .fix(let fix):
      guard hasSkippedFix || hasTurned(fix) else {
        hasSkippedFix = true
        return false
      }
      hasSkippedFix = false
      lastTrackDegrees = fix.trackDegrees ?? lastTrackDegrees
      return true
    }
  }

  private func hasTurned(_ fix: Fix) -> Bool {
    guard let track = fix.trackDegrees else { return false }
    guard let last = lastTrackDegrees else { return true }
    let turn = (track - last).magnitude
    return min(turn, 360 - turn) >= Self.turnDegrees
  }
}
