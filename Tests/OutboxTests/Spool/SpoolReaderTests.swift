import Bytes
import Sensing
import Testing

@testable import Outbox

/// Which entry is taken next, and what of the segments is lost.
@Suite struct SpoolReaderTests {
  /// The parts that a reader works on, and what stands in their files.
  private final class Parts {
    let order: Spool.Order
    var files: [WrittenSegment]
    let directory = SegmentDirectory(of: .boat, byteCountCap: 64 << 20, segmentByteCount: 1 << 20)
    let records = SegmentReader()
    let ledger: SpoolLedger
    var reader: SpoolReader
    private(set) var readCount = 0
    /// The segments that the disk does not read, by their first numbers.
    var unreadable: Set<UInt64> = []
    private(set) var failures: [SpoolReader.Failure] = []

    init(_ files: [WrittenSegment], _ order: Spool.Order = .oldestFirst, next: UInt64) {
      self.files = files
      self.order = order
      ledger = SpoolLedger(order, directory)
      reader = SpoolReader(order, records, directory, ledger)
      for file in files {
        directory.found(SegmentFile(first: file.first), byteCount: file.bytes.count)
      }
      directory.sort()
      ledger.reserve(below: next)
    }

    /// The next entry, with what has to be read for it.
    func take(upTo limit: UInt64? = nil) -> UInt64? {
      let limit = limit ?? (order == .oldestFirst ? .max : ledger.nextSequence - 1)
      while true {
        if let entry = reader.take(upTo: limit) {
          return entry.sequence
        }
        guard let action = reader.nextAction() else { return nil }
        read(action)
      }
    }

    func read(_ action: Spool.Action) {
      guard case .read(let file, _, _) = action else { return }
      readCount += 1
      if unreadable.contains(file.first) {
        failures.append(reader.failed())
      } else {
        records.fill(files.chunk(action), for: action)
        reader.performed()
      }
    }

    func take(_ count: Int, upTo limit: UInt64? = nil) -> [UInt64] {
      var numbers: [UInt64] = []
      while numbers.count < count, let number = take(upTo: limit) { numbers.append(number) }
      return numbers
    }

    func takeAll() -> [UInt64] { take(.max) }

    /// Home Assistant has what was taken.
    func acknowledge() {
      ledger.acknowledge(reader.taken)
      reader.acknowledged()
    }

    func acknowledge(_ numbers: ClosedRange<UInt64>) {
      ledger.acknowledge(numbers)
      reader.acknowledged()
    }

    func rewind() { reader.rewind() }

    /// Asks so often as the disk is tried again.
    func takeAtLast(attempts: Int) -> UInt64? {
      for _ in 1..<attempts {
        #expect(take() == nil && reader.isPostponed)
        reader.retryDue()
      }
      return take()
    }
  }

  private static let two = [WrittenSegment(1...3), WrittenSegment(4...6)]

  // MARK: The oldest first

  @Test func everyEntryIsTakenOnceInOrder() {
    let parts = Parts(Self.two, next: 7)
    #expect(parts.takeAll() == [1, 2, 3, 4, 5, 6])
    #expect(parts.reader.taken.prefix == 6)
    #expect(parts.take() == nil)
  }

  @Test func whatIsNotAcknowledgedIsTakenAgainAndNothingElse() {
    let parts = Parts(Self.two, next: 7)
    _ = parts.take(2)
    parts.acknowledge()
    _ = parts.take(3)
    parts.rewind()
    #expect(parts.takeAll() == [3, 4, 5, 6])
  }

  @Test func whatWasAcknowledgedMeanwhileIsNotTaken() {
    let parts = Parts(Self.two, next: 7)
    _ = parts.take(1)
    parts.acknowledge(1...4)
    #expect(parts.takeAll() == [5, 6])
  }

  /// Invariant 3.
  @Test func aNumberThatNoEntryHasIsTakenWithTheNextThatWasFound() {
    var written = WrittenSegment(1...2)
    written.add(5)
    let parts = Parts([written], next: 6)
    _ = parts.take(2)
    #expect(parts.reader.taken.prefix == 2)
    #expect(parts.take() == 5)
    #expect(parts.reader.taken.prefix == 5)
  }

