import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct SpoolNewestFirstDamageTests {
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

  /// From a table, not from the writer: one byte more or less, no range, a range that ends before
  /// it begins, one that begins with nothing.
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
    #expect(taken.numbers.blocks.count > 3)
    #expect(taken.numbers.blocks.reversed().flatMap { $0 } == Array(0..<4000))
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
    let rig = SpoolRig.withTwelveBlocks()
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
