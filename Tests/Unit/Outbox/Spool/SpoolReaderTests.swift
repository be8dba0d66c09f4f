import Bytes
import Sensing
import Testing

@testable import Outbox

/// Which entry is taken next, and what of the segments is lost.
@Suite struct SpoolReaderTests {
  /// A reader and its log, and what stands in the files.
  private final class Parts {
    var files: [WrittenSegment]
    let log: SpoolLog
    let records = SegmentReader()
    let reader: SpoolReader
    private(set) var readCount = 0
    /// The segments that the disk does not read, by their first numbers.
    var unreadable: Set<UInt64> = []
    /// Whether it does not rename them either.
    var isReadOnly = false
    private(set) var asides: [SegmentFile] = []

    init(_ files: [WrittenSegment]) {
      self.files = files
      log = SpoolLog.opened(files)
      reader = SpoolReader(log, records)
    }

    /// The next entry, with what has to be read for it.
    func take() -> UInt64? {
      while true {
        if let entry = reader.take() { return entry.sequence }
        guard let action = reader.nextAction() else { return nil }
        if perform(action) { reader.performed() } else { _ = reader.failed() }
      }
    }

    /// Returns whether the disk did it.
    private func perform(_ action: Spool.Action) -> Bool {
      switch action {
      case .read(let file, _, _):
        readCount += 1
        if unreadable.contains(file.first) { return false }
        records.fill(files.chunk(action), for: action)
        return true
      case .setAside(_, let aside):
        if isReadOnly { return false }
        asides.append(aside)
        return true
      default: return false
      }
    }

    func take(_ count: Int) -> [UInt64] {
      var numbers: [UInt64] = []
      while numbers.count < count, let number = take() { numbers.append(number) }
      return numbers
    }

    func takeAll() -> [UInt64] { take(.max) }

    /// Home Assistant has what was taken.
    func acknowledge() { log.acknowledge(upTo: reader.taken) }

    func rewind() { reader.rewind() }

    /// Takes an entry, trying the disk again so often.
    func take(attempts: Int) -> UInt64? {
      for _ in 1..<attempts {
        #expect(take() == nil && reader.isPostponed)
        reader.retryDue()
      }
      return take()
    }

    var losses: Spool.Losses { log.losses }

    /// The newest segment has what the file has.
    func grow(by entryCount: UInt64) {
      let newest = files[files.count - 1].bytes.count
      log.written(newest - log.newest.byteCount, entryCount: entryCount, acknowledged: 0)
    }
  }

  private static let two = [WrittenSegment(1...3), WrittenSegment(4...6)]
  private static let three = two + [WrittenSegment(7...9)]

  // MARK: Order

  @Test func everyEntryIsTakenOnceInOrder() {
    let parts = Parts(Self.two)
    #expect(parts.takeAll() == [1, 2, 3, 4, 5, 6])
    #expect(parts.reader.taken == 6)
    #expect(parts.take() == nil)
  }

  @Test func whatIsNotAcknowledgedIsTakenAgainAndNothingElse() {
    let parts = Parts(Self.two)
    _ = parts.take(2)
    parts.acknowledge()
    _ = parts.take(3)
    parts.rewind()
    #expect(parts.takeAll() == [3, 4, 5, 6])
  }

  @Test func whatWasAcknowledgedMeanwhileIsNotTaken() {
    let parts = Parts(Self.two)
    _ = parts.take(1)
    parts.log.acknowledge(upTo: 4)
    #expect(parts.takeAll() == [5, 6])
  }

  /// Invariant 3.
  @Test func aNumberThatNoEntryHasIsPassedWithTheNextThatWasFound() {
    var written = WrittenSegment(1...2)
    written.add(5)
    let parts = Parts([written])
    _ = parts.take(2)
    #expect(parts.reader.taken == 2)
    #expect(parts.take() == 5)
    #expect(parts.reader.taken == 5)
  }

  /// A write failed between the two: its numbers were skipped.
  @Test func numbersBehindTheLastEntryOfASegmentAreNotWaitedFor() {
    let parts = Parts([WrittenSegment(1...2), WrittenSegment(5...6)])
    #expect(parts.take(3) == [1, 2, 5])
    #expect(parts.reader.taken == 5)
    #expect(parts.log.acknowledged == 0, "what was taken may be taken again")
  }

  /// The segment can go: nothing of it is missing in Home Assistant.
  @Test func whereEverythingFoundWasAcknowledgedSoAreTheNumbersOfNone() {
    let parts = Parts([WrittenSegment(1...2), WrittenSegment(5...6)])
    _ = parts.take(2)
    parts.acknowledge()
    #expect(parts.take() == 5)
    #expect(parts.log.acknowledged == 4)
    #expect(parts.log.segments.map(\.first) == [5])
  }

