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

  /// The most that the configuration takes; `Int` has 32 bits on some boards.
  @Test func theLargestHistoryHasRoomOnEachProcessor() {
    #expect(Spool.byteCountCap(megabytes: 64) == 64 << 20)
    let most = Int64(Spool.byteCountCap(megabytes: 4096))
    #expect(most == min(4096, Int64(Int.max >> 21)) << 20)
    #expect(most >= 1023 << 20)
  }

  /// A file in the folder of the spool may be anything, and several are added up.
  @Test func aFileOfAnySizeHasADiskSpace() {
    #expect(Spool.occupiedByteCount(of: 4097) == 8192)
    let foreign = (0..<100).reduce(0) { sum, _ in sum + Spool.occupiedByteCount(of: .max) }
    #expect(foreign > 100 * (Int.max >> 9))
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
