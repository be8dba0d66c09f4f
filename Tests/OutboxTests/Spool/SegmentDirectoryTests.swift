import Testing

@testable import Outbox

/// Which segments there are, and what has to become smaller.
@Suite struct SegmentDirectoryTests {
  private static let segment = 16 << 10
  /// Room for eight segments of four blocks and the two that are kept free, each a block larger.
  private static let cap = 8 * segment + 2 * (segment + Spool.blockByteCount)

  private func directory(_ sizes: Int...) -> SegmentDirectory {
    let directory = SegmentDirectory(
      of: .boat, byteCountCap: Self.cap, segmentByteCount: Self.segment)
    // A directory is in no order.
    for (index, size) in sizes.enumerated().reversed() {
      directory.found(SegmentFile(first: UInt64(index) * 100 + 1), byteCount: size)
    }
    directory.sort()
    return directory
  }

  @Test func numbersBelongToTheSegmentThatBeginsAtThemOrBefore() {
    let directory = directory(100, 100, 100)
    #expect(directory.numbers(of: 0, before: 250) == 1...100)
    #expect(directory.numbers(of: 2, before: 250) == 201...249)
    #expect(directory.numbers(of: 2, before: 201) == nil)
    #expect(directory.index(of: 100) == 0)
    #expect(directory.index(of: 101) == 1)
    #expect(directory.index(of: 999) == 2)
  }

  @Test func everyFileTakesWholeBlocks() {
    #expect(directory(0, 1, 4096, 4097).occupiedByteCount == 5 * 4096)
  }

  @Test func theOldestIsThinnedThreeTimesThenTheNextAndThenTheOldestGoes() throws {
    let full = Self.segment
    let directory = directory(full, full, full, full, full, full, full, full)
    #expect(directory.nextCompaction == nil)
    directory.created(first: 801)
    for victim in [0, 0, 0, 1] {
      let next = try #require(directory.nextCompaction)
      #expect(next.index == victim)
      #expect(next.isThinned)
      directory[victim].thinned(to: full)
    }
    for index in 1..<8 { directory[index].keepsItsDetail() }
    let last = try #require(directory.nextCompaction)
    #expect(last.index == 0)
    #expect(!last.isThinned)
  }

  @Test func aSegmentThatCannotBeDeletedIsLeftOut() throws {
    let full = Self.segment
    let directory = directory(full, full, full, full, full, full, full, full, full)
    for _ in 0..<Spool.deletionAttemptsMax { directory[0].deletionFailed() }
    #expect(try #require(directory.nextCompaction).index == 1)
  }

  @Test func aCopyForWhichThereIsNoRoomIsNotMade() throws {
    let full = Self.segment
    let nine = directory(full, full, full, full, full, full, full, full, full)
    #expect(try #require(nine.nextCompaction).isThinned)
    let ten = directory(full, full, full, full, full, full, full, full, full, full)
    let next = try #require(ten.nextCompaction)
    #expect(!next.isThinned)
    #expect(next.index == 0)
  }

  @Test func aWriteHasRoomBesideACopyOrHasNot() {
    let full = Self.segment
    let directory = directory(full, full, full, full, full, full, full, full, 100)
    let free = Self.cap - directory.occupiedByteCount
    // The newest may grow from one block to a full segment.
    #expect(directory.hasRoomForWrite(toNew: false, besideCopyOf: free - full))
    #expect(!directory.hasRoomForWrite(toNew: false, besideCopyOf: free - full + 4096))
    let new = full + Spool.blockByteCount
    #expect(directory.hasRoomForWrite(toNew: true, besideCopyOf: free - new))
    #expect(!directory.hasRoomForWrite(toNew: true, besideCopyOf: free - new + 4096))
  }

  @Test func aLeftoverThatIsNeverDeletedTakesItsRoom() {
    let directory = directory(100)
    directory.leave(SegmentFile(first: 1, kind: .thinned), byteCount: 5000)
    #expect(directory.occupiedByteCount == 4096 + 8192)
    for _ in 0..<Spool.deletionAttemptsMax { directory.leftoverDeletionFailed() }
    #expect(directory.nextLeftover == nil)
    #expect(directory.occupiedByteCount == 4096 + 8192)
  }

  @Test func aLeftoverThatIsDeletedGivesItsRoomBack() {
    let directory = directory(100)
    directory.leave(SegmentFile(first: 1, kind: .thinned), byteCount: 5000)
    directory.leftoverDeleted()
    #expect(directory.nextLeftover == nil)
    #expect(directory.occupiedByteCount == 4096)
  }

  /// Where it is not cut, the next batch goes to another file, and this one stays as it is.
  @Test func whatAFailedWriteMayHaveLeftTakesItsRoomUntilItIsCut() {
    let directory = directory(100)
    directory.newest.writeFailed(byteCount: 5000)
    #expect(directory.occupiedByteCount == 8192)
    directory.newest.writeFailed(byteCount: 10)
    #expect(directory.occupiedByteCount == 8192)
    directory.newest.wasCut()
    #expect(directory.occupiedByteCount == 4096)
  }

  /// What is told of damage is what is new of it.
  @Test func whatIsFoundTwiceInASegmentIsToldOnce() {
    var segment = Segment(first: 1, byteCount: 100)
    let found = [10, 10, 15].map { segment.damageFound(byteCount: $0) }
    #expect(found == [10, 0, 5])
    segment.thinned(to: 50)
    let afterwards = segment.damageFound(byteCount: 3)
    #expect(afterwards == 3)
  }
}
