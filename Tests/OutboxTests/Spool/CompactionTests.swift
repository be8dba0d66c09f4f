import Bytes
import Sensing
import Testing

@testable import Outbox

/// A segment that is copied with less detail, or gone through and deleted.
@Suite struct CompactionTests {
  private static let file = SegmentFile(first: 1)
  private static let copy = SegmentFile(first: 1, kind: .thinned)

  /// The parts that a compaction works on: the segment in question, and a newer one.
  private final class Parts {
    let written: WrittenSegment
    let directory = SegmentDirectory(of: .boat, byteCountCap: 1 << 20, segmentByteCount: 64 << 10)
    let records = SegmentReader()
    let ledger: SpoolLedger
    var outgoing = ByteBuffer(capacity: Spool.outgoingByteCountMax)
    let compaction: Compaction
    /// All that was appended to the copy.
    private(set) var copied: [UInt8] = []
    private(set) var appendCount = 0

    init(
      _ written: WrittenSegment, isThinned: Bool = true, byteCount: Int? = nil,
      newest: UInt64 = 100_000
    ) {
      self.written = written
      ledger = SpoolLedger(.oldestFirst, directory)
      directory.found(
        SegmentFile(first: written.first), byteCount: byteCount ?? written.bytes.count)
      directory.found(SegmentFile(first: newest), byteCount: 4096)
      directory.sort()
      ledger.reserve(below: newest + 10)
      compaction = Compaction(
        of: 0, isThinned: isThinned, records, directory, ledger)
    }

    var losses: Spool.Losses { ledger.losses }
    var next: Spool.Action { compaction.nextAction() }
    var isHeld: Bool { compaction.isOutgoingFull }

    /// Does one action, and returns it.
    @discardableResult
    func step() -> Spool.Action {
      let action = next
      records.fill([written].chunk(action), for: action)
      if case .append = action {
        copied += [UInt8](outgoing.bytes)
        appendCount += 1
      }
      compaction.performed(into: &outgoing)
      return action
    }

    /// Does actions up to one for which `isLast` holds, which is not done.
    func run(until isLast: (Spool.Action) -> Bool = { _ in false }) {
      while !compaction.isOver, !isLast(next) { step() }
    }

    func failed() -> Compaction.Failure { compaction.failed() }

    var copy: ReadSegment { ReadSegment(copied) }
  }

  // MARK: Thinning

