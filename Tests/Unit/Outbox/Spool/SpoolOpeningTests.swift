import Bytes
import Sensing
import Testing

@testable import Outbox

/// What is found at the start, and which numbers it keeps from being given again.
@Suite struct SpoolOpeningTests {
  /// An opening, and the files of the directory.
  private final class Parts {
    let files: [WrittenSegment]
    let records = SegmentReader()
    let opening: SpoolOpening
    private(set) var actions: [Spool.Action] = []

    init(_ files: [WrittenSegment]) {
      self.files = files
      opening = SpoolOpening(.boat, records)
    }

    var next: Spool.Action { opening.nextAction() }
    var findings: SpoolOpening.Findings { opening.findings }
    var firsts: [UInt64] { findings.segments.map(\.first) }
    var nextNumber: UInt64 { findings.nextNumber }
    var newest: Segment? { findings.segments.last }

    /// What the spool makes of it.
    var log: SpoolLog {
      let log = SpoolLog(of: .boat, byteCountCap: 64 << 20, segmentByteCount: 1 << 20)
      log.opened(with: findings)
      return log
    }

    func found(_ file: SegmentFile, byteCount: Int) { opening.found(file, byteCount: byteCount) }

    func step() {
      actions.append(next)
      opening.step(on: files, records)
    }

    func failed() {
      actions.append(next)
      opening.failed()
    }

    /// Does actions up to one for which `isLast` holds, which is not done.
    func run(until isLast: (Spool.Action) -> Bool = { _ in false }) {
      while !opening.isOver, !isLast(next) { step() }
    }

    /// One that is over.
    func opened() -> Parts {
      run()
      return self
    }
  }

  private static func header(of first: UInt64) -> Spool.Action {
    .read(SegmentFile(first: first), offset: 0, byteCountMax: SegmentHeader.byteCount)
  }

  private static func isScan(_ action: Spool.Action) -> Bool {
    if case .read(_, let offset, _) = action { offset > 0 } else { false }
  }

  private static func setAside(_ first: UInt64) -> Spool.Action {
    .setAside(SegmentFile(first: first), as: SegmentFile(first: first, kind: .aside))
  }

  // MARK: What is looked at

  @Test func everyHeaderIsReadAndOfTheRecordsThoseOfTheNewest() {
    // A directory is in no order.
    let parts = Parts([WrittenSegment(4...6), WrittenSegment(1...3)]).opened()
    #expect(parts.actions[0] == .list)
    #expect(parts.actions[1...2] == [Self.header(of: 1), Self.header(of: 4)])
    #expect(parts.actions.dropFirst(3).dropLast().allSatisfy { Self.isScan($0) })
    #expect(parts.actions.last == .synchronize(SegmentFile(first: 4)))
    #expect(parts.firsts == [1, 4])
    #expect(parts.nextNumber == 7)
    #expect(parts.findings.isNewestOpen)
    #expect(parts.log.losses == Spool.Losses())
  }

  @Test func anEmptyDirectoryIsOverAtOnce() {
    let parts = Parts([]).opened()
    #expect(parts.actions == [.list])
    #expect(parts.nextNumber == 1 && !parts.findings.isNewestOpen)
  }

  @Test func aNewestOfAHeaderAloneIsNotReadFurtherAndTakesMore() {
    let parts = Parts([WrittenSegment(first: 9)]).opened()
    let file = SegmentFile(first: 9)
    #expect(parts.actions == [.list, Self.header(of: 9), .synchronize(file)])
    #expect(parts.nextNumber == 9 && parts.findings.isNewestOpen)
  }

  @Test func aNewestOfSeveralChunksIsReadToItsEnd() {
    let parts = Parts([WrittenSegment(1...4000)]).opened()
    #expect(parts.actions.count { Self.isScan($0) } > 2)
    #expect(parts.nextNumber == 4001)
    #expect(parts.findings.gaps.isEmpty)
  }

  @Test func whatIsAcknowledgedStandsInHeadersAndInTheNewestSegment() {
    var newest = WrittenSegment(first: 5, acknowledged: 2)
    newest.add(5)
    newest.acknowledge(3)
    let former = WrittenSegment(first: 1, acknowledged: 1)
    #expect(Parts([former, newest]).opened().findings.acknowledged == 3)
    let next = WrittenSegment(first: 9, acknowledged: 4)
    #expect(Parts([former, newest, next]).opened().findings.acknowledged == 4)
  }

