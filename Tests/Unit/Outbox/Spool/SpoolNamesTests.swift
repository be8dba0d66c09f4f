import Bytes
import Sensing
import Testing

@testable import Outbox

/// Of which sensor a reading is, whatever became of the names.
@Suite struct SpoolNamesTests {
  private let name = SegmentFile(first: 1).text

  @Test func aSlotThatWasRenamedKeepsBothNamesWhereTheyBelong() {
    let rig = SpoolRig()
    for start in stride(from: Int64(0), to: 2000, by: 500) { rig.keep(start..<start + 500) }
    let other = rig.restarted()
    for number in Int64(2000)..<4000 {
      let reading = Reading(
        sensor: SensorIndex(0), value: .number(FixedPoint(number)), time: WallTime(nanoseconds: 0))
      other.spool.record(reading, of: [UInt8]("pump".utf8), isTimeTrusted: true)
      if number % 500 == 499 { other.closeBatch() }
    }
    let taken = other.takeAll()
    #expect(taken.numbers == Array(0..<4000))
    #expect(taken.allSatisfy { $0.sensor == ($0.number ?? 0 < 2000 ? "sensor0" : "pump") })
  }

  /// The names stand at the start; with both gone nothing says whose the readings are, until the
  /// next start, which says it again.
  @Test func aNameThatIsLostIsNotGuessedAndCountedOnce() {
    let rig = SpoolRig()
    rig.keep(0..<1500)
    let later = rig.restarted()
    later.keep(1500..<3000)
    later.disk.files[name]?.replaceSubrange(50..<52, with: [0, 0])
    later.disk.files[name]?.replaceSubrange(65..<67, with: [0, 0])
    let again = later.restarted()
    for _ in 0..<2 {
      #expect(again.takeAll().numbers == Array(1500..<3000))
      #expect(again.losses.nameless == 1500)
      #expect(again.losses.damagedByteCount == 30)
      again.spool.rewind()
    }
  }

  @Test func aLostNameOfWhatIsAcknowledgedIsNoLoss() {
    let rig = SpoolRig()
    rig.keep(0..<10)
    for _ in 0..<4 { _ = rig.take() }
    rig.acknowledge()
    rig.keep([10])
    for place in [50, 65] { rig.disk.files[name]?[place] ^= 1 }
    let again = rig.restarted()
    #expect(again.takeAll().isEmpty)
    #expect(again.losses.nameless == 7)
    #expect(again.isEmpty)
  }
}
