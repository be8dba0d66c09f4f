import Bytes
import CLinux
import FailingReads
import LinuxIO
import Testing

@Suite struct ClockTests {
  /// The C library has a question of its own for the kernel. Where a sandbox forbids it, what
  /// systemd-timesyncd knows counts.
  @Test func onlyAClockThatIsKeptRightIsBelieved() {
    var time = ntptimeval()
    let state = unsafe ntp_gettime(&time)
    let isRight =
      state < 0
      ? unsafe access("/run/systemd/timesync/synchronized", F_OK) == 0 : state != TIME_ERROR
    #expect(isClockSynchronized == isRight)
  }

  /// A limit counts the time in which the board sleeps, and no clock was set meanwhile.
  @Test func aSleepOfTheBoardPassesOnBothClocks() {
    let (before, asleep) = (Moment.now, timeAsleep)
    let_board_sleep(28_800)
    defer { let_board_sleep(-28_800) }
    let after = Moment.now
    #expect(after.instant - before.instant >= .seconds(28_800))
    #expect(after.wallTime(of: before.instant) - before.wallTime < .seconds(60))
    #expect(timeAsleep - asleep > .seconds(28_799))
    #expect(timeAsleep - asleep < .seconds(28_801))
  }

  /// What an earlier process of the same start left can be told from what is older.
  @Test func allProcessesOfAStartOfTheKernelKnowItByTheSameNumber() throws {
    #expect(kernelStart() == kernelStart())
    var text = ByteBuffer(capacity: 64)
    try readBeginning(ofFileAt: Path("/proc/sys/kernel/random/boot_id"), into: &text)
    let digits = String(decoding: [UInt8](text.bytes), as: UTF8.self).filter { $0.isHexDigit }
    #expect(UInt64(digits.prefix(16), radix: 16) == kernelStart())
  }

  /// After a power cut they would all ask the server at the same moments.
  @Test func boardsThatStartTogetherDoNotWaitInStep() {
    let seeds = (0..<64).map { _ in randomSeed() }
    // Each bit is one in some of them, and zero in others.
    #expect(seeds.reduce(0, |) == .max)
    #expect(seeds.reduce(.max, &) == 0)
  }
}
