import Testing

@testable import Outbox

/// Which segments there are, which numbers wait, and what has to go.
@Suite struct SpoolLogTests {
  private static let segment = 16 << 10
  /// Room for eight segments of four blocks and the two that are kept free, each a block larger.
  private static let cap = 8 * segment + 2 * (segment + Spool.blockByteCount)
  private static let first = SegmentFile(first: 1)

  /// A log with segments of these sizes, each with a hundred entries.
  private func log(_ sizes: Int..., cap: Int = Self.cap) -> SpoolLog {
    let log = SpoolLog(of: .boat, byteCountCap: cap, segmentByteCount: Self.segment)
    for size in sizes { add(size, to: log) }
    return log
  }

  private func full(_ count: Int) -> SpoolLog {
    let log = log()
    for _ in 0..<count { add(Self.segment, to: log) }
    return log
  }

  private func add(_ size: Int, to log: SpoolLog) {
    log.created()
    log.written(size, entryCount: 100, acknowledged: 0)
  }

  // MARK: Numbers

  @Test func numbersBelongToTheSegmentThatBeginsAtThemOrBefore() {
    let log = log(100, 100, 100)
    #expect(log.numbers(of: 0) == 1..<101)
    #expect(log.numbers(of: 2) == 201..<301)
    #expect([1, 100, 101, 999].map { log.index(of: $0) } == [0, 0, 1, 2])
    #expect(log.index(beginningAt: 101) == 1)
    #expect(log.index(beginningAt: 102) == nil)
  }

  @Test func aSegmentWithoutAnEntryHasNoNumbers() {
    let log = log(100)
    log.created()
    #expect(log.numbers(of: 1).isEmpty)
    #expect(log.numbers(of: 0) == 1..<101)
  }

  @Test func numbersThatWereSkippedAreNeitherGivenNorCounted() {
    let log = log(4000)
    log.skip(5)
    log.skip(3)
    log.written(100, entryCount: 2, acknowledged: 0)
    #expect(log.next == 111)
    #expect(log.waitingCount == 102)
    log.acknowledge(upTo: 104)
    #expect(log.waitingCount == 2)
    // A part of what was skipped, and what comes behind.
    log.skip(4)
    #expect(log.waitingCount == 2)
    #expect(log.next == 115)
    #expect(log.waitingCount(in: 90..<110) == 1)
  }

  @Test func whatTheDiskSaysIsAcknowledgedWasGiven() {
    let log = SpoolLog.opened([WrittenSegment(first: 1, acknowledged: 40)])
    #expect(log.next == 41)
    #expect(log.acknowledged == 40 && log.persisted == 40)
    #expect(log.isSettled)
  }

  @Test func anAcknowledgementDoesNotGoBack() {
    let log = log(4000)
    log.acknowledge(upTo: 50)
    log.acknowledge(upTo: 20)
    #expect(log.acknowledged == 50)
    #expect(log.waitingCount == 50)
  }

  @Test func thousandsOfAcknowledgedEntriesAreWorthANote() {
    let log = log(100)
    log.written(100, entryCount: 4900, acknowledged: 0)
    log.acknowledge(upTo: 4095)
    #expect(!log.isNoteWanted)
    log.acknowledge(upTo: 4096)
    #expect(log.isNoteWanted)
    log.written(10, entryCount: 0, acknowledged: 4096)
    #expect(!log.isNoteWanted)
  }

  // MARK: What goes

  @Test func aSegmentGoesOnceAllOfItIsAcknowledged() {
    let log = log(100, 100)
    log.acknowledge(upTo: 99)
    #expect(log.nextRemoval == nil)
    log.acknowledge(upTo: 100)
    #expect(log.nextRemoval == .delete(Self.first))
    #expect(log.segments.map(\.first) == [101])
    #expect(log.losses == Spool.Losses())
  }

  /// A write that fails may take the new segment away again; then the old one says which numbers
  /// were given.
  @Test func aSegmentStaysUntilSomethingStandsInTheNextOne() {
    let log = log(100)
    log.acknowledge(upTo: 100)
    log.created()
    log.acknowledge(upTo: 100)
    #expect(log.count == 2)
    log.written(44, entryCount: 0, acknowledged: 100)
    #expect(log.segments.map(\.first) == [101])
    #expect(log.nextRemoval == .delete(Self.first))
  }

  @Test func theNewestStaysWhateverIsAcknowledged() {
    let log = log(100)
    log.acknowledge(upTo: 100)
    #expect(log.count == 1 && log.isNewestDelivered && log.isSettled)
  }

  @Test func theOldestIsDroppedWhenTheSpaceIsUsedUp() {
    let log = full(8)
    #expect(log.nextRemoval == nil)
    add(Self.segment, to: log)
    #expect(log.nextRemoval == .delete(Self.first))
    #expect(log.segments.first?.first == 101)
    // What is to go does not wait, and is lost when it is gone.
    #expect(log.waitingCount == 800)
    #expect(log.losses.dropped == 0)
    log.removed()
    #expect(log.losses.dropped == 100)
  }

  @Test func theLossIsTheNumbersThatWereNotAcknowledged() {
    let log = full(8)
    log.acknowledge(upTo: 40)
    add(Self.segment, to: log)
    log.removed()
    #expect(log.losses.dropped == 60)
  }

  /// Of the others nothing was ever written.
  @Test func noMoreIsLostThanHasRoomInTheFile() {
    let log = log()
    log.created()
    log.written(1000, entryCount: 5000, acknowledged: 0)
    for _ in 0..<8 { add(Self.segment, to: log) }
    #expect(log.segments.first?.first == 5001)
    log.removed()
    #expect(log.losses.dropped == (1000 - SegmentHeader.byteCount) / SpoolRecord.entryByteCountMin)
  }

