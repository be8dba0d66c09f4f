import LinuxIO
import Testing

@Suite struct RealTimeClockTests {
  @Test func aDeviceThatIsNoClockSaysSo() throws {
    let clock = try RealTimeClock(opening: Path("/dev/null"))
    #expect(throws: Errno.notATerminal) { try clock.seconds() }
    #expect(throws: Errno.notATerminal) { try clock.setAlarm(at: 4_000_000_000) }
    #expect(throws: Errno.notATerminal) { try clock.alarm() }
  }

  @Test func aMomentWithoutAYearIsRefused() throws {
    let clock = try RealTimeClock(opening: Path("/dev/null"))
    #expect(throws: Errno.overflow) { try clock.setAlarm(at: .max) }
  }
}
