import ModelDisk
import Bytes
import Sensing
import Testing

@testable import Outbox

/// What people are shown, by the agent and by who only looks, is the same: after damage, too.
@Suite struct SpoolNumbersTests {
  private let first = SegmentFile(first: 1).text

  /// As `homeward spool list` counts.
  private func waitingCount(in files: [String: [UInt8]]) -> Int {
    SpoolArchiveTests.read(files).waiting.count
  }

  private func expectAgreement(_ rig: SpoolRig, on count: Int, _ comment: Comment) {
    #expect(rig.spool.entryCount == count, comment)
    #expect(waitingCount(in: rig.disk.files) == count, comment)
  }

  @Test func aTornEndIsNotCountedAmongWhatWaits() {
    let rig = SpoolRig()
    rig.keep(0..<20)
    let whole = rig.disk.files[first] ?? []
    var flipped = whole
    flipped[whole.count - 1] ^= 1
    let torn: [([UInt8], Int)] = [
      (whole + [0xA5, 0x30, 1, 2, 3], 20), (whole + [UInt8](repeating: 0, count: 500), 20),
      (flipped, 19), (Array(whole.dropLast(3)), 19),
    ]
    for (file, count) in torn {
      rig.disk.files = [first: file]
      let again = rig.restarted()
      expectAgreement(again, on: count, "\(file.count) bytes")
      again.keep([20])
      expectAgreement(again, on: count + 1, "\(file.count) bytes")
      #expect(again.takeAll().count == count + 1)
      again.acknowledge()
      expectAgreement(again, on: 0, "\(file.count) bytes")
    }
  }

  @Test func aWriteThatFailsAddsNothingToWhatWaits() {
    let rig = SpoolRig()
    rig.fault = { action in if case .append = action { 28 } else { nil } }
    rig.keep(0..<5)
    for _ in 0..<3 { rig.sleepUntilDeadline() }
    #expect(rig.spool.entryCount == 5)
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    expectAgreement(rig, on: 5, "when the disk works again")
  }
}

@Suite struct SpoolLossesTests {
  /// The agent says how many entries are gone; an export and a person add them to what arrived.
  @Test func everyEntryThatIsGoneIsCountedOnce() {
    var losses = Spool.Losses()
    losses.dropped = 1
    losses.overflowed = 2
    losses.damaged = 4
    losses.unreadable = 8
    losses.nameless = 16
    // These are no entries.
    losses.damagedByteCount = 32
    losses.tornByteCount = 64
    losses.setAside = 128
    #expect(losses.entryCount == 31)
  }
}

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