  @Test func whatIsWrittenToTheNewestMeanwhileFollows() {
    let parts = Parts([WrittenSegment(1...3)])
    #expect(parts.takeAll() == [1, 2, 3])
    parts.files[0].add(4)
    parts.grow(by: 1)
    let before = parts.readCount
    #expect(parts.take() == 4)
    #expect(parts.readCount == before + 1, "it goes on where it was")
  }

  /// The segment whose last entry is acknowledged is deleted while it is read.
  @Test func aSegmentThatGoesTakesNothingElseWithIt() {
    let parts = Parts(Self.three)
    #expect(parts.take(3) == [1, 2, 3])
    parts.acknowledge()
    #expect(parts.log.count == 2)
    #expect(parts.take(4) == [4, 5, 6, 7])
    parts.acknowledge()
    #expect(parts.takeAll() == [8, 9])
  }

  @Test func whatIsBehindASegmentThatIsTakenOutIsTaken() {
    let parts = Parts(Self.three)
    #expect(parts.take(2) == [1, 2])
    parts.log.wasSetAside(0)
    #expect(parts.take(1) == [4])
    parts.log.wasSetAside(1)
    #expect(parts.takeAll() == [5, 6])
  }

  /// No write of a spool gives a number that belongs to another segment.
  @Test func aNumberThatIsNoneOfTheSegmentsIsPassedOver() {
    var written = WrittenSegment(1...2)
    written.add(500)
    let parts = Parts([written, WrittenSegment(4...6)])
    #expect(parts.takeAll() == [1, 2, 4, 5, 6])
  }

  // MARK: What is not read

  @Test func aDiskThatFailsIsTriedThreeMoreTimes() {
    let parts = Parts(Self.two)
    parts.unreadable = [1]
    #expect(parts.take(attempts: 3) == nil)
    #expect(parts.losses.unreadable == 0)
    parts.unreadable = []
    parts.reader.retryDue()
    #expect(parts.takeAll() == [1, 2, 3, 4, 5, 6])
  }

  @Test func nothingIsReadBeforeTheDiskIsTriedAgain() {
    let parts = Parts(Self.two)
    parts.unreadable = [1]
    #expect(parts.take() == nil)
    #expect(parts.reader.isPostponed && !parts.reader.isActionWanted)
    parts.unreadable = []
    #expect(parts.take() == nil)
    parts.reader.retryDue()
    #expect(!parts.reader.isPostponed)
    #expect(parts.take() == 1)
  }

  @Test func aSegmentThatIsNeverReadIsSetAsideAndTheNextIsTaken() {
    let parts = Parts(Self.two)
    parts.unreadable = [1]
    #expect(parts.take(attempts: Int(Spool.readAttemptsMax)) == 4)
    #expect(parts.losses.unreadable == 3 && parts.losses.setAside == 1)
    #expect(parts.asides == [SegmentFile(first: 1, kind: .aside)])
    #expect(parts.takeAll() == [5, 6])
    parts.acknowledge()
    #expect(parts.log.isSettled)
  }

  /// It is the disk that fails, and not one file.
  @Test func whereTheDiskSetsNothingAsideItIsTriedAgain() {
    let parts = Parts(Self.two)
    parts.unreadable = [1]
    parts.isReadOnly = true
    #expect(parts.take(attempts: 20) == nil)
    #expect(parts.losses == Spool.Losses())
    parts.unreadable = []
    parts.reader.retryDue()
    #expect(parts.takeAll() == [1, 2, 3, 4, 5, 6])
    #expect(parts.losses == Spool.Losses())
  }

  /// Of what was taken before, the proof may still come.
  @Test func theRestOfASegmentIsLostThatIsNotReadToItsEnd() {
    let parts = Parts([WrittenSegment(1...3000), WrittenSegment(3001...3002)])
    let taken = parts.take(100)
    #expect(taken.count == 100)
    parts.acknowledge()
    parts.unreadable = [1]
    var last: UInt64?
    while let number = parts.take() { last = number }
    for _ in 1..<Spool.readAttemptsMax {
      parts.reader.retryDue()
      while let number = parts.take() { last = number }
    }
    #expect(last == 3002)
    #expect(parts.losses.unreadable == 2900)
  }

  @Test func onlyAttemptsInARowCount() {
    let parts = Parts(Self.two)
    for _ in 0..<2 {
      parts.unreadable = [1]
      #expect(parts.take(attempts: 3) == nil)
      parts.unreadable = []
      parts.reader.retryDue()
      #expect(parts.take(4) == [1, 2, 3, 4])
      parts.rewind()
    }
    #expect(parts.losses == Spool.Losses())
  }

  // MARK: What is damaged

  @Test func entriesThatDamageTookAreCountedOnce() {
    var written = WrittenSegment(1...2)
    written.addGarbage(40)
    written.add(5)
    let parts = Parts([written, WrittenSegment(6...7)])
    for _ in 0..<2 {
      #expect(parts.takeAll() == [1, 2, 5, 6, 7])
      parts.rewind()
    }
    #expect(parts.losses.damaged == 2)
    #expect(parts.losses.damagedByteCount == 40)
  }

