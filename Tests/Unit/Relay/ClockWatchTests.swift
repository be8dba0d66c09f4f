import Bytes
import Testing

@testable import Relay

@Suite struct ClockWatchTests {
  private let start = WallTime(seconds: 1_000_000)

  private func instant(_ seconds: Int64) -> Instant {
    Instant(nanoseconds: seconds * 1_000_000_000)
  }

  @Test func aClockThatGoesOnIsNotSet() {
    var watch = ClockWatch(start, instant(0))
    #expect(watch.step(start + .seconds(86_400), instant(86_400)) == nil)
    #expect(watch.step(start + .seconds(86_400 + 299), instant(86_400)) == nil)
  }

  @Test(arguments: [300, -300, 20 * 365 * 86_400])
  func aClockThatIsSetIsFoundOnce(step: Int64) {
    var watch = ClockWatch(start, instant(0))
    #expect(watch.step(start + .seconds(60 + step), instant(60)) == step)
    #expect(watch.step(start + .seconds(120 + step), instant(120)) == nil)
  }
}