  @Test func theNewestIsNeverDropped() {
    let log = log(Self.segment, 100 * Self.segment, cap: 4 * Self.segment)
    #expect(log.segments.map(\.first) == [101])
    log.removed()
    #expect(log.losses.dropped == 100)
  }

  @Test func soManyFilesAreKept() {
    let log = log(cap: 1 << 30)
    for _ in 0..<Spool.segmentCountMax + 2 { add(1000, to: log) }
    #expect(log.count == Spool.segmentCountMax)
    #expect(log.segments.first?.first == 201)
  }

  // MARK: What is set aside

  @Test func aSegmentThatIsSetAsideIsCountedAndDoesNotWait() {
    let log = log(4000, 4000, 4000)
    log.wasSetAside(1)
    #expect(log.segments.map(\.first) == [1, 201])
    #expect(log.losses.unreadable == 100 && log.losses.setAside == 1)
    #expect(log.waitingCount == 200)
    // Nor is it counted again with its neighbour.
    log.wasSetAside(0)
    #expect(log.losses.unreadable == 200)
    #expect(log.waitingCount == 100)
  }

  @Test func whatASegmentSkippedIsNotSubtractedTwiceWhenItIsSetAside() {
    let log = log(4000)
    add(4000, to: log)
    log.skip(5)
    log.written(100, entryCount: 10, acknowledged: 0)
    add(4000, to: log)
    log.wasSetAside(1)
    #expect(log.waitingCount == 200)
  }

  @Test func whatIsSkippedFromASegmentsBeginningOnIsNotSubtractedTwiceWhenItIsSetAside() {
    let log = log(4000)
    _ = log.writeFailed(10, numberCount: 5)
    log.created()
    log.written(44, entryCount: 0, acknowledged: 0)
    _ = log.writeFailed(10, numberCount: 7)
    log.wasSetAside(1)
    #expect(log.waitingCount == 100)
    log.acknowledge(upTo: 98)
    #expect(log.waitingCount == 2)
  }

  /// It takes its room of the cap under another name, too.
  @Test func noMoreThanAQuarterOfTheCapIsSetAside() {
    let log = full(6)
    for _ in 0..<3 {
      log.wasSetAside(0)
      #expect(log.occupiedByteCount == 6 * Self.segment)
    }
    #expect(log.losses.unreadable == 300)
    #expect(log.nextRemoval == .delete(SegmentFile(first: 1, kind: .aside)))
    log.removed()
    #expect(log.occupiedByteCount == 5 * Self.segment)
    #expect(log.nextRemoval == nil)
  }

  /// Of another device, found at the start.
  @Test func aForeignFileThatIsNotSetAsideIsForgotten() {
    let log = SpoolLog.opened([WrittenSegment(first: 7, device: .van)])
    #expect(log.nextRemoval != nil)
    log.removalFailed()
    #expect(log.nextRemoval == nil)
  }

  // MARK: Room

  @Test func everyFileTakesWholeBlocks() {
    #expect(log(1, 4096, 4097).occupiedByteCount == 4 * 4096)
  }

  @Test func aWriteHasRoomBesideOneFileThatIsNotDeleted() {
    let log = full(9)
    #expect(log.nextRemoval != nil && log.hasRoom)
    add(Self.segment, to: log)
    #expect(!log.hasRoom)
    log.removed()
    #expect(log.hasRoom)
  }

  @Test func aFileThatIsNeverDeletedTakesItsRoom() {
    let log = full(9)
    for _ in 1..<Spool.deletionAttemptsMax { log.removalFailed() }
    #expect(log.nextRemoval == .delete(Self.first))
    log.removalFailed()
    #expect(log.occupiedByteCount == 9 * Self.segment)
    // So the next one has to go.
    #expect(log.nextRemoval == .delete(SegmentFile(first: 101)))
    // It is not read any more, whether or not it is there.
    #expect(log.losses.dropped == 100)
  }

  @Test func aFileThatIsNotDeletedKeepsNoOtherWaiting() {
    let log = log(4000, 4000, 4000)
    log.acknowledge(upTo: 200)
    for _ in 1..<Spool.deletionAttemptsMax {
      log.removalFailed()
      #expect(log.nextRemoval == .delete(SegmentFile(first: 101)))
      log.removalFailed(isCounted: false)
      #expect(log.nextRemoval == .delete(Self.first))
    }
    log.removalFailed()
    #expect(log.nextRemoval == .delete(SegmentFile(first: 101)))
    log.removed()
    #expect(log.nextRemoval == nil)
  }

  /// Where it is not cut, the next batch goes to another file, and this one stays as it is.
  @Test func whatAFailedWriteMayHaveLeftTakesItsRoomUntilItIsCut() {
    let log = log(100)
    let isThere = log.writeFailed(5000, numberCount: 3)
    #expect(isThere)
    #expect(log.next == 104)
    #expect(log.occupiedByteCount == 8192)
    _ = log.writeFailed(10, numberCount: 1)
    #expect(log.occupiedByteCount == 8192)
    log.newestWasCut()
    #expect(log.occupiedByteCount == 4096)
  }

  @Test func aFileInWhichNothingIsCertainIsDeleted() {
    let log = log(100)
    log.created()
    let isThere = log.writeFailed(5000, numberCount: 2)
    #expect(!isThere)
    #expect(log.segments.map(\.first) == [1])
    #expect(log.nextRemoval == .delete(SegmentFile(first: 101)))
    #expect(log.occupiedByteCount == 4096 + 8192)
    #expect(log.next == 103 && log.waitingCount == 100)
  }
}
