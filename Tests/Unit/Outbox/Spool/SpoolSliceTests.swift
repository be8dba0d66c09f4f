import Bytes
import ModelDisk
import Sensing
import Testing

@testable import Outbox

/// One wake-up of the agent does a bounded piece of work on the disk, however much there is to do.
@Suite struct SpoolSliceTests {
  /// A slice, the chunk that ends it, and one batch of fresh readings.
  private static let byteCountMax =
    Spool.sliceByteCount + SegmentReader.windowByteCount + Spool.outgoingByteCountMax
  /// A slice of the smallest actions, and those of a batch.
  private static let actionCountMax = Spool.sliceByteCount / Spool.blockByteCount + 5

  private func expectSlices(_ rig: SpoolRig, _ comment: Comment) {
    let byteCount = rig.wakeUps.map { $0.byteCount }.max() ?? 0
    let actionCount = rig.wakeUps.map { $0.actionCount }.max() ?? 0
    #expect(byteCount <= Self.byteCountMax, comment)
    #expect(actionCount <= Self.actionCountMax, comment)
  }

  @Test func aFullSpoolIsOpenedInSlices() {
    let rig = SpoolRig(segment: 4 << 10)
    for start in stride(from: Int64(0), to: 20_000, by: 100) { rig.keep(start..<start + 100) }
    #expect(rig.disk.files.count > 100)
    expectSlices(rig.restarted(), "many segments")
    let large = SpoolRig()
    for start in stride(from: Int64(0), to: 30_000, by: 500) { large.keep(start..<start + 500) }
    expectSlices(large.restarted(), "a large one")
  }

  /// After a restart all that is acknowledged is gone through again.
  @Test func entriesThatAreAcknowledgedArePassedOverInSlices() {
    let rig = SpoolRig()
    for start in stride(from: Int64(0), to: 30_000, by: 500) { rig.keep(start..<start + 500) }
    rig.spool.acknowledged(upTo: SpoolPosition(sequence: 29_000, inMemory: 0))
    rig.settle()
    rig.forgetActions()
    #expect(rig.take()?.number == 29_000)
    #expect(rig.bytesRead > 700_000)
    expectSlices(rig, "")
  }

  @Test func manySegmentsThatWereAcknowledgedAreDeletedInSlices() {
    let rig = SpoolRig(segment: 4 << 10)
    for start in stride(from: Int64(0), to: 20_000, by: 100) { rig.keep(start..<start + 100) }
    rig.forgetActions()
    rig.spool.acknowledged(upTo: rig.spool.end)
    rig.settle()
    #expect(rig.disk.files.count == 1)
    #expect(rig.isEmpty)
    expectSlices(rig, "")
  }

  /// There is room for it beside the files that still have to go.
  @Test func aBatchDoesNotWaitForDeletions() {
    let rig = SpoolRig(segment: 4 << 10)
    for start in stride(from: Int64(0), to: 20_000, by: 100) { rig.keep(start..<start + 100) }
    rig.isPatient = false
    rig.spool.acknowledged(upTo: rig.spool.end)
    rig.settle()
    #expect(rig.isPaused)
    rig.forgetActions()
    rig.keep([20_000])
    #expect(rig.inMemory == 0)
    #expect(rig.isPaused && rig.wakeUps.count == 1)
    #expect(!rig.actions.contains { if case .delete = $0 { true } else { false } })
    rig.isPatient = true
    rig.sleepUntilDeadline()
    #expect(rig.disk.files.count == 1)
    #expect(rig.takeAll().numbers == [20_000])
  }

  /// Slices so small that each is one action.
  @Test func whatIsMeasuredBetweenTheSlicesIsThereOrCountedAndTheCapHolds() {
    for seed in UInt64(0)..<6 {
      var random = SplitMix64(seed: seed)
      let cap = 320 << 10
      let rig = SpoolRig(cap: cap, segment: 64 << 10, slice: 4 << 10)
      rig.isPatient = false
      var next: Int64 = 0
      var taken: Set<Int64> = []
      for _ in 0..<60 {
        let count = Int64(random.next() % 700)
        rig.keep(next..<next + count)
        next += count
        if random.next() % 3 > 0 { rig.sleepUntilDeadline() }
        guard random.next() % 4 == 0 else { continue }
        while let number = rig.spool.take()?.number {
          if !taken.insert(number).inserted { Issue.record("\(number) came twice, seed \(seed)") }
        }
        rig.acknowledge()
      }
      rig.isPatient = true
      rig.settle()
      taken.formUnion(rig.takeAll().numbers)
      #expect(rig.losses.dropped > 0, "seed \(seed)")
      #expect(rig.peakByteCount <= cap, "seed \(seed)")
      #expect(taken.count + rig.losses.dropped == Int(next), "seed \(seed)")
    }
  }

  @Test func whatIsToBeWrittenDoesNotWaitForTheRestOfTheOpening() {
    let full = SpoolRig(segment: 4 << 10)
    for start in stride(from: Int64(0), to: 20_000, by: 100) { full.keep(start..<start + 100) }
    let rig = full.restarted(opens: false)
    rig.isPatient = false
    rig.record(20_000)
    rig.settle()
    #expect(rig.isPaused)
    #expect(rig.inMemory == 1)
    let end = rig.spool.end
    #expect(end.sequence == 0)
    rig.closeBatch()
    #expect(rig.inMemory == 0)
    rig.isPatient = true
    let isInOrder = rig.takeAll().numbers == Array(0...20_000)
    #expect(isInOrder)
  }

  /// Where Home Assistant has what was measured since the start, that says nothing of what was
  /// there.
  @Test func whatIsAcknowledgedWhileTheSpoolIsOpenedIsOnlyWhatWasInMemory() {
    let full = SpoolRig(segment: 4 << 10)
    for start in stride(from: Int64(0), to: 20_000, by: 100) { full.keep(start..<start + 100) }
    let rig = full.restarted(opens: false)
    rig.isPatient = false
    // One that cannot be read says of its numbers only how many there may be.
    rig.fault = { action in if case .read(SegmentFile(first: 1), 0, _) = action { 5 } else { nil } }
    rig.record(20_000)
    rig.settle()
    #expect(rig.isPaused)
    rig.spool.acknowledged(upTo: rig.spool.end)
    rig.isPatient = true
    rig.fault = { _ in nil }
    rig.settle()
    let isComplete = rig.takeAll().numbers == Array(0..<20_000)
    #expect(isComplete)
  }

  @Test func aSpoolThatHasNothingToDoHasNoDeadline() {
    let rig = SpoolRig(cap: 320 << 10, segment: 64 << 10)
    for start in stride(from: Int64(0), to: 20_000, by: 500) { rig.keep(start..<start + 500) }
    #expect(rig.deadline == nil)
    _ = rig.takeAll()
    rig.acknowledge()
    #expect(rig.deadline == nil)
  }
}

extension SpoolEntry {
  fileprivate var number: Int64? {
    if case .reading(_, .number(let number)) = content { number.coefficient } else { nil }
  }
}