  @Test func aCopyIsWrittenAndOnTheDiskBeforeItTakesThePlace() {
    let parts = Parts(WrittenSegment(1...6))
    var actions: [Spool.Action] = []
    while !parts.compaction.isOver {
      if case .read = parts.next {} else { actions.append(parts.next) }
      parts.step()
    }
    #expect(
      actions == [
        .create(Self.copy), .append(Self.copy), .synchronize(Self.copy),
        .replace(Self.copy, Self.file),
      ])
  }

  @Test func theCopyHasEveryOtherNumberAndSaysThatItIsThinned() {
    let parts = Parts(WrittenSegment(1...6))
    parts.ledger.persisted(SequenceSet(upTo: 7))
    parts.run()
    #expect(parts.copy.sequences == [2, 4, 6])
    #expect(
      parts.copy.header
        == SegmentHeader(thinnings: 1, first: 1, acknowledged: 7, device: .boat))
    #expect(parts.directory[0].thinnings == 1)
    #expect(parts.directory[0].byteCount == parts.copied.count)
    #expect(parts.directory.nextLeftover == nil)
  }

  /// Invariant 2: until then the segment itself is there with all of it.
  @Test func whatIsLeftOutIsCountedWhenTheCopyHasTakenThePlaceAndNotBefore() {
    let parts = Parts(WrittenSegment(1...6))
    parts.run { if case .replace = $0 { true } else { false } }
    #expect(parts.losses.thinned == 0)
    parts.step()
    #expect(parts.losses.thinned == 3)
    #expect(parts.losses.dropped == 0)
  }

  @Test func whatIsAcknowledgedIsNeitherCopiedNorLost() {
    let parts = Parts(WrittenSegment(1...8))
    parts.ledger.acknowledge(1...4)
    parts.run()
    #expect(parts.copy.sequences == [6, 8])
    #expect(parts.losses.thinned == 2)
  }

  /// Each record of a segment of several chunks is copied whole, behind one header.
  @Test func aLargeSegmentIsCopiedChunkByChunk() {
    let parts = Parts(WrittenSegment(1...3000))
    parts.run()
    #expect(parts.appendCount > 2)
    #expect(parts.copy.sequences == (1...1500).map { 2 * $0 })
    #expect(parts.losses.thinned == 1500)
    #expect(parts.losses.damagedByteCount == 0)
  }

  /// What would be written of the other chunks is nothing.
  @Test func aSegmentThatWasAcknowledgedMeanwhileLeavesAHeaderOnly() {
    let parts = Parts(WrittenSegment(1...3000))
    parts.ledger.acknowledge(1...3000)
    parts.run()
    #expect(parts.appendCount == 1)
    #expect(parts.copied.count < 100)
    #expect(parts.losses.thinned == 0)
  }

  /// Invariant 3.
  @Test func theBufferIsItsOwnFromAChunkThatWasReadUntilThatIsAppended() {
    let parts = Parts(WrittenSegment(1...3000))
    while !parts.compaction.isOver {
      let isAppending = if case .append = parts.next { true } else { false }
      #expect(parts.isHeld == isAppending)
      parts.step()
    }
    #expect(!parts.isHeld)
  }

  @Test func aCopyMayTakeAsMuchAsItsSegmentAndADeletionNothing() {
    let written = WrittenSegment(1...300)
    let thinned = Parts(written)
    #expect(thinned.compaction.byteCountMax == 3 * 4096)
    let dropped = Parts(written, isThinned: false)
    #expect(dropped.compaction.byteCountMax == 0)
  }

  /// The disk has less of it than was known.
  @Test func aFileThatEndsEarlierIsCopiedAsFarAsItGoes() {
    let written = WrittenSegment(1...6)
    let parts = Parts(written, byteCount: written.bytes.count + 500)
    parts.run()
    #expect(parts.copy.sequences == [2, 4, 6])
    #expect(parts.losses.damagedByteCount == 0, "what was never there is not damaged")
  }

  // MARK: Dropping

  @Test func aSegmentIsGoneThroughAndThenDeleted() {
    let parts = Parts(WrittenSegment(1...3000), isThinned: false)
    parts.ledger.acknowledge(1...1000)
    var isRead = false
    while case .read = parts.next {
      isRead = true
      parts.step()
    }
    #expect(isRead && parts.next == .delete(Self.file))
    #expect(parts.losses == Spool.Losses(), "it is there yet")
    parts.step()
    #expect(parts.compaction.isOver)
    #expect(parts.losses.dropped == 2000 && parts.losses.thinned == 0)
    #expect(parts.directory.segments.map(\.first) == [100_000])
  }

  @Test func aSegmentThatIsNotDeletedIsNotLost() {
    let parts = Parts(WrittenSegment(1...6), isThinned: false)
    parts.run { $0 == .delete(Self.file) }
    #expect(parts.failed() == .deletion)
    #expect(parts.compaction.isOver)
    #expect(parts.losses.dropped == 0)
    #expect(parts.directory.count == 2)
    #expect(parts.directory.nextLeftover == nil, "there is no copy to be deleted")
  }

  @Test func aSegmentThatIsNotReadIsDroppedAllTheSameAndCounted() {
    let parts = Parts(WrittenSegment(1...6), isThinned: false)
    #expect(parts.failed() == .none)
    #expect(parts.losses.unreadableSegments == 1)
    #expect(parts.next == .delete(Self.file))
  }

  // MARK: What fails

  @Test(arguments: 0..<5)
  func aCopyThatFailsIsDeletedAndNotTriedAgain(stepCount: Int) {
    let parts = Parts(WrittenSegment(1...6))
    for _ in 0..<stepCount { parts.step() }
    #expect(parts.failed() == .disk)
    #expect(parts.compaction.isOver)
    #expect(parts.losses == Spool.Losses())
    // It may be there, and is not certain.
    #expect(parts.directory.nextLeftover == Self.copy)
    #expect(!parts.directory[0].isThinnable)
    #expect(parts.directory[0].byteCount == parts.written.bytes.count)
  }

  @Test func oneThatIsAbandonedLeavesItsCopyToBeDeletedAndMayBeTriedAgain() {
    let parts = Parts(WrittenSegment(1...300))
    parts.step()
    parts.compaction.abandon()
    #expect(parts.compaction.isOver)
    #expect(parts.directory.nextLeftover == Self.copy)
    #expect(parts.directory[0].isThinnable)
  }

  @Test func oneThatIsOnlyGoneThroughHasNoCopyToBeDeleted() {
    let parts = Parts(WrittenSegment(1...6), isThinned: false)
    parts.compaction.abandon()
    #expect(parts.directory.nextLeftover == nil)
  }

  // MARK: What is damaged

  @Test func bytesThatAreNoRecordAreCountedAndNotCopied() {
    var written = WrittenSegment(1...3)
    written.addGarbage(20)
    written.add(4)
    let parts = Parts(written)
    parts.run()
    #expect(parts.copy.sequences == [2, 4])
    #expect(parts.losses.damagedByteCount == 20)
  }

  /// It has a segment's name and nothing of the spool's in it; a person may want to look at it.
  @Test(arguments: [true, false])
  func aFileOfNoRecordIsNotDeleted(isThinned: Bool) {
    var written = WrittenSegment()
    written.addGarbage(100)
    let parts = Parts(written, isThinned: isThinned)
    parts.directory[0].headerFoundDamaged()
    parts.run { $0 == .delete(Self.file) }
    #expect(parts.compaction.isOver)
    #expect(parts.directory.firstGarbage == 0)
    #expect(parts.directory.nextLeftover == (isThinned ? Self.copy : nil))
  }
}

