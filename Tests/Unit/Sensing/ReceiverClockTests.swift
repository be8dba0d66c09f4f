import Bytes
import Testing

@testable import Sensing

@Suite struct ReceiverClockTests {
  private var clock = ReceiverClock()
  private let time = WallTime(nanoseconds: 1_800_000_000_000_000_000)

  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test mutating func aReportThatIsReadLateIsAsOldAsThat() throws {
    let first = clock.age(of: time, now: at(10))
    #expect(first == nil, "it sets the distance")
    let second = clock.age(of: time + .seconds(1), now: at(14))
    // The clocks may have drifted apart meanwhile.
    let age = try #require(second)
    #expect((2_990_000_000...3_000_000_000).contains(age))
  }

  @Test mutating func aTimeThatIsNoneSetsNoDistance() {
    for time in [WallTime(nanoseconds: .min), WallTime(nanoseconds: .min + 1)] {
      let age = clock.age(of: time, now: at(10))
      #expect(age == nil)
    }
    let first = clock.age(of: time, now: at(11))
    #expect(first == nil, "the first that can be one is the first")
  }
}
