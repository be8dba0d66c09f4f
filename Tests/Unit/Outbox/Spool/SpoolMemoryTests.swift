import Bytes
import Sensing
import Testing

@testable import Outbox

/// Entries that are in memory only: which are taken, which are written, and which go.
@Suite struct SpoolMemoryTests {
  private let memory = SpoolMemory(.batch)

  private func entry(_ number: Int64, isTimeTrusted: Bool = true) -> SpoolEntry {
    SpoolEntry(
      sequence: nil, time: WallTime(nanoseconds: number), isTimeTrusted: isTimeTrusted,
      content: .reading(sensor: 0, .number(FixedPoint(number))))
  }

  /// Returns how many had to go.
  @discardableResult
  private func append(_ numbers: Range<Int64>) -> Int {
    var overflow = 0
    for number in numbers { overflow += memory.record(entry(number)) }
    return overflow
  }

  private func take(upTo end: UInt64 = .max) -> Int64? {
    memory.take(upTo: end)?.time.nanoseconds
  }

  private func take(_ count: Int) -> [Int64?] { (0..<count).map { _ in take() } }

  // MARK: Taken

  @Test func entriesAreTakenAsTheyCameAndAgainAfterARewind() {
    append(0..<3)
    #expect(take(4) == [0, 1, 2, nil])
    memory.rewind()
    #expect(take(1) == [0])
  }

  @Test func noneIsTakenBehindTheEnd() {
    append(0..<3)
    #expect([take(upTo: 2), take(upTo: 2), take(upTo: 2)] == [0, 1, nil])
  }

  @Test func placesCountUpForEver() {
    append(0..<3)
    memory.acknowledge(upTo: 2)
    #expect(memory.start == 2 && memory.end == 3 && memory.count == 1)
    append(3..<4)
    #expect(take(3) == [2, 3, nil])
    #expect(memory.position == 4)
  }

  @Test func whatIsAcknowledgedInThePartThatWasTakenLeavesTheRestTaken() {
    append(0..<4)
    _ = take(3)
    memory.acknowledge(upTo: 2)
    #expect(memory.position == 3)
    #expect(take() == 3)
  }

  // MARK: Written

  /// Invariant 3: what Home Assistant may have is not written.
  @Test func whatWasTakenIsWrittenOnlyAfterARewind() {
    append(0..<2)
    memory.batchClosed()
    _ = take(1)
    #expect(memory.dueCount == 0)
    memory.rewind()
    #expect(memory.dueCount == 2)
  }

  @Test func whatIsLeftOfWhatWasAcknowledgedIsDue() {
    append(0..<3)
    memory.batchClosed()
    _ = take(2)
    memory.acknowledge(upTo: 2)
    #expect(memory.dueCount == 1)
  }

  @Test func aBatchIsWrittenWhenItIsClosedOrLarge() {
    append(0..<Int64(Spool.batchEntryCountMax) - 1)
    #expect(memory.dueCount == 0)
    append(0..<1)
    #expect(memory.dueCount == Spool.batchEntryCountMax)
  }

  @Test func aBatchOfNothingIsNotWritten() {
    memory.batchClosed()
    append(0..<1)
    #expect(memory.dueCount == 0)
  }

  /// The next batch waits for its own end.
  @Test func afterAllWasWrittenNothingIsDueUntilTheNextBatchIsClosed() {
    append(0..<2)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.written(from: 1, count: 2)
    append(2..<3)
    #expect(memory.dueCount == 0)
    memory.batchClosed()
    #expect(memory.dueCount == 1)
  }

  @Test func whatDidNotFitIntoOneWriteIsDueForTheNext() {
    append(0..<3)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.written(from: 1, count: 2)
    #expect(memory.dueCount == 1)
    #expect(take() == 2)
  }

  @Test func aWriteThatFailsLeavesEverythingAsItWas() {
    append(0..<2)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.writeFailed()
    #expect(memory.dueCount == 2 && memory.writtenCount == 0)
    #expect(take(2) == [0, 1])
  }

  /// It has gone under its number; only what is behind it may leave memory with the write.
  @Test func whatIsAcknowledgedDuringAWriteIsNotTakenOutTwice() {
    append(0..<4)
    memory.batchClosed()
    memory.writeBegan(3)
    memory.acknowledge(upTo: 2)
    #expect(memory.writtenCount == 1)
    memory.written(from: 1, count: 3)
    #expect(memory.count == 1 && memory.start == 3)
  }

