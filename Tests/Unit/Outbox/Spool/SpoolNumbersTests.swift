import ModelDisk
import Bytes
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
    let entryCount = rig.spool.entryCount
    #expect(entryCount == count, comment)
    #expect(waitingCount(in: rig.disk.files) == count, comment)
  }

  @Test func aTornBatchIsNotCountedAmongWhatWaits() {
    let rig = SpoolRig()
    rig.keep(0..<20)
    let whole = rig.disk.files[first] ?? []
    let torn: [[UInt8]] = [
      whole + [0xA5, 0x30, 1, 2, 3], whole + [UInt8](repeating: 0, count: 500),
    ]
    for file in torn {
      rig.disk.files = [first: file]
      let again = rig.restarted()
      expectAgreement(again, on: 20, "\(file.count) bytes")
      again.keep([20])
      expectAgreement(again, on: 21, "\(file.count) bytes")
      #expect(again.takeAll().count == 21)
      again.acknowledge()
      expectAgreement(again, on: 0, "\(file.count) bytes")
    }
  }

  @Test func aLastRecordThatIsDamagedIsNotCountedAmongWhatWaits() {
    let rig = SpoolRig()
    rig.keep(0..<20)
    let whole = rig.disk.files[first] ?? []
    var flipped = whole
    flipped[whole.count - 1] ^= 1
    for file in [flipped, Array(whole.dropLast(3))] {
      rig.disk.files = [first: file]
      expectAgreement(rig.restarted(), on: 19, "\(file.count) bytes")
    }
  }

  @Test func aWriteThatFailsAddsNothingToWhatWaits() {
    let rig = SpoolRig()
    rig.fault = { action in if case .append = action { 28 } else { nil } }
    rig.keep(0..<5)
    for _ in 0..<3 { rig.sleepUntilDeadline() }
    let entryCount = rig.spool.entryCount
    #expect(entryCount == 5)
    rig.fault = { _ in nil }
    rig.sleepUntilDeadline()
    expectAgreement(rig, on: 5, "when the disk works again")
  }

  /// The first number of the next segment tells how many there were.
  @Test func entriesBehindTheLastWholeRecordOfASegmentAreCountedAsLost() throws {
    let rig = SpoolRig(segment: 20 << 10)
    for start in stride(from: Int64(0), to: 3000, by: 100) { rig.keep(start..<start + 100) }
    let second = rig.disk.files.keys.sorted()[1]
    let byteCount = try #require(rig.disk.files[second]?.count)
    rig.disk.files[second]?.replaceSubrange(
      byteCount - 2000..<byteCount, with: [UInt8](repeating: 0, count: 2000))
    let again = rig.restarted()
    let count = again.takeAll().count
    #expect(count < 2960)
    #expect(again.losses.entryCount == 3000 - count)
    again.acknowledge()
    let entryCount = again.spool.entryCount
    #expect(entryCount == 0)
    #expect(again.losses.entryCount == 3000 - count)
  }
}
