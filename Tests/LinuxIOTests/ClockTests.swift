import CLinux
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

  /// After a power cut they would all ask the server at the same moments.
  @Test func boardsThatStartTogetherDoNotWaitInStep() {
    let seeds = (0..<64).map { _ in randomSeed() }
    // Each bit is one in some of them, and zero in others.
    #expect(seeds.reduce(0, |) == .max)
    #expect(seeds.reduce(.max, &) == 0)
  }
}
