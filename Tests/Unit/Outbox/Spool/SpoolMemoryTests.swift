import Bytes
import Sensing
import Testing

@testable import Outbox

/// Entries that are in memory only: which are taken, which are written, and which go.
@Suite struct SpoolMemoryTests {
  private var memory = SpoolMemory(.batch)

  private func entry(_ number: Int64, isTimeTrusted: Bool = true) -> SpoolEntry {
    SpoolEntry(
      sequence: nil, time: WallTime(nanoseconds: number), isTimeTrusted: isTimeTrusted,
      content: .reading(sensor: 0, .number(FixedPoint(number))))
  }

  /// Returns how many had to go.
  @discardableResult
  private mutating func append(_ numbers: Range<Int64>) -> Int {
    var overflow = 0
    for number in numbers { overflow += memory.record(entry(number)) }
    return overflow
  }

  private mutating func take(upTo end: UInt64 = .max) -> Int64? {
    memory.take(upTo: end)?.time.nanoseconds
  }

  private mutating func take(_ count: Int) -> [Int64?] { (0..<count).map { _ in take() } }

  // MARK: Taken

  @Test mutating func entriesAreTakenAsTheyCameAndAgainAfterARewind() {
    append(0..<3)
    let first = take(4)
    #expect(first == [0, 1, 2, nil])
    memory.rewind()
    let again = take(1)
    #expect(again == [0])
  }

  @Test mutating func noneIsTakenBehindTheEnd() {
    append(0..<3)
    let taken = [take(upTo: 2), take(upTo: 2), take(upTo: 2)]
    #expect(taken == [0, 1, nil])
  }

  @Test mutating func placesCountUpForEver() {
    append(0..<3)
    memory.acknowledge(upTo: 2)
    #expect(memory.start == 2 && memory.end == 3 && memory.count == 1)
    append(3..<4)
    let taken = take(3)
    #expect(taken == [2, 3, nil])
    #expect(memory.position == 4)
  }

  @Test mutating func whatIsAcknowledgedInThePartThatWasTakenLeavesTheRestTaken() {
    append(0..<4)
    _ = take(3)
    memory.acknowledge(upTo: 2)
    #expect(memory.position == 3)
    let next = take()
    #expect(next == 3)
  }

  // MARK: Written

  /// Invariant 3: what Home Assistant may have is not written.
  @Test mutating func whatWasTakenIsWrittenOnlyAfterARewind() {
    append(0..<2)
    memory.batchClosed()
    _ = take(1)
    #expect(memory.dueCount == 0)
    memory.rewind()
    #expect(memory.dueCount == 2)
  }

  @Test mutating func whatIsLeftOfWhatWasAcknowledgedIsDue() {
    append(0..<3)
    memory.batchClosed()
    _ = take(2)
    memory.acknowledge(upTo: 2)
    #expect(memory.dueCount == 1)
  }

  @Test mutating func aBatchIsWrittenWhenItIsClosedOrLarge() {
    append(0..<Int64(Spool.batchEntryCountMax) - 1)
    #expect(memory.dueCount == 0)
    append(0..<1)
    #expect(memory.dueCount == Spool.batchEntryCountMax)
  }

  @Test mutating func aBatchOfNothingIsNotWritten() {
    memory.batchClosed()
    append(0..<1)
    #expect(memory.dueCount == 0)
  }

  /// The next batch waits for its own end.
  @Test mutating func afterAllWasWrittenNothingIsDueUntilTheNextBatchIsClosed() {
    append(0..<2)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.written(from: 1, count: 2)
    append(2..<3)
    #expect(memory.dueCount == 0)
    memory.batchClosed()
    #expect(memory.dueCount == 1)
  }

  @Test mutating func whatDidNotFitIntoOneWriteIsDueForTheNext() {
    append(0..<3)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.written(from: 1, count: 2)
    #expect(memory.dueCount == 1)
    let taken = take()
    #expect(taken == 2)
  }

  @Test mutating func aWriteThatFailsLeavesEverythingAsItWas() {
    append(0..<2)
    memory.batchClosed()
    memory.writeBegan(2)
    memory.writeFailed()
    #expect(memory.dueCount == 2 && memory.writtenCount == 0)
    let taken = take(2)
    #expect(taken == [0, 1])
  }

  /// It has gone under its number; only what is behind it may leave memory with the write.
  @Test mutating func whatIsAcknowledgedDuringAWriteIsNotTakenOutTwice() {
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
  @Test mutating func whatIsBeingWrittenIsNotTakenAndIsGoneOnceItIsWritten() {
    append(0..<3)
    memory.batchClosed()
    memory.writeBegan(2)
    let early = take()
    #expect(early == nil)
    memory.written(from: 1, count: 2)
    #expect(memory.start == 2)
    let last = take()
    #expect(last == 2 && memory.dueCount == 0)
    memory.rewind()
    #expect(memory.dueCount == 1)
  }

  @Test mutating func anAcknowledgedPlaceMayBeBehindWhatIsThere() {
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

  @Test mutating func aMarkGoesAlongWithWhatIsWritten() {
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
  @Test mutating func aMarkKnowsTheNumberOfWhatIsAcknowledgedDuringItsWrite() {
    append(0..<2)
    memory.mark(after: 0)
    append(2..<4)
    memory.batchClosed()
    memory.writeBegan(4)
    memory.acknowledge(upTo: 2)
    memory.written(from: 1, count: 4)
    #expect(memory.mark.sequence == 2)
  }

  @Test mutating func aWriteOfNothingMovesNoMark() {
    append(0..<1)
    memory.mark(after: 7)
    memory.writeBegan(0)
    memory.written(from: 9, count: 0)
    #expect(memory.mark.sequence == 7)
  }

  // MARK: No room

  @Test mutating func theOldestGoesAndIsCounted() {
    let capacity = Int64(Spool.memoryEntryCountMax)
    let none = append(0..<capacity)
    let some = append(capacity..<capacity + 2)
    #expect(none == 0 && some == 2)
    #expect(memory.count == Spool.memoryEntryCountMax)
    let taken = take()
    #expect(taken == 2)
    #expect(memory.position == 3)
  }

  @Test mutating func theOldestGoesAlsoFromUnderAWrite() {
    append(0..<Int64(Spool.memoryEntryCountMax))
    memory.writeBegan(2)
    let overflow = append(0..<3)
    #expect(overflow == 3)
    memory.written(from: 1, count: 2)
    #expect(memory.count == Spool.memoryEntryCountMax && memory.start == 3)
  }

  /// Its place is behind what was taken, not before it.
  @Test mutating func whatGoesWasTakenOrCountsAsTaken() {
    let capacity = Int64(Spool.memoryEntryCountMax)
    append(0..<capacity)
    _ = take(1)
    append(capacity..<capacity + 3)
    #expect(memory.position == 3)
    let taken = take()
    #expect(taken == 3)
  }

  // MARK: Times

  @Test mutating func onlyTimesThatWereNotTrustedAreCorrected() {
    _ = memory.record(entry(10, isTimeTrusted: false))
    _ = memory.record(entry(20))
    memory.correctTimes(by: .nanoseconds(5))
    let taken = take(2)
    #expect(taken == [15, 20])
  }
}

extension SpoolMemory {
  fileprivate func record(_ entry: SpoolEntry) -> Int {
    append(entry.content, at: entry.time, isTimeTrusted: entry.isTimeTrusted)
  }
}
