import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct SpoolNewestFirstTests {
  // MARK: Order

  @Test(arguments: [Spool.segmentByteCount, 100 << 10, 8 << 10])
  func theNewestBlockComesFirstAndEachAsItCame(segment: Int) {
    let rig = SpoolRig.withTwelveBlocks(segment: segment).restarted(order: .newestFirst)
    let numbers = rig.takeAll().numbers
    #expect(numbers.count == 9000)
    let blocks = numbers.blocks
    #expect(blocks.count > 10)
    #expect(blocks.reversed().flatMap { $0 } == Array(0..<9000))
    // A record of these takes 27 bytes or more.
    #expect(blocks.allSatisfy { $0.count <= Spool.recentByteCount / 27 + 1 })
    #expect(rig.losses == Spool.Losses())
  }

  @Test func whatIsWrittenMeanwhileFollowsTheBlockUnderWay() {
    let all = SpoolRig.withTwelveBlocks().takeAll().numbers.blocks
    let rig = SpoolRig.withTwelveBlocks()
    for _ in 0..<all[0].count + 5 { _ = rig.take() }
    rig.keep(9000..<9010)
    let rest = rig.takeAll().numbers
    let expected = [Array(all[1].dropFirst(5)), Array(9000..<9010)] + all.dropFirst(2)
    #expect(rest == expected.flatMap { $0 })
  }

  @Test func whatIsInMemoryOnlyComesFirst() {
    let rig = SpoolRig(order: .newestFirst)
    rig.keep(1...3)
    for number in Int64(4)...7 { rig.record(number) }
    #expect(rig.takeAll().numbers == [4, 5, 6, 7, 1, 2, 3])
    rig.acknowledge()
    #expect(rig.isEmpty)
    #expect(rig.inMemory == 0)
  }

  @Test func whatIsNotAcknowledgedIsTakenAgain() {
    let rig = SpoolRig.withTwelveBlocks()
    let first = rig.takeBlock()
    rig.spool.rewind()
    #expect(rig.takeBlock() == first)
    rig.acknowledge()
    let second = rig.takeBlock()
    rig.spool.rewind()
    #expect(rig.takeBlock() == second)
    #expect(Set(first).isDisjoint(with: second))
  }

  @Test func aMessageInTheMiddleOfABlockIsAcknowledgedAsFarAsItGoes() {
    let rig = SpoolRig.withTwelveBlocks()
    for _ in 0..<5 { _ = rig.take() }
    let position = rig.spool.position
    for _ in 0..<5 { _ = rig.take() }
    rig.spool.acknowledged(upTo: position)
    rig.spool.rewind()
    let rest = rig.takeAll().numbers
    #expect(rest.count == 8995)
    #expect(Set(rest).count == 8995)
  }

  @Test func theOrderMayChangeFromOneStartToTheNext() {
    var rig = SpoolRig.withTwelveBlocks(segment: 64 << 10)
    var taken: [Int64] = []
    for round in 0..<8 {
      taken += rig.takeBlock()
      rig.acknowledge()
      rig.keep([Int64(9000 + round)])
      rig = rig.restarted(order: round % 2 == 0 ? .oldestFirst : .newestFirst)
    }
    taken += rig.takeAll().numbers
    #expect(taken.sorted() == Array(0..<9008))
  }

  private func takeAll(_ rig: SpoolRig, upTo end: SpoolPosition) -> [Int64] {
    var numbers: [Int64] = []
    while true {
      if let entry = rig.spool.take(upTo: end) {
        if case .reading(_, .number(let number)) = entry.content {
          numbers.append(number.coefficient)
        }
      } else if rig.spool.isReading {
        rig.settle()
      } else {
        return numbers
      }
    }
  }

  /// The end is in the middle of a block.
  @Test(arguments: [Spool.segmentByteCount, 20 << 10])
  func nothingBehindAnEndIsTakenAndNothingBeforeItIsLost(segment: Int) {
    let rig = SpoolRig.withTwelveBlocks(segment: segment)
    let end = rig.spool.end
    rig.keep(9000..<9100)
    rig.record(9100)
    // Wherever the end is, what was found for another one is no use.
    for _ in 0..<3 { _ = rig.take() }
    rig.spool.rewind()
    let before = takeAll(rig, upTo: end)
    #expect(Set(before) == Set(0..<9000))
    #expect(before.count == 9000)
    rig.acknowledge()
    #expect(rig.takeAll().numbers == [9100] + Array(9000..<9100))
  }

  @Test func anEndThatIsNearerMidwayLosesNothing() {
    let rig = SpoolRig(order: .newestFirst)
    rig.keep(0..<500)
    let nearer = rig.spool.end
    rig.keep(500..<600)
    let first = (0..<10).compactMap { _ in rig.take()?.number }
    #expect(first == Array(0..<10))
    #expect(takeAll(rig, upTo: nearer) == Array(10..<500))
    rig.acknowledge()
    rig.spool.rewind()
    #expect(rig.takeAll().numbers == Array(500..<600))
  }

  // MARK: What was acknowledged

  @Test func acknowledgedBlocksAreNotTakenAgainAfterARestart() {
    let rig = SpoolRig.withTwelveBlocks()
    var taken: [Int64] = []
    for _ in 0..<3 { taken += rig.takeBlock() }
    rig.acknowledge()
    rig.keep([9000])
    let rest = rig.restarted(order: .newestFirst).takeAll().numbers
    #expect(rest.count + taken.count == 9001)
    #expect(Set(rest).isDisjoint(with: taken))
    // The other order knows it as well.
    let ascending = rig.restarted().takeAll().numbers
    #expect(ascending == rest.sorted())
  }

  @Test func theRangesGoOnIntoTheNextSegment() {
    let rig = SpoolRig.withTwelveBlocks(segment: 20 << 10)
    let taken = Set(rig.takeBlock())
    rig.acknowledge()
    for start in stride(from: Int64(9000), to: 12_000, by: 300) { rig.keep(start..<start + 300) }
    let rest = rig.restarted(order: .newestFirst).takeAll().numbers
    #expect(Set(rest).isDisjoint(with: taken))
    #expect(rest.count + taken.count == 12_000)
  }

  @Test func aSegmentIsDeletedWhereverItStandsOnceAllOfItIsAcknowledged() {
    let rig = SpoolRig.withTwelveBlocks(segment: 20 << 10)
    let before = rig.disk.files.keys.sorted()
    #expect(before.count > 10)
    while (rig.takeBlock().first ?? 0) > 5000 {}
    rig.acknowledge()
    let after = rig.disk.files.keys.sorted()
    #expect(after.count < before.count - 4)
    #expect(after.first == before.first)
    #expect(after.last == before.last)
    #expect(rig.takeAll().numbers.count > 3000)
    rig.acknowledge()
    #expect(rig.disk.files.count == 1)
    #expect(rig.isEmpty)
    #expect(rig.restarted(order: .newestFirst).isEmpty)
  }

  @Test func manyHolesAreForgottenAndNothingIsLost() {
    let rig = SpoolRig(order: .newestFirst)
    var delivered: Set<Int64> = []
    for round in Int64(0)..<20 {
      rig.keep(round * 1000..<round * 1000 + 500)
      rig.keep(round * 1000 + 500..<round * 1000 + 1000)
      // The newest block has some entries of which a few are taken.
      for _ in 0..<7 {
        if let number = rig.take()?.number { delivered.insert(number) }
      }
      rig.acknowledge()
      rig.spool.rewind()
    }
    #expect(rig.spool.start.numbers.rangeCount == SequenceSet.rangeCountMax)
    let again = rig.restarted(order: .newestFirst)
    let rest = again.takeAll().numbers
    #expect(Set(rest).count == rest.count)
    #expect(Set(rest).union(delivered) == Set(0..<20_000))
  }

  @Test func whatIsAcknowledgedIsNoLossWhenItsSegmentGoes() {
    let rig = SpoolRig(order: .newestFirst, cap: 96 << 10, segment: 8 << 10)
    for start in stride(from: Int64(0), to: 2000, by: 50) { rig.keep(start..<start + 50) }
    let taken = (0..<1000).compactMap { _ in rig.take()?.number }
    rig.acknowledge()
    for start in stride(from: Int64(2000), to: 20_000, by: 50) { rig.keep(start..<start + 50) }
    let rest = rig.takeAll().numbers
    #expect(Set(rest).isDisjoint(with: taken))
    #expect(rest.count + taken.count + rig.losses.thinned + rig.losses.dropped == 20_000)
  }

  // MARK: What it costs

  @Test func aBatchIsOneWriteAndOneFsyncWithRangesAsWell() {
    let rig = SpoolRig.withTwelveBlocks()
    _ = rig.takeBlock()
    rig.forgetActions()
    rig.acknowledge()
    #expect(rig.actions.isEmpty)
    rig.keep(9000..<9100)
    let file = SegmentFile(first: 1)
    #expect(rig.actions == [.append(file), .synchronize(file)])
  }

  @Test func rangesAreWrittenOnceUntilThereAreOthers() {
    let rig = SpoolRig.withTwelveBlocks()
    _ = rig.takeBlock()
    rig.acknowledge()
    let sizes = (Int64(9000)..<9003).map { number in
      let before = rig.disk.byteCount
      rig.keep([number])
      return rig.disk.byteCount - before
    }
    // A record of two ranges: the newest block, and a part of the one below.
    #expect(sizes[0] == sizes[1] + 39)
    #expect(sizes[1] == sizes[2])
  }

  @Test func thousandsOfAcknowledgedEntriesAreWorthAWriteOfTheirOwn() {
    let rig = SpoolRig.withTwelveBlocks()
    for _ in 0..<5000 { _ = rig.take() }
    rig.forgetActions()
    rig.acknowledge()
    #expect(rig.actions.count == 2)
    #expect(rig.restarted(order: .newestFirst).takeAll().count == 4000)
  }

  @Test func aBlockIsReadOnceAndTheSegmentOnceBeforeItsLastBlock() {
    let rig = SpoolRig.withTwelveBlocks().restarted(order: .newestFirst)
    let size = rig.disk.byteCount
    rig.forgetActions()
    _ = rig.take()
    #expect(rig.bytesRead <= size + SegmentReader.windowByteCount)
    rig.forgetActions()
    #expect(rig.takeAll().count == 8999)
    #expect(rig.bytesRead <= size * 3 / 2)
    #expect(rig.chunks <= 13)
    #expect(rig.actions.count == rig.chunks)
  }
}
