import Bytes
import Testing

@testable import Sensing

@Suite struct StartTimeTests {
  private var start = StartTime()

  private static let noon = WallTime(nanoseconds: 1_795_435_200_000_000_000)

  private mutating func told(_ uptime: Duration, at time: WallTime) -> String? {
    guard case .text(let text) = start.uptimeRead(uptime, at: time) else { return nil }
    return String(decoding: [UInt8](text.bytes), as: UTF8.self)
  }

  @Test mutating func theStartIsTheTimeLessTheUptime() {
    #expect(told(.seconds(3600), at: Self.noon) == "2026-11-23T11:00:00+00:00")
  }

  @Test mutating func aClockThatIsSlewedMovesNoStart() {
    let first = told(.seconds(60), at: Self.noon)
    for minute in 1...60 {
      // Up to ten seconds ahead of the uptime, or behind it.
      let error = Duration.milliseconds((minute % 2 == 0 ? -1 : 1) * 9999)
      let passed = Duration.seconds(minute * 60)
      #expect(told(.seconds(60) + passed, at: Self.noon + passed + error) == first)
    }
  }

  @Test mutating func aClockThatIsSetMovesIt() {
    _ = told(.seconds(60), at: Self.noon)
    #expect(
      told(.seconds(70), at: Self.noon + .seconds(20)) == "2026-11-23T11:59:10+00:00",
      "ten seconds are a clock that was set")
    #expect(told(.seconds(80), at: Self.noon + .seconds(30)) == "2026-11-23T11:59:10+00:00")
  }

  @Test mutating func aClockThatWasNeverSetKnowsNoStart() {
    #expect(told(.seconds(60), at: WallTime(nanoseconds: 60_000_000_000)) == nil)
    #expect(told(.seconds(60), at: StartTime.earliest) == "2019-12-31T23:59:00+00:00")
  }

  @Test mutating func noUptimeAndNoTimeAreTooLarge() {
    for uptime in [Duration.zero, .seconds(Int64.max)] {
      for time in [WallTime(nanoseconds: .max), WallTime(nanoseconds: .min), StartTime.earliest] {
        _ = told(uptime, at: time)
      }
    }
  }

  @Test func uptimeIsTheFirstNumber() {
    let text = [UInt8]("350735.97 234388.90\n".utf8)
    #expect(uptime(parsing: text.span) == .milliseconds(350_735_970))
    #expect(uptime(parsing: [UInt8]("0.00 0.00\n".utf8).span) == .zero)
    let largest = [UInt8]("92233720368547758.07 0.00\n".utf8)
    #expect(uptime(parsing: largest.span) == .milliseconds(Int64.max) * 10)
  }

  @Test(arguments: ["", "\n", "12", "12.3", "-1.00 0.00", "x.00 1.00", "92233720368547758070.00 1"])
  func anUptimeThatMakesNoSenseIsRefused(text: String) {
    #expect(uptime(parsing: [UInt8](text.utf8).span) == nil)
  }
}
