import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct SpoolNewestFirstTests {
  /// 12 blocks in one segment, of which nobody took anything.
  private func rig(segment: Int = Spool.segmentByteCount) -> SpoolRig {
    let rig = SpoolRig(order: .newestFirst, segment: segment)
    for start in stride(from: Int64(0), to: 9000, by: 300) { rig.keep(start..<start + 300) }
    return rig
  }

  /// Splits what was taken where it goes back.
  private func blocks(_ numbers: [Int64]) -> [[Int64]] {
    numbers.reduce(into: []) { blocks, number in
      if let last = blocks.last?.last, last < number {
        blocks[blocks.count - 1].append(number)
      } else {
        blocks.append([number])
      }
    }
  }

  private func takeBlock(_ rig: SpoolRig) -> [Int64] {
    // A block has more entries than this; so the next one is not begun.
    (0..<500).compactMap { _ in rig.take()?.number }
  }

  // MARK: Order

  @Test(arguments: [Spool.segmentByteCount, 100 << 10, 8 << 10])
  func theNewestBlockComesFirstAndEachAsItCame(segment: Int) {
    let rig = rig(segment: segment).restarted(order: .newestFirst)
    let numbers = rig.takeAll().numbers
    #expect(numbers.count == 9000)
    let blocks = blocks(numbers)
    #expect(blocks.count > 10)
    #expect(blocks.reversed().flatMap { $0 } == Array(0..<9000))
    // A record of these takes 27 bytes or more.
    #expect(blocks.allSatisfy { $0.count <= Spool.recentByteCount / 27 + 1 })
    #expect(rig.losses == Spool.Losses())
  }

  @Test func whatIsWrittenMeanwhileFollowsTheBlockUnderWay() {
    let all = blocks(rig().takeAll().numbers)
    let rig = rig()
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
    let rig = rig()
    let first = takeBlock(rig)
    rig.spool.rewind()
    #expect(takeBlock(rig) == first)
    rig.acknowledge()
    let second = takeBlock(rig)
    rig.spool.rewind()
    #expect(takeBlock(rig) == second)
    #expect(Set(first).isDisjoint(with: second))
  }

  @Test func aMessageInTheMiddleOfABlockIsAcknowledgedAsFarAsItGoes() {
    let rig = rig()
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
    var rig = rig(segment: 64 << 10)
    var taken: [Int64] = []
    for round in 0..<8 {
      taken += takeBlock(rig)
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
    let rig = rig(segment: segment)
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
    let rig = rig()
    var taken: [Int64] = []
    for _ in 0..<3 { taken += takeBlock(rig) }
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
    let rig = rig(segment: 20 << 10)
    let taken = Set(takeBlock(rig))
    rig.acknowledge()
    for start in stride(from: Int64(9000), to: 12_000, by: 300) { rig.keep(start..<start + 300) }
    let rest = rig.restarted(order: .newestFirst).takeAll().numbers
    #expect(Set(rest).isDisjoint(with: taken))
    #expect(rest.count + taken.count == 12_000)
  }

  @Test func aSegmentIsDeletedWhereverItStandsOnceAllOfItIsAcknowledged() {
    let rig = rig(segment: 20 << 10)
    let before = rig.disk.files.keys.sorted()
    #expect(before.count > 10)
    while (takeBlock(rig).first ?? 0) > 5000 {}
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
    #expect(rig.spool.acknowledged.rangeCount == SequenceSet.rangeCountMax)
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
    let rig = rig()
    _ = takeBlock(rig)
    rig.forgetActions()
    rig.acknowledge()
    #expect(rig.actions.isEmpty)
    rig.keep(9000..<9100)
    let file = SegmentFile(first: 1)
    #expect(rig.actions == [.append(file), .synchronize(file)])
  }

  @Test func thousandsOfAcknowledgedEntriesAreWorthAWriteOfTheirOwn() {
    let rig = rig()
    for _ in 0..<5000 { _ = rig.take() }
    rig.forgetActions()
    rig.acknowledge()
    #expect(rig.actions.count == 2)
    #expect(rig.restarted(order: .newestFirst).takeAll().count == 4000)
  }

  @Test func aBlockIsReadOnceAndTheSegmentOnceBeforeItsLastBlock() {
    let rig = rig().restarted(order: .newestFirst)
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

  // MARK: Damage

  /// A segment that says of ranges what was acknowledged, and of a prefix.
  @Test func aByteThatFlipsInARecordOfRangesLosesNothing() {
    let rig = SpoolRig(order: .newestFirst, segment: 32 << 10)
    for start in stride(from: Int64(0), to: 1200, by: 100) { rig.keep(start..<start + 100) }
    let delivered = Set((0..<40).compactMap { _ in rig.take()?.number })
    rig.acknowledge()
    rig.keep(1200..<1203)
    let name = rig.disk.files.keys.max() ?? ""
    let whole = rig.disk.files[name] ?? []
    let record = whole.indices.dropLast(2).last { whole[$0] == 0xA5 && whole[$0 + 2] == 5 } ?? 0
    #expect(record > 0)
    for place in record..<record + 39 {
      let again = rig.restarted(order: .newestFirst, opens: false)
      again.disk.files[name]?[place] ^= 0x10
      again.settle()
      let taken = again.takeAll().numbers
      #expect(Set(taken) == Set(0..<1203), "byte \(place)")
      #expect(again.losses.damagedByteCount == 39, "byte \(place)")
    }
    #expect(Set(rig.restarted().takeAll().numbers) == Set(0..<1203).subtracting(delivered))
  }

  /// From a table, not from the writer: one byte more or less, no range, a range that ends before it
  /// begins, one that begins with nothing.
  @Test(
    arguments: [
      [], [1, 0, 0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0],
      [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F],
      [1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func aRecordOfRangesThatMakeNoSenseIsNone(body: [UInt8]) {
    let salt = SegmentSalt(first: 1, device: .boat)
    var bytes: [UInt8] = [0xA5, UInt8(body.count), 5] + body
    var checksum = salt.checksum
    checksum.update(bytes.span.extracting(1...))
    for byte in 0..<4 {
      bytes.append(UInt8(truncatingIfNeeded: checksum.value >> UInt32(8 * byte)))
    }
    #expect(SpoolRecord(bytes.span, first: 1, salt: salt.checksum) == nil)
  }

  @Test func aSlotThatWasRenamedKeepsBothNamesWhereTheyBelong() {
    let rig = SpoolRig(order: .newestFirst)
    for start in stride(from: Int64(0), to: 2000, by: 500) { rig.keep(start..<start + 500) }
    let other = rig.restarted(order: .newestFirst)
    for number in Int64(2000)..<4000 {
      let reading = Reading(
        sensor: SensorIndex(0), value: .number(FixedPoint(number)), time: WallTime(nanoseconds: 0))
      other.spool.record(reading, of: [UInt8]("pump".utf8), isTimeTrusted: true)
      if number % 500 == 499 { other.closeBatch() }
    }
    let taken = other.takeAll()
    #expect(blocks(taken.numbers).count > 3)
    #expect(blocks(taken.numbers).reversed().flatMap { $0 } == Array(0..<4000))
    #expect(taken.allSatisfy { $0.sensor == ($0.number ?? 0 < 2000 ? "sensor0" : "pump") })
  }

  /// The names stand at the start; with both gone nothing says whose the readings are, until the
  /// next start, which says it again.
  @Test(arguments: Spool.Order.allCases)
  func aNameThatIsLostIsNotGuessedAndCountedOnce(order: Spool.Order) {
    let rig = SpoolRig()
    rig.keep(0..<1500)
    let later = rig.restarted()
    later.keep(1500..<3000)
    let name = SegmentFile(first: 1).text
    later.disk.files[name]?.replaceSubrange(50..<52, with: [0, 0])
    later.disk.files[name]?.replaceSubrange(65..<67, with: [0, 0])
    let again = later.restarted(order: order)
    #expect(again.takeAll().numbers.sorted() == Array(1500..<3000))
    #expect(again.losses.nameless == 1500)
    again.spool.rewind()
    #expect(again.takeAll().count == 1500)
    #expect(again.losses.nameless == 1500)
    #expect(again.losses.damagedByteCount == 30)
  }

  @Test(arguments: Spool.Order.allCases)
  func aLostNameOfWhatIsAcknowledgedIsNoLoss(order: Spool.Order) {
    let rig = SpoolRig()
    rig.keep(0..<10)
    for _ in 0..<4 { _ = rig.take() }
    rig.acknowledge()
    rig.keep([10])
    let name = SegmentFile(first: 1).text
    for place in [50, 65] { rig.disk.files[name]?[place] ^= 1 }
    let again = rig.restarted(order: order)
    #expect(again.takeAll().isEmpty)
    #expect(again.losses.nameless == 7)
  }

  @Test func damageBetweenTheBlocksIsCountedOnce() {
    let rig = rig()
    let name = SegmentFile(first: 1).text
    let place = 3 * Spool.recentByteCount
    rig.disk.files[name]?.replaceSubrange(
      place - 2000..<place + 2000, with: [UInt8](repeating: 0, count: 4000))
    let again = rig.restarted(order: .newestFirst)
    let numbers = again.takeAll().numbers
    let ascending = rig.restarted().takeAll().numbers
    #expect(numbers.sorted() == ascending)
    #expect((4000...4060).contains(again.losses.damagedByteCount))
    again.spool.rewind()
    #expect(again.takeAll().count == numbers.count)
    #expect((4000...4060).contains(again.losses.damagedByteCount))
    again.acknowledge()
    #expect(again.isEmpty)
  }
}
