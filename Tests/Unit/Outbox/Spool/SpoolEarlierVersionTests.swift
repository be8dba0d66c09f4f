import Bytes
import ModelDisk
import Sensing
import Testing

@testable import Outbox

/// What an earlier agent wrote: it took detail out of old segments, and sent the newest entries
/// first where a person wanted that.
@Suite struct SpoolEarlierVersionTests {
  private func rig(on files: WrittenSegment...) -> SpoolRig {
    let disk = ModelDisk()
    for file in files { disk.files[file.file.text] = file.bytes }
    return SpoolRig(disk)
  }

  /// Made by another program, from the table: a segment that was thinned twice, with the entries 2,
  /// 4 and 8, of which Home Assistant has all up to 2, and 8.
  private static let thinned =
    "485753500100020001000000000000000000000000000000080706050403020109000000000000003c8cef1f"
    + "a508010073656e736f7230fcd324bb"
    + "a508010073656e736f7230fcd324bb"
    + "a51402010200000000000000800002000000000000000084f5819e"
    + "a514020304000000000000008000040000000000000000ed33f75b"
    + "a514020708000000000000008000080000000000000000cec9f6d4"
    + "a508040200000000000000a96d69fa"
    + "a51005080000000000000008000000000000009f80e0fe"

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0..<$0 + 2]), radix: 16)
    }
  }

  @Test func itsBytesAreRead() {
    let disk = ModelDisk()
    disk.files[SegmentFile(first: 1).text] = Self.bytes(Self.thinned)
    let rig = SpoolRig(disk)
    let taken = rig.takeAll()
    #expect(taken.map(\.sequence) == [4, 8])
    #expect(taken.numbers == [4, 8] && taken.allSatisfy { $0.sensor == "sensor0" })
    #expect(rig.losses == Spool.Losses())
  }

  /// What was acknowledged out of order comes twice; nothing that was not is passed over.
  @Test func ofAcknowledgedRangesTheEntriesAreSentAgain() {
    var written = WrittenSegment(1...10)
    written.acknowledge(3)
    written.addRanges(6...8, 10...10)
    let rig = rig(on: written)
    #expect(rig.takeAll().map(\.sequence) == (4...10).map { UInt64($0) })
    #expect(rig.losses == Spool.Losses())
    rig.acknowledge()
    #expect(rig.isEmpty)
  }

  @Test func rangesWithoutAnythingBeforeThemAcknowledgeNothing() {
    var written = WrittenSegment(1...5)
    written.addRanges(2...5)
    #expect(rig(on: written).takeAll().map(\.sequence) == (1...5).map { UInt64($0) })
  }

  /// It deleted a segment wherever that stood once all of it was acknowledged.
  @Test func aSegmentThatIsMissingBetweenOthersIsNotWaitedFor() {
    var newest = WrittenSegment(10...12)
    newest.addRanges(4...9)
    let rig = rig(on: WrittenSegment(1...3), newest)
    #expect(rig.takeAll().map(\.sequence) == [1, 2, 3, 10, 11, 12])
    #expect(rig.losses == Spool.Losses())
    rig.acknowledge()
    #expect(rig.isEmpty)
  }

  @Test func aSegmentThatWasThinnedTakesMore() {
    var newest = WrittenSegment(first: 1).thinned()
    newest.add(2)
    let rig = rig(on: newest)
    rig.keep([9])
    #expect(rig.disk.files.count == 1)
    #expect(rig.restarted().takeAll().map(\.sequence) == [2, 3])
  }

  /// A copy that a power cut left, of which the segment is there.
  @Test func aCopyThatWasNotFinishedIsRemoved() {
    let rig = SpoolRig()
    rig.keep([1])
    rig.disk.files["0000000000000001.thinned"] = [1, 2, 3]
    let again = rig.restarted()
    #expect(again.disk.files.keys.sorted() == ["0000000000000001.spool"])
    #expect(again.takeAll().numbers == [1])
  }

  /// An export does not know better than the agent.
  @Test func theArchiveShowsTheEntriesOfRangesAsWaiting() {
    let reading = SpoolArchiveTests.read([SegmentFile(first: 1).text: Self.bytes(Self.thinned)])
    #expect(reading.waiting == [4, 8])
    #expect(reading.segments.first?.condition == .intact)
    #expect(reading.segments.first?.damagedByteCount == 0)
  }
}