  /// What is written is taken from the disk. What is behind it may be acknowledged before long; so
  /// it is not written once it was taken.
  @Test func whatIsBeingWrittenIsNotTakenAndIsGoneOnceItIsWritten() {
    append(0..<3)
    memory.batchClosed()
    memory.writeBegan(2)
    #expect(take() == nil)
    memory.written(from: 1, count: 2)
    #expect(memory.start == 2)
    #expect(take() == 2 && memory.dueCount == 0)
    memory.rewind()
    #expect(memory.dueCount == 1)
  }

  @Test func anAcknowledgedPlaceMayBeBehindWhatIsThere() {
    append(0..<1)
    memory.acknowledge(upTo: 100)
    #expect(memory.count == 0 && memory.start == 1)
    memory.acknowledge(upTo: 0)
    #expect(memory.start == 1)
  }

  @Test func everyReadingIsDueAtOnceWhereNoneMayBeLost() {
    let memory = SpoolMemory(.reading)
    _ = memory.record(entry(1))
    #expect(memory.dueCount == 1)
  }

  // MARK: The mark

  @Test func aMarkGoesAlongWithWhatIsWritten() {
    append(0..<3)
    memory.mark(after: 10)
    append(3..<5)
    #expect(memory.mark.sequence == 10 && memory.mark.inMemory == 3)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.written(from: 11, count: 2)
    #expect(memory.mark.sequence == 12)
    memory.writeBegan(3)
    memory.written(from: 20, count: 3)
    #expect(memory.mark.sequence == 20)
    append(5..<6)
    memory.batchClosed()
    memory.writeBegan(1)
    memory.written(from: 23, count: 1)
    #expect(memory.mark.sequence == 20 && memory.mark.inMemory == 3)
  }

  /// It has gone from memory, and has its number on the disk all the same.
  @Test func aMarkKnowsTheNumberOfWhatIsAcknowledgedDuringItsWrite() {
    append(0..<2)
    memory.mark(after: 0)
    append(2..<4)
    memory.batchClosed()
    memory.writeBegan(4)
    memory.acknowledge(upTo: 2)
    memory.written(from: 1, count: 4)
    #expect(memory.mark.sequence == 2)
  }

  @Test func aWriteOfNothingMovesNoMark() {
    append(0..<1)
    memory.mark(after: 7)
    memory.writeBegan(0)
    memory.written(from: 9, count: 0)
    #expect(memory.mark.sequence == 7)
  }

  // MARK: No room

  @Test func theOldestGoesAndIsCounted() {
    let capacity = Int64(Spool.memoryEntryCountMax)
    #expect(append(0..<capacity) == 0)
    #expect(append(capacity..<capacity + 2) == 2)
    #expect(memory.count == Spool.memoryEntryCountMax)
    #expect(take() == 2)
    #expect(memory.position == 3)
  }

  @Test func theOldestGoesAlsoFromUnderAWrite() {
    append(0..<Int64(Spool.memoryEntryCountMax))
    memory.writeBegan(2)
    #expect(append(0..<3) == 3)
    memory.written(from: 1, count: 2)
    #expect(memory.count == Spool.memoryEntryCountMax && memory.start == 3)
  }

  /// Its place is behind what was taken, not before it.
  @Test func whatGoesWasTakenOrCountsAsTaken() {
    let capacity = Int64(Spool.memoryEntryCountMax)
    append(0..<capacity)
    _ = take(1)
    append(capacity..<capacity + 3)
    #expect(memory.position == 3)
    #expect(take() == 3)
  }

  // MARK: Times

  @Test func onlyTimesThatWereNotTrustedAreCorrected() {
    _ = memory.record(entry(10, isTimeTrusted: false))
    _ = memory.record(entry(20))
    memory.correctTimes(by: .nanoseconds(5))
    #expect(take(2) == [15, 20])
  }
}

extension SpoolMemory {
  fileprivate func record(_ entry: SpoolEntry) -> Int {
    append(entry.content, at: entry.time, isTimeTrusted: entry.isTimeTrusted)
  }
}
