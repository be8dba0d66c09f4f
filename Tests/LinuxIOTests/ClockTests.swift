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
}