  @Test func numbersThatAreMissingWithoutDamageAreNoLoss() {
    var written = WrittenSegment(1...2)
    written.add(5)
    let parts = Parts([written, WrittenSegment(6...7)])
    #expect(parts.takeAll().count == 5)
    #expect(parts.losses == Spool.Losses())
  }

  @Test func whatWasAcknowledgedBeforeItWasDamagedIsNoLoss() {
    var written = WrittenSegment(1...2)
    written.addGarbage(40)
    written.add(5)
    let parts = Parts([written, WrittenSegment(6...7)])
    parts.log.acknowledge(upTo: 4)
    #expect(parts.takeAll() == [5, 6, 7])
    #expect(parts.losses.damaged == 0)
  }

  /// An earlier agent took detail out, so numbers are missing by intent.
  @Test func noMoreIsLostThanHadRoomInTheDamage() {
    var written = WrittenSegment(first: 1).thinned()
    written.add(2)
    written.addGarbage(SpoolRecord.entryByteCountMin)
    written.add(50)
    let parts = Parts([written, WrittenSegment(60...61)])
    #expect(parts.takeAll() == [2, 50, 60, 61])
    #expect(parts.losses.damaged == 1)
  }

  /// The next segment tells how many numbers there were, and the room how many entries.
  @Test(arguments: [(UInt64(5), 100, 2), (50, 60, 3)])
  func damageAtTheEndTookNoMoreThanHadRoomThere(next: UInt64, byteCount: Int, lost: Int) {
    var written = WrittenSegment(1...2)
    written.addGarbage(byteCount)
    let parts = Parts([written, WrittenSegment(next...next)])
    for _ in 0..<2 {
      #expect(parts.takeAll() == [1, 2, next])
      parts.rewind()
    }
    #expect(parts.losses.damaged == lost)
    #expect(parts.losses.damagedByteCount == byteCount)
  }

  /// The record of its name is damaged, both times.
  @Test func aReadingThatHasLostItsSensorIsLeftOutAndCountedOnce() {
    var written = WrittenSegment()
    written.add(1, sensor: 1)
    written.add(2, sensor: 2)
    let names = written.bytes.indices.dropLast(4).filter {
      written.bytes[$0] == 0xA5 && written.bytes[$0 + 2] == 1 && written.bytes[$0 + 3] == 1
    }
    #expect(names.count == 2)
    let parts = Parts([written.damaged(at: names), WrittenSegment(3...3)])
    for _ in 0..<2 {
      #expect(parts.takeAll() == [2, 3])
      parts.rewind()
    }
    #expect(parts.losses.nameless == 1)
  }

  /// Nothing is left of it that Home Assistant could prove to have.
  @Test func aSegmentOfReadingsWithoutTheirSensorGoes() {
    var written = WrittenSegment()
    written.add(1, sensor: 1)
    let names = written.bytes.indices.dropLast(4).filter {
      written.bytes[$0] == 0xA5 && written.bytes[$0 + 2] == 1 && written.bytes[$0 + 3] == 1
    }
    let parts = Parts([written.damaged(at: names), WrittenSegment(2...3)])
    #expect(parts.takeAll() == [2, 3])
    #expect(parts.log.segments.map(\.first) == [2])
    #expect(parts.losses.nameless == 1 && parts.losses.dropped == 0)
  }

  /// Nothing in it could be read anyway, whether or not the disk sets it aside.
  @Test(arguments: [false, true])
  func aFileOfNoRecordIsSetAsideAndKeepsNoOtherWaiting(isReadOnly: Bool) {
    var garbage = WrittenSegment()
    garbage.addGarbage(100)
    let parts = Parts([garbage.damaged(at: [4]), WrittenSegment(4...5)])
    parts.isReadOnly = isReadOnly
    #expect(parts.takeAll() == [4, 5])
    #expect(parts.losses.setAside == 1 && parts.losses.damaged == 0)
    #expect(parts.asides == (isReadOnly ? [] : [SegmentFile(first: 1, kind: .aside)]))
  }

  /// One with a header is the spool's, be it empty.
  @Test func anEmptySegmentIsNotSetAside() {
    let parts = Parts([WrittenSegment(), WrittenSegment(4...5)])
    #expect(parts.takeAll() == [4, 5])
    #expect(parts.losses == Spool.Losses())
  }

  @Test func aFileThatIsShorterThanItWasEndsThere() {
    let parts = Parts(Self.two)
    parts.files[0] = WrittenSegment(1...2)
    #expect(parts.takeAll() == [1, 2, 4, 5, 6])
    #expect(parts.log[0].byteCount == parts.files[0].bytes.count)
    #expect(parts.losses == Spool.Losses())
  }
}
