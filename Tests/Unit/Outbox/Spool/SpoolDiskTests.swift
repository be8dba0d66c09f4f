import Bytes
import Testing

@testable import Outbox

/// When the disk is asked, and for how much at a time.
@Suite struct SpoolDiskTests {
  @Test func workThatWasPutOffIsDueAtOnceInAnotherWakeUp() {
    var slice = WorkSlice(byteCountMax: 10_000)
    slice.spend(.list)
    slice.spend(.list)
    #expect(!slice.isOver)
    slice.spend(.list)
    #expect(slice.isOver)
    #expect(slice.deadline == nil)
    slice.actionEnded(now: Instant(nanoseconds: 7))
    slice.workPutOff()
    #expect(slice.deadline == Instant(nanoseconds: 7))
    slice.begin()
    #expect(!slice.isOver)
    #expect(slice.deadline == nil)
  }

  /// A byte more than two blocks.
  @Test func everySliceIsAsLarge() {
    var slice = WorkSlice(byteCountMax: 2 * Spool.blockByteCount + 1)
    for _ in 0..<3 {
      slice.begin()
      for _ in 0..<2 { slice.spend(.list) }
      #expect(!slice.isOver)
      slice.spend(.list)
      #expect(slice.isOver)
    }
  }

  @Test func aDiskThatFailedIsTriedAtItsDeadlineAndNotBefore() {
    var disk = DiskStatus(seed: 1)
    let start = Instant(nanoseconds: 0)
    disk.deletionFailed(DiskFailure(code: 5), now: start)
    #expect(!disk.isUsable)
    let isTriedEarly = disk.deadlineReached(now: start)
    #expect(!isTriedEarly)
    let isTried = disk.deadlineReached(now: start + Spool.firstRetryDelay)
    #expect(isTried)
    #expect(disk.isUsable)
    // It is still said, and what is written goes first, until something worked.
    #expect(disk.failure == DiskFailure(code: 5))
    #expect(disk.areDeletionsPostponed)
    disk.worked()
    #expect(disk.failure == nil)
    #expect(!disk.areDeletionsPostponed)
  }
}
