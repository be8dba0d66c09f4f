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