/// Which entries stay.
@Suite struct SpoolThinningTests {
  private var thinning = SpoolThinning()

  private mutating func keeps(_ content: SpoolEntry.Content) -> Bool {
    thinning.keeps(
      SpoolEntry(
        sequence: 1, time: WallTime(nanoseconds: 0), isTimeTrusted: true, content: content))
  }

  private mutating func keeps(track: Double?) -> Bool {
    var fix = Fix.here(at: 1)
    fix.trackDegrees = track
    return keeps(.fix(fix))
  }

  private mutating func keeps(_ value: Value, of sensor: UInt8) -> Bool {
    keeps(.reading(sensor: sensor, value))
  }

  @Test mutating func eachSensorKeepsEveryOtherOfItsNumbers() {
    let number = Value.number(FixedPoint(1))
    let kept = [0, 255, 0, 255, 64, 0].map { keeps(number, of: $0) }
    #expect(kept == [false, false, true, true, false, false])
  }

  @Test(arguments: [Value.boolean(true), .text(InlineText("on")), .unknown, .unavailable])
  mutating func whatIsNoNumberStays(value: Value) {
    let kept = (0..<3).map { _ in keeps(value, of: 1) }
    #expect(kept == [true, true, true])
  }

  @Test mutating func everyOtherFixStays() {
    let kept = (0..<5).map { _ in keeps(track: nil) }
    #expect(kept == [false, true, false, true, false])
  }

  @Test(arguments: [(20.0, true), (19.9, false), (-20, true), (-19.9, false)])
  mutating func aTurnStaysAlsoAcrossNorth(degrees: Double, isKept: Bool) {
    let first = keeps(track: 350)
    #expect(first, "the first course is a turn")
    let then = (350 + degrees + 360).truncatingRemainder(dividingBy: 360)
    let kept = keeps(track: then)
    #expect(kept == isKept)
  }

  /// Also where that one stayed because it was the other one's turn.
  @Test mutating func aTurnIsMeasuredFromTheLastFixThatStayed() {
    let kept = [0.0, 15, 15, 30].map { keeps(track: $0) }
    #expect(kept == [true, false, true, false])
  }

  @Test mutating func aFixWithoutACourseDoesNotForgetTheLastOne() {
    let kept = [90.0, nil, nil, 95].map { keeps(track: $0) }
    #expect(kept == [true, false, true, false])
  }
}
