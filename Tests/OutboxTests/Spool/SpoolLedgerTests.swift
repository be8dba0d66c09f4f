import Bytes
import Testing

@testable import Outbox

/// Which numbers were given, and which entries are in memory only.
@Suite struct SpoolLedgerTests {
  private func entry(_ seconds: Int64) -> SpoolEntry {
    SpoolEntry(
      sequence: nil, time: WallTime(nanoseconds: seconds), isTimeTrusted: true,
      content: .reading(sensor: 0, .unknown))
  }

  @Test func numbersThatWereSkippedAreNeitherGivenNorCounted() {
    let ledger = SpoolLedger(
      .oldestFirst, SegmentDirectory(of: .boat, byteCountCap: 0, segmentByteCount: 0))
    ledger.give(10)
    ledger.skip(5)
    ledger.skip(3)
    ledger.give(2)
    #expect(ledger.nextSequence == 21)
    #expect(ledger.entryCount == 12)
    ledger.acknowledge(1...18)
    #expect(ledger.entryCount == 2)
    // A part of what was skipped, and what comes behind.
    ledger.skip(4)
    #expect(ledger.entryCount == 2)
    ledger.reserve(below: 3)
    #expect(ledger.nextSequence == 25)
  }

  @Test func whatTheDiskSaysIsAcknowledgedWasGiven() {
    let ledger = SpoolLedger(
      .oldestFirst, SegmentDirectory(of: .boat, byteCountCap: 0, segmentByteCount: 0))
    ledger.opened(with: GivenNumbers(), persisted: SequenceSet(upTo: 40))
    #expect(ledger.nextSequence == 41)
    #expect(ledger.acknowledged.prefix == 40)
    #expect(!ledger.isWriteWorthwhile)
    ledger.give(4096)
    ledger.acknowledge(1...4135)
    #expect(!ledger.isWriteWorthwhile)
    ledger.acknowledge(1...4136)
    #expect(ledger.isWriteWorthwhile)
    ledger.persisted(ledger.acknowledged)
    #expect(!ledger.isWriteWorthwhile)
  }

  // MARK: In memory

  @Test func whatIsBeingWrittenIsNotTakenAndIsGoneOnceItIsWritten() {
    let memory = SpoolMemory(.batch)
    for number in Int64(0)..<3 { _ = memory.append(entry(number)) }
    #expect(memory.dueCount == 0)
    memory.batchClosed()
    #expect(memory.dueCount == 3)
    memory.writeBegan(2)
    let early = memory.take(upTo: .max)
    #expect(early == nil)
    memory.written(from: 1, count: 2)
    #expect(memory.start == 2)
    let beyond = memory.take(upTo: 2)
    #expect(beyond == nil)
    let last = memory.take(upTo: 3)
    #expect(last?.time.nanoseconds == 2)
    #expect(memory.position == 3)
    // It may be acknowledged before long; so it is not written.
    #expect(memory.dueCount == 0)
    memory.rewind()
    #expect(memory.dueCount == 1)
  }

  @Test func whereThereIsNoRoomTheOldestGoesAlsoFromUnderAWrite() {
    let memory = SpoolMemory(.batch)
    var overflow = 0
    for number in 0..<Int64(Spool.memoryEntryCountMax) { overflow += memory.append(entry(number)) }
    #expect(overflow == 0)
    memory.writeBegan(2)
    for number in Int64(0)..<3 { overflow += memory.append(entry(number)) }
    #expect(overflow == 3)
    memory.written(from: 1, count: 2)
    #expect(memory.count == Spool.memoryEntryCountMax)
    #expect(memory.start == 3)
  }

  @Test func anAcknowledgedPlaceMayBeBehindWhatIsThere() {
    let memory = SpoolMemory(.batch)
    _ = memory.append(entry(1))
    memory.acknowledge(upTo: 100)
    #expect(memory.count == 0)
    #expect(memory.start == 1)
    memory.acknowledge(upTo: 0)
    #expect(memory.start == 1)
  }

  @Test func everyReadingIsDueAtOnceWhereNoneMayBeLost() {
    let memory = SpoolMemory(.reading)
    _ = memory.append(entry(1))
    #expect(memory.dueCount == 1)
  }

  // MARK: When the disk is asked

  @Test func workThatWasPutOffIsDueAtOnceInAnotherWakeUp() {
    var slice = WorkSlice(byteCountMax: 10_000)
    slice.spend(1)
    slice.spend(1)
    #expect(!slice.isOver)
    slice.spend(1)
    #expect(slice.isOver)
    #expect(slice.deadline == nil)
    slice.actionEnded(now: Instant(nanoseconds: 7))
    slice.workPutOff()
    #expect(slice.deadline == Instant(nanoseconds: 7))
    slice.begin()
    #expect(!slice.isOver)
    #expect(slice.deadline == nil)
  }

  /// A byte more than two blocks.
  @Test func everySliceIsAsLarge() {
    var slice = WorkSlice(byteCountMax: 2 * Spool.blockByteCount + 1)
    for _ in 0..<3 {
      slice.begin()
      for _ in 0..<2 { slice.spend(1) }
      #expect(!slice.isOver)
      slice.spend(1)
      #expect(slice.isOver)
    }
  }

  @Test func aDiskThatFailedIsTriedAtItsDeadlineAndNotBefore() {
    var disk = DiskStatus(seed: 1)
    let start = Instant(nanoseconds: 0)
    disk.deletionFailed(DiskFailure(code: 5), now: start)
    #expect(!disk.isUsable)
    let isTriedEarly = disk.deadlineReached(now: start)
    #expect(!isTriedEarly)
    let isTried = disk.deadlineReached(now: start + Spool.firstRetryDelay)
    #expect(isTried)
    #expect(disk.isUsable)
    // It is still said, and what is written goes first, until something worked.
    #expect(disk.failure == DiskFailure(code: 5))
    #expect(disk.areDeletionsPostponed)
    disk.worked()
    #expect(disk.failure == nil)
    #expect(!disk.areDeletionsPostponed)
  }
}