  // MARK: The tail of the newest

  @Test func aTornTailIsCutAndItsNumbersAreNotGivenAgain() {
    var newest = WrittenSegment(1...3)
    let byteCount = newest.bytes.count
    newest.addGarbage(50)
    let parts = Parts([newest])
    parts.run { if case .truncate = $0 { true } else { false } }
    #expect(parts.next == .truncate(SegmentFile(first: 1), byteCount: byteCount))
    #expect(parts.findings.tornByteCount == 0)
    parts.run()
    #expect(parts.findings.isNewestOpen)
    #expect(parts.findings.tornByteCount == 50)
    #expect(parts.newest?.byteCount == byteCount)
    // Each entry takes more than a byte.
    #expect(parts.nextNumber == 54)
    #expect(parts.log.waitingCount == 3)
  }

  @Test func aTailThatIsNotCutClosesTheSegment() {
    var newest = WrittenSegment(1...3)
    newest.addGarbage(50)
    let parts = Parts([newest])
    parts.run { if case .truncate = $0 { true } else { false } }
    parts.failed()
    parts.run()
    #expect(!parts.findings.isNewestOpen)
    #expect(parts.findings.tornByteCount == 0)
    #expect(parts.nextNumber == 54)
  }

  @Test func damageInTheNewestTakesNumbersAsWell() {
    var newest = WrittenSegment(1...3)
    newest.addGarbage(50)
    newest.add(4)
    let parts = Parts([newest]).opened()
    #expect(parts.nextNumber == 55)
    #expect(parts.findings.isNewestOpen)
    #expect(parts.findings.tornByteCount == 0)
  }

  @Test func aFileThatEndsEarlierThanTheDirectorySaysIsNotTorn() {
    let newest = WrittenSegment(1...3)
    let parts = Parts([newest])
    parts.found(newest.file, byteCount: newest.bytes.count + 100)
    parts.opening.performed()
    parts.run()
    #expect(parts.newest?.byteCount == newest.bytes.count)
    #expect(parts.findings.tornByteCount == 0)
  }

  // MARK: Files that are not taken

  @Test func aFileOfAnotherDeviceIsSetAsideAndItsNumbersAreNotGiven() {
    var other = WrittenSegment(first: 10, device: .van)
    other.add(10)
    let parts = Parts([WrittenSegment(1...3), other]).opened()
    #expect(parts.firsts == [1])
    #expect(parts.log.nextRemoval == Self.setAside(10))
    #expect(parts.log.losses.setAside == 1)
    #expect(parts.nextNumber == 10 + UInt64(other.bytes.count) + 1)
    #expect(parts.findings.isNewestOpen)
  }

  @Test func aFileOfAnotherNumberThanItsNameSaysIsSetAside() {
    let parts = Parts([])
    parts.found(SegmentFile(first: 7), byteCount: SegmentHeader.byteCount)
    parts.opening.performed()
    #expect(parts.next == Self.header(of: 7))
    parts.records.fill(WrittenSegment(first: 8).bytes, for: parts.next)
    parts.opening.performed()
    #expect(parts.firsts.isEmpty)
    #expect(parts.log.nextRemoval == Self.setAside(7))
  }

  @Test(arguments: [true, false])
  func aFileThatIsLargerThanAnySegmentIsSetAside(isHeaderReadable: Bool) {
    var newest = WrittenSegment(1...3)
    if !isHeaderReadable { newest = newest.damaged(at: [4]) }
    let parts = Parts([newest])
    parts.found(newest.file, byteCount: Spool.unknownByteCount + 1)
    parts.opening.performed()
    parts.run()
    #expect(parts.log.nextRemoval == Self.setAside(1))
    #expect(parts.nextNumber == 1 + UInt64(Spool.unknownByteCount) + 1)
  }

  @Test func aFileAsLargeAsAnUnknownSizeIsASegment() {
    let newest = WrittenSegment(1...3)
    let parts = Parts([newest])
    parts.found(newest.file, byteCount: Spool.unknownByteCount)
    parts.opening.performed()
    parts.run()
    #expect(parts.firsts == [1] && parts.findings.setAsideCount == 0)
  }