  /// A write failed between the two: its numbers were skipped.
  @Test func numbersBehindTheLastEntryOfASegmentAreNotWaitedFor() {
    let parts = Parts([WrittenSegment(1...2), WrittenSegment(5...6)], next: 7)
    #expect(parts.take(3) == [1, 2, 5])
    #expect(parts.reader.taken.prefix == 5)
    #expect(parts.ledger.acknowledged.prefix == 0, "what was taken may be taken again")
  }

  /// The segment can go: nothing of it is missing in Home Assistant.
  @Test func whereEverythingFoundWasAcknowledgedSoAreTheNumbersOfNone() {
    let parts = Parts([WrittenSegment(1...2), WrittenSegment(5...6)], next: 7)
    parts.acknowledge(1...2)
    #expect(parts.take() == 5)
    #expect(parts.ledger.acknowledged == SequenceSet(upTo: 4))
    #expect(parts.ledger.firstDelivered == 0)
  }

  @Test func whatIsWrittenToTheNewestMeanwhileFollows() {
    let parts = Parts([WrittenSegment(1...3)], next: 4)
    #expect(parts.takeAll() == [1, 2, 3])
    parts.files[0].add(4)
    parts.directory.newest.grew(by: parts.files[0].bytes.count - parts.directory.newest.byteCount)
    parts.ledger.reserve(below: 5)
    let before = parts.readCount
    #expect(parts.take() == 4)
    #expect(parts.readCount == before + 1, "it goes on where it was")
  }

  @Test func whereAnotherWorkHasTheReaderItFindsItsPlaceAgain() {
    let parts = Parts(Self.two, next: 7)
    _ = parts.take(2)
    parts.reader.loseCursor()
    parts.records.begin(SegmentSalt(first: 4, device: .boat))
    #expect(parts.takeAll() == [3, 4, 5, 6])
  }

  @Test(arguments: [0, 1])
  func aSegmentThatGoesTakesNothingElseWithIt(removed: Int) {
    let parts = Parts(
      [WrittenSegment(1...2), WrittenSegment(3...4), WrittenSegment(5...6)], next: 7)
    #expect(parts.take(3) == [1, 2, 3])
    parts.acknowledge()
    parts.directory.remove(removed)
    parts.reader.removed(removed)
    // The fourth stood in the second segment.
    #expect(parts.takeAll() == (removed == 0 ? [4, 5, 6] : [5, 6]))
  }

  // MARK: The newest first

  /// 1,500 entries of 25 bytes and more: two blocks.
  private static let blocks = WrittenSegment(1...1500)

  @Test func theNewestBlockComesFirstAndEachInItsOrder() {
    let parts = Parts([Self.blocks], .newestFirst, next: 1501)
    let numbers = parts.takeAll().map { Int64($0) }.blocks
    #expect(numbers.count == 2)
    #expect(numbers.map(\.last) == [1500, numbers[1].count].map { Int64($0) })
    #expect(numbers.flatMap { $0 }.sorted() == Array(1...1500))
  }

  @Test func withTheNewestFirstNoneIsTakenAboveTheLimit() {
    let parts = Parts(Self.two, .newestFirst, next: 7)
    #expect(parts.take(9, upTo: 5) == [4, 5, 1, 2, 3])
    #expect(parts.takeAll() == [6])
  }

  /// The numbers of a block that was acknowledged are a hole, which is not gone through again.
  @Test func whatIsWrittenMeanwhileIsTakenBehindTheBlock() {
    let parts = Parts(Self.two, .newestFirst, next: 7)
    #expect(parts.take(2) == [4, 5])
    parts.files[1].add(7)
    parts.directory.newest.grew(by: parts.files[1].bytes.count - parts.directory.newest.byteCount)
    parts.ledger.reserve(below: 8)
    #expect(parts.takeAll() == [6, 7, 1, 2, 3])
  }

  // MARK: What is not read

  @Test func aDiskThatFailsIsTriedThreeMoreTimes() {
    let parts = Parts(Self.two, next: 7)
    parts.unreadable = [1]
    #expect(parts.takeAtLast(attempts: 3) == nil)
    #expect(parts.ledger.losses.unreadableSegments == 0)
    parts.unreadable = []
    parts.reader.retryDue()
    #expect(parts.takeAll() == [1, 2, 3, 4, 5, 6])
  }

  @Test func nothingIsReadBeforeTheDiskIsTriedAgain() {
    let parts = Parts(Self.two, next: 7)
    parts.unreadable = [1]
    #expect(parts.take() == nil)
    #expect(parts.reader.isPostponed && !parts.reader.isChunkWanted)
    parts.unreadable = []
    #expect(parts.take() == nil)
    parts.reader.retryDue()
    #expect(!parts.reader.isPostponed)
    #expect(parts.take() == 1)
  }

  @Test func aSegmentThatIsNeverReadIsLeftAloneAndTheNextIsTaken() {
    let parts = Parts(Self.two, next: 7)
    parts.unreadable = [1]
    #expect(parts.takeAtLast(attempts: Int(Spool.readAttemptsMax)) == 4)
    guard case .leftAlone(0)? = parts.failures.last else {
      Issue.record("\(parts.failures)")
      return
    }
    #expect(parts.ledger.losses.unreadableSegments == 1)
    #expect(!parts.directory[0].isThinnable, "a copy would have to read it")
    #expect(parts.takeAll() == [5, 6])
    // It waits for the next start.
    parts.acknowledge()
    #expect(parts.reader.taken.prefix == 0)
    #expect(!parts.ledger.isAcknowledged(0))
  }

  /// The disk works again in between.
  @Test func attemptsCountSinceTheSegmentWasReadToItsEnd() {
    let parts = Parts(Self.two, next: 7)
    for _ in 0..<2 {
      parts.unreadable = [1]
      #expect(parts.takeAtLast(attempts: 3) == nil)
      parts.unreadable = []
      parts.reader.retryDue()
      #expect(parts.take(4) == [1, 2, 3, 4])
      parts.rewind()
    }
  }

  /// A set of numbers has so many gaps.
  @Test func moreSegmentsThanCanBeLeftAloneAreTriedForEver() {
    let files = (0..<10).map { WrittenSegment(UInt64($0) * 10 + 1...UInt64($0) * 10 + 3) }
    let parts = Parts(files, next: 101)
    parts.unreadable = Set(files.map(\.first))
    for _ in 0..<200 {
      #expect(parts.take() == nil)
      parts.reader.retryDue()
    }
    #expect(parts.directory.leftAloneCount == Spool.gapCountMax)
    #expect(parts.ledger.losses.unreadableSegments == Spool.gapCountMax)
  }

  // MARK: What is damaged

  @Test func entriesThatDamageTookAreCountedOnce() {
    var written = WrittenSegment(1...2)
    written.addGarbage(40)
    written.add(5)
    let parts = Parts([written, WrittenSegment(6...7)], next: 8)
    for _ in 0..<2 {
      #expect(parts.takeAll() == [1, 2, 5, 6, 7])
      parts.rewind()
    }
    #expect(parts.ledger.losses.damaged == 2)
    #expect(parts.ledger.losses.damagedByteCount == 40)
  }

  @Test func numbersThatAreMissingWithoutDamageAreNoLoss() {
    var written = WrittenSegment(1...2)
    written.add(5)
    let parts = Parts([written, WrittenSegment(6...7)], next: 8)
    #expect(parts.takeAll().count == 5)
    #expect(parts.ledger.losses == Spool.Losses())
  }

  @Test func whatWasAcknowledgedBeforeItWasDamagedIsNoLoss() {
    var written = WrittenSegment(1...2)
    written.addGarbage(40)
    written.add(5)
    let parts = Parts([written, WrittenSegment(6...7)], next: 8)
    parts.acknowledge(1...3)
    #expect(parts.takeAll() == [5, 6, 7])
    #expect(parts.ledger.losses.damaged == 0)
  }