  /// It may be the file of which the number was given last.
  @Test func theNumbersOfAFileThatWasSetAsideAreNotGiven() {
    let parts = Parts([WrittenSegment(1...3)])
    parts.found(SegmentFile(first: 7, kind: .aside), byteCount: 100)
    parts.run()
    #expect(parts.firsts == [1])
    #expect(parts.nextNumber == 7 + 100 + 1)
    #expect(parts.log.nextRemoval == nil)
  }

  /// The power went before there was a header.
  @Test func aFileThatIsShorterThanAHeaderIsToBeDeletedAndItsNumberIsNotGiven() {
    let parts = Parts([WrittenSegment(1...3)])
    parts.found(SegmentFile(first: 7), byteCount: SegmentHeader.byteCount - 1)
    parts.run()
    #expect(parts.firsts == [1])
    #expect(parts.log.nextRemoval == .delete(SegmentFile(first: 7)))
    #expect(parts.nextNumber == 8)
    #expect(parts.findings.setAsideCount == 0)
  }

  // MARK: Headers that cannot be read

  @Test func withoutAHeaderASegmentIsReadAndTakesNoMore() {
    let parts = Parts([WrittenSegment(1...3).damaged(at: [4])]).opened()
    #expect(parts.firsts == [1])
    #expect(parts.nextNumber == 4)
    #expect(!parts.findings.isNewestOpen)
  }

  @Test func withoutAHeaderAndARecordItIsSetAsideAndTheOneBeforeTakesMore() {
    var garbage = WrittenSegment(first: 7).damaged(at: [4])
    garbage.addGarbage(20)
    let parts = Parts([WrittenSegment(1...3), garbage]).opened()
    #expect(parts.log.nextRemoval == Self.setAside(7))
    #expect(parts.nextNumber == 7 + UInt64(garbage.bytes.count) + 1)
    #expect(parts.firsts == [1])
    #expect(parts.findings.isNewestOpen)
  }

  /// It says what Home Assistant has, if the disk reads it the next time.
  @Test func aHeaderThatTheDiskDoesNotReadIsNoGarbage() {
    let parts = Parts([WrittenSegment(first: 9, acknowledged: 8)])
    parts.run { $0 == Self.header(of: 9) }
    parts.failed()
    parts.run()
    #expect(parts.firsts == [9])
    #expect(!parts.findings.isNewestOpen)
    #expect(parts.log.losses == Spool.Losses())
  }

  // MARK: What the disk does not do

  /// Invariant 3. What the power may still take has numbers that no other entry is given: they go
  /// to another file.
  @Test func aNewestThatIsNotSynchronizedTakesNoMore() {
    let parts = Parts([WrittenSegment(1...3)])
    parts.run { $0 == .synchronize(SegmentFile(first: 1)) }
    #expect(parts.next == .synchronize(SegmentFile(first: 1)))
    parts.failed()
    #expect(parts.opening.isOver && !parts.findings.isNewestOpen)
    #expect(parts.nextNumber == 4)
  }

  @Test func aListThatFailsIsAskedForAnew() {
    let parts = Parts([WrittenSegment(1...3)])
    parts.found(SegmentFile(first: 9), byteCount: 100)
    parts.failed()
    #expect(parts.opening.isListing && !parts.opening.isOver)
    parts.run()
    #expect(parts.firsts == [1], "what was told of it before is forgotten")
  }

  /// Invariant 2.
  @Test func aHeaderThatIsNotReadKeepsItsNumbersAndItsPlace() {
    let middle = WrittenSegment(50...52)
    let parts = Parts([WrittenSegment(1...3), middle])
    parts.run { $0 == Self.header(of: 50) }
    parts.failed()
    #expect(parts.nextNumber == 50 + UInt64(middle.bytes.count) + 1)
    parts.run()
    #expect(parts.firsts == [1, 50])
    #expect(parts.log.losses == Spool.Losses())
  }

  /// Invariant 2.
  @Test func aNewestThatIsNotReadKeepsItsNumbersAndTakesNoMore() {
    let newest = WrittenSegment(1...4000)
    let parts = Parts([newest])
    parts.run { Self.isScan($0) }
    parts.step()
    parts.failed()
    #expect(parts.next == .synchronize(SegmentFile(first: 1)), "it may be read and taken later")
    parts.run()
    #expect(parts.opening.isOver && !parts.findings.isNewestOpen)
    #expect(parts.nextNumber == 1 + UInt64(newest.bytes.count) + 1)
    #expect(parts.firsts == [1])
  }
}