  /// Of a segment that was thinned numbers are missing by intent.
  @Test func inAThinnedSegmentNumbersDoNotTellWhatDamageTook() {
    var written = WrittenSegment(1...2)
    written.addGarbage(40)
    written.add(5)
    written.addGarbage(40)
    let parts = Parts([written, WrittenSegment(9...9)], next: 10)
    parts.directory[0].headerRead(
      SegmentHeader(thinnings: 1, first: 1, acknowledged: 0, device: .boat))
    #expect(parts.takeAll() == [1, 2, 5, 9])
    #expect(parts.ledger.losses.damaged == 0)
    #expect(parts.ledger.losses.damagedByteCount == 80)
  }

  /// The next segment tells how many numbers there were, and the room how many entries.
  @Test(arguments: [(UInt64(5), 100, 2), (50, 60, 3)])
  func damageAtTheEndTookNoMoreThanHadRoomThere(next: UInt64, byteCount: Int, lost: Int) {
    var written = WrittenSegment(1...2)
    written.addGarbage(byteCount)
    let parts = Parts([written, WrittenSegment(next...next)], next: next + 1)
    #expect(parts.takeAll() == [1, 2, next])
    #expect(parts.ledger.losses.damaged == lost)
  }

  /// More may be written to it, so nothing tells how many there were.
  @Test func damageAtTheEndOfTheNewestIsBytesOnly() {
    var written = WrittenSegment(1...2)
    written.addGarbage(60)
    let parts = Parts([written], next: 9)
    #expect(parts.takeAll() == [1, 2])
    #expect(parts.ledger.losses.damaged == 0)
    #expect(parts.ledger.losses.damagedByteCount == 60)
  }

  /// The record of its name is damaged, both times.
  @Test(arguments: Spool.Order.allCases)
  func aReadingThatHasLostItsSensorIsLeftOutAndCountedOnce(order: Spool.Order) {
    var written = WrittenSegment()
    written.add(1, sensor: 1)
    written.add(2, sensor: 2)
    let names = written.bytes.indices.dropLast(4).filter {
      written.bytes[$0] == 0xA5 && written.bytes[$0 + 2] == 1 && written.bytes[$0 + 3] == 1
    }
    #expect(names.count == 2)
    let parts = Parts([written.damaged(at: names), WrittenSegment(3...3)], order, next: 4)
    for _ in 0..<2 {
      #expect(parts.takeAll().sorted() == [2, 3])
      parts.rewind()
    }
    #expect(parts.ledger.losses.nameless == 1)
  }

  @Test func aFileOfNoRecordIsFoundToBeNoneOfTheSpools() {
    var garbage = WrittenSegment()
    garbage.addGarbage(100)
    let parts = Parts([garbage, WrittenSegment(4...5)], next: 6)
    parts.directory[0].headerFoundDamaged()
    #expect(parts.takeAll() == [4, 5])
    #expect(parts.directory.firstGarbage == 0)
    #expect(parts.ledger.losses.damaged == 0)
  }

  /// One with a header is the spool's, be it empty.
  @Test func anEmptySegmentIsNoGarbage() {
    let parts = Parts([WrittenSegment(), WrittenSegment(4...5)], next: 6)
    parts.directory[0].headerRead(
      SegmentHeader(thinnings: 0, first: 1, acknowledged: 0, device: .boat))
    #expect(parts.takeAll() == [4, 5])
    #expect(parts.directory.firstGarbage == nil)
  }

  @Test func aFileThatIsShorterThanItWasEndsThere() {
    let parts = Parts(Self.two, next: 7)
    parts.directory[0].grew(by: 1000)
    #expect(parts.takeAll() == [1, 2, 3, 4, 5, 6])
    #expect(parts.directory[0].byteCount == parts.files[0].bytes.count)
    #expect(parts.ledger.losses == Spool.Losses())
  }
}
